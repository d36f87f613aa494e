// swift-tools-version: 6.2

import PackageDescription

var settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
]
// `make check` sets it for all builds: with an option of one build, the others would compile everything again.
if Context.environment["WARNINGS_AS_ERRORS"] != nil { settings.append(.treatAllWarnings(as: .error)) }

let package = Package(
    name: "RESTClient",
    // The lowest versions that have everything that the sources use; `Scripts/portability --list` prints it. What needs them:
    // `Int128` in the decoder, `Atomic`, `String(validating:as:)` and `next(isolation:)`. Without these, custom executors
    // would need macOS 14 and iOS 17; without those, `Duration`, `Clock` and regular expressions macOS 13 and iOS 16.
    // watchOS is missing because an Int has 32 bits on Apple Watch Series 8 and earlier.
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .visionOS(.v2)],
    products: [
        .library(name: "RESTClient", targets: ["RESTClient"]),
        .library(name: "MockTransport", targets: ["MockTransport"]),
        .library(name: "MockTransportTesting", targets: ["MockTransportTesting"]),
        .executable(name: "items", targets: ["items"]),
    ],
    targets: [
        .target(name: "RESTClientHTTP", swiftSettings: settings),
        .target(name: "RESTClientPlatform", dependencies: ["RESTClientHTTP"], swiftSettings: settings),
        .target(
            name: "RESTClient", dependencies: ["RESTClientHTTP", "RESTClientPlatform"],
            swiftSettings: settings),
        .target(
            name: "MockTransport", dependencies: ["RESTClientHTTP", "RESTClientPlatform"],
            swiftSettings: settings),
        .target(
            name: "MockTransportTesting", dependencies: ["MockTransport"], swiftSettings: settings),
        .executableTarget(
            name: "items", dependencies: ["RESTClientHTTP", "RESTClient", "MockTransport"],
            resources: [.embedInCode("Texts")], swiftSettings: settings),

        .target(name: "RESTClientParallelTestLimit", path: "Tests/ParallelTestLimit"),
        .target(
            name: "RESTClientTestSupport",
            dependencies: ["RESTClientHTTP", "RESTClient", "MockTransport"],
            path: "Tests/Support", swiftSettings: settings),
        // The part that imports `Testing`, which programs that are linked statically cannot do.
        .target(
            name: "RESTClientTestingSupport",
            dependencies: ["RESTClient", "MockTransport", "RESTClientParallelTestLimit"],
            path: "Tests/TestingSupport", swiftSettings: settings),
        .executableTarget(
            name: "RESTClientSimulate",
            dependencies: ["RESTClient", "RESTClientHTTP", "RESTClientPlatform", "RESTClientTestSupport"],
            path: "Tests/RESTClientSimulate", swiftSettings: settings),
        .testTarget(
            name: "RESTClientPlatformTests",
            dependencies: ["RESTClientPlatform", "RESTClientTestSupport", "RESTClientTestingSupport"],
            swiftSettings: settings),
        .testTarget(name: "RESTClientHTTPTests", dependencies: ["RESTClientHTTP"], swiftSettings: settings),
        .testTarget(
            name: "RESTClientTests",
            dependencies: [
                "RESTClient", "RESTClientPlatform", "MockTransport", "RESTClientTestSupport",
                "RESTClientTestingSupport",
            ],
            exclude: ["Fixtures"],
            swiftSettings: settings),
        .testTarget(
            name: "MockTransportTests",
            dependencies: [
                "MockTransport", "RESTClientPlatform", "RESTClientTestSupport", "RESTClientTestingSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "MockTransportTestingTests", dependencies: ["MockTransportTesting", "RESTClient"],
            exclude: ["Fixtures"], swiftSettings: settings),
        .testTarget(
            name: "ItemsTests",
            dependencies: [
                "items", "RESTClient", "MockTransport", "RESTClientTestSupport", "RESTClientTestingSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SimulationTests",
            dependencies: ["RESTClientHTTP", "RESTClientTestSupport", "RESTClientTestingSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "ConformanceTests",
            dependencies: [
                "RESTClientTestSupport", "RESTClientTestingSupport", "RESTClient", "MockTransport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "PatternsTests", dependencies: ["RESTClient", "MockTransport", "MockTransportTesting"],
            resources: [.process("Fixtures")], swiftSettings: settings),
        .testTarget(
            name: "InteropTests",
            dependencies: [
                "RESTClientHTTP", "RESTClient", "RESTClientTestSupport", "RESTClientTestingSupport",
            ],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)

// `make thread` builds only the tests whose code runs on several threads: what the others run is also run by these, or has no
// threads.
if Context.environment["CONCURRENT_TESTS"] != nil {
    package.targets.removeAll {
        ["ItemsTests", "PatternsTests", "InteropTests", "RESTClientHTTPTests"].contains($0.name)
    }
    let excluded = [
        "RESTClientTests": ["JSON", "Paging"], "MockTransportTests": ["Answer", "Observe/Archives"],
    ]
    for target in package.targets { target.exclude += excluded[target.name] ?? [] }
}
