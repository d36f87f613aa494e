// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "RESTClient", path: "..")],
    targets: [
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                .product(name: "RESTClient", package: "RESTClient"),
                .product(name: "MockTransport", package: "RESTClient"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
