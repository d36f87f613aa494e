// swift-tools-version: 6.2

import PackageDescription

// A separate package, because it takes minutes to build. `Benchmarks list` includes it if it is built.
let package = Package(
    name: "AsyncHTTPClientPeer",
    platforms: [.macOS(.v15)],
    dependencies: [.package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0")],
    targets: [
        .executableTarget(
            name: "Peer",
            dependencies: [.product(name: "AsyncHTTPClient", package: "async-http-client")])
    ],
    swiftLanguageModes: [.v6]
)
