import Foundation
import MockTransport
import RESTClient
import Testing
import XCTest

extension SessionManager {
    /// The manager of the app. A UI test passes the URL of a mock server in the environment.
    static func shop(environment: [String: String] = ProcessInfo.processInfo.environment) -> SessionManager {
        SessionManager(baseURL: URL(string: environment["SHOP_URL"] ?? "https://shop.example"))
    }
}

/// A UI test with the types of XCUIAutomation in a small form, because package tests have no app to launch.
private enum UITest {
    class TestCase {}
    // A class of this name would be run as a test.
    typealias XCTestCase = TestCase

    @MainActor final class XCUIApplication {
        struct Element {
            func tap() {}
            func typeText(_ text: String) {}
            func waitForExistence(timeout: TimeInterval) -> Bool { true }
        }

        struct Query {
            var firstMatch: Element { Element() }
            subscript(_ name: String) -> Element { Element() }
        }

        var launchEnvironment: [String: String] = [:]
        let searchFields = Query()
        let staticTexts = Query()
        func launch() {}
    }

    final class SearchUITests: XCTestCase {
        @MainActor func testASearchShowsTheLeaves() async throws {
            let server = MockServer {
                Route(.get, "/leaves") { Reply.json(["items": [["id": 1, "name": "Sencha"]]]) }
            }
            let loopback = try await server.listen()
            let app = XCUIApplication()
            app.launchEnvironment["SHOP_URL"] = loopback.url.absoluteString
            app.launch()
            app.searchFields.firstMatch.tap()
            app.searchFields.firstMatch.typeText("sen")
            XCTAssertTrue(app.staticTexts["Sencha"].waitForExistence(timeout: 10))
            try server.verify()
        }
    }

    private static let archive = URL(filePath: "/leaves.har")

    final class ArchiveUITests: XCTestCase {
        @MainActor func testTheRecordedLeavesAreShown() async throws {
            let server = try MockServer(har: HAR(contentsOf: archive))
            let loopback = try await server.listen()
            let app = XCUIApplication()
            app.launchEnvironment["SHOP_URL"] = loopback.url.absoluteString
            app.launch()
            XCTAssertTrue(app.staticTexts["Sencha"].waitForExistence(timeout: 10))
            XCTAssertFalse(server.requests.isEmpty)
        }
    }
}

nonisolated struct ArchivePreviewShop: Sendable {
    private let server: MockServer

    init(archive: URL) throws { server = MockServer(har: try HAR(contentsOf: archive)) }

    func leaves(matching text: String) async throws -> [Leaf] {
        let manager = SessionManager(
            baseURL: URL(string: "https://shop.example"), configuration: server.configuration)
        return try await LeafShop(manager: manager).leaves(matching: text)
    }
}

@Suite struct ShopManagerTests {
    @Test func `the manager of the app uses the server in the environment`() async throws {
        let server = MockServer {
            Route(.get, "/leaves") { Reply.json(["items": [["id": 1, "name": "Sencha"]]]) }
        }
        let loopback = try await server.listen()
        let manager = SessionManager.shop(environment: ["SHOP_URL": loopback.url.absoluteString])
        let leaves = try await LeafShop(manager: manager).leaves(matching: "sen")
        #expect(leaves == [Leaf(id: 1, name: "Sencha")])
    }

    /// Writes an archive with the leaves that match `sen`.
    private func writeArchive() throws -> URL {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).har")
        let entry = HAR.Entry(
            start: Date(timeIntervalSince1970: 0),
            request: HAR.Request(url: try #require(URL(string: "https://shop.example/leaves?q=sen"))),
            response: HAR.Response(
                status: 200, headers: ["Content-Type": "application/json"],
                chunks: [HAR.Chunk(data: Data(#"{"items":[{"id":1,"name":"Sencha"}]}"#.utf8))]))
        try HAR([entry]).write(to: file)
        return file
    }

    @Test func `the manager of the app uses a served archive in the environment`() async throws {
        let file = try writeArchive()
        defer { try? FileManager.default.removeItem(at: file) }
        let loopback = try await MockServer(har: HAR(contentsOf: file)).listen()
        let manager = SessionManager.shop(environment: ["SHOP_URL": loopback.url.absoluteString])
        let leaves = try await LeafShop(manager: manager).leaves(matching: "sen")
        #expect(leaves == [Leaf(id: 1, name: "Sencha")])
    }

    @Test func `a preview shows the leaves of an archive`() async throws {
        let file = try writeArchive()
        defer { try? FileManager.default.removeItem(at: file) }
        let shop = try ArchivePreviewShop(archive: file)
        #expect(try await shop.leaves(matching: "sen") == [Leaf(id: 1, name: "Sencha")])
    }

    @Test func `a preview shows the leaves of its server`() async throws {
        #expect(try await PreviewShop().leaves(matching: "sen") == [Leaf(id: 1, name: "Sencha")])
    }
}
