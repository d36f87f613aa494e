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

    @Test func `a preview shows the leaves of its server`() async throws {
        #expect(try await PreviewShop().leaves(matching: "sen") == [Leaf(id: 1, name: "Sencha")])
    }
}
