// swift-tools-version: 6.2

import PackageDescription

// A package with default settings and no upcoming features, like an adopter's, in each language mode. Both targets of
// a kind share their sources through symbolic links. `ItemsAlone` has the sources of `items`, which compile against the
// products with three more files, so they use only public API. `LeafShop` is the app in `Examples`.
let package = Package(
    name: "Consumer",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "RESTClient", path: "../..")],
    targets: [
        .executableTarget(
            name: "FiveMode", dependencies: [restClient, mockTransport],
            swiftSettings: [.swiftLanguageMode(.v5)]),
        .executableTarget(
            name: "SixMode", dependencies: [restClient, mockTransport],
            swiftSettings: [.swiftLanguageMode(.v6)]),
        // The default isolation of new Xcode projects.
        .executableTarget(
            name: "MainActorFiveMode", dependencies: [restClient, mockTransport],
            swiftSettings: [.swiftLanguageMode(.v5), .defaultIsolation(MainActor.self)]),
        .executableTarget(
            name: "MainActorSixMode", dependencies: [restClient, mockTransport],
            swiftSettings: [.swiftLanguageMode(.v6), .defaultIsolation(MainActor.self)]),
        .executableTarget(
            name: "ItemsAlone", dependencies: [restClient, mockTransport],
            resources: [.embedInCode("items/Texts")],
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
                .enableUpcomingFeature("InferIsolatedConformances"),
            ]),
        .target(name: "LeafShop", dependencies: [restClient, mockTransport]),
        .testTarget(
            name: "LeafShopTests", dependencies: ["LeafShop", mockTransport, mockTransportTesting]),
        .testTarget(
            name: "FiveModeTests", dependencies: [restClient, mockTransport, mockTransportTesting],
            swiftSettings: [.swiftLanguageMode(.v5)]),
        .testTarget(
            name: "SixModeTests", dependencies: [restClient, mockTransport, mockTransportTesting],
            swiftSettings: [.swiftLanguageMode(.v6)]),
    ]
)

var restClient: Target.Dependency { .product(name: "RESTClient", package: "RESTClient") }
var mockTransport: Target.Dependency { .product(name: "MockTransport", package: "RESTClient") }
var mockTransportTesting: Target.Dependency {
    .product(name: "MockTransportTesting", package: "RESTClient")
}
