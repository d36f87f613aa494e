// swift-tools-version: 6.2

import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
]

let package = Package(
    name: "RESTClient",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "RESTClient", targets: ["RESTClient"]),
        .library(name: "MockTransport", targets: ["MockTransport"]),
        .library(name: "MockTransportTesting", targets: ["MockTransportTesting"]),
        .executable(name: "items", targets: ["items"]),
    ],
    targets: [
        .target(name: "HTTPCore", swiftSettings: settings),
        .target(name: "RESTClient", dependencies: ["HTTPCore"], swiftSettings: settings),
        .target(name: "MockTransport", dependencies: ["HTTPCore"], swiftSettings: settings),
        .target(
            name: "MockTransportTesting", dependencies: ["MockTransport"], swiftSettings: settings),
        .executableTarget(
            name: "items", dependencies: ["HTTPCore", "RESTClient", "MockTransport"], swiftSettings: settings),

        .target(
            name: "RawServer", dependencies: ["HTTPCore"], path: "Tests/RawServer", swiftSettings: settings),
        .target(name: "Storm", dependencies: ["RESTClient"], path: "Tests/Storm", swiftSettings: settings),
        .target(
            name: "Conformance", dependencies: ["RESTClient", "MockTransport"], path: "Tests/Conformance",
            swiftSettings: settings),
        .testTarget(name: "HTTPCoreTests", dependencies: ["HTTPCore"], swiftSettings: settings),
        .testTarget(
            name: "RESTClientTests", dependencies: ["RESTClient", "MockTransport", "Storm"],
            swiftSettings: settings),
        .testTarget(
            name: "MockTransportTests", dependencies: ["MockTransport", "RawServer"], swiftSettings: settings),
        .testTarget(
            name: "MockTransportTestingTests", dependencies: ["MockTransportTesting"], swiftSettings: settings
        ),
        .testTarget(
            name: "ItemsTests", dependencies: ["items", "RESTClient", "MockTransport", "RawServer"],
            swiftSettings: settings),
        .target(
            name: "Simulation", dependencies: ["HTTPCore", "RESTClient", "MockTransport"],
            path: "Tests/Simulation/Simulation", swiftSettings: settings),
        .executableTarget(
            name: "simulate", dependencies: ["HTTPCore", "Simulation"], path: "Tests/Simulation/simulate",
            swiftSettings: settings),
        .testTarget(
            name: "SimulationTests", dependencies: ["HTTPCore", "Simulation"],
            path: "Tests/Simulation/SimulationTests", swiftSettings: settings),
        .testTarget(
            name: "ConformanceTests", dependencies: ["Conformance", "RESTClient", "MockTransport"],
            swiftSettings: settings),
        .testTarget(
            name: "PatternsTests", dependencies: ["RESTClient", "MockTransport", "MockTransportTesting"],
            resources: [.process("Fixtures")], swiftSettings: settings),
        .testTarget(
            name: "InteropTests", dependencies: ["HTTPCore", "RESTClient", "Storm", "Conformance"],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
