// swift-tools-version: 6.2

import PackageDescription

// The parts of an app that searches a tea shop: its client, the model of the search, its view, previews and tests.
let package = Package(
    name: "LeafShop",
    platforms: [.macOS(.v15), .iOS(.v18)],
    dependencies: [.package(name: "RESTClient", path: "../..")],
    targets: [
        .target(
            name: "LeafShop",
            dependencies: [
                .product(name: "RESTClient", package: "RESTClient"),
                // For the previews.
                .product(name: "MockTransport", package: "RESTClient"),
            ]),
        .testTarget(
            name: "LeafShopTests",
            dependencies: [
                "LeafShop", .product(name: "MockTransport", package: "RESTClient"),
                .product(name: "MockTransportTesting", package: "RESTClient"),
            ]),
    ]
)
