import Foundation
import MockTransport
import XCTest

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
