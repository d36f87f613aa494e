import Foundation
import RESTClientHTTP
import Testing

@testable import MockTransport

/// The exact error messages, which are also in the documentation.
@Suite struct FailureMessageTests {
    /// Returns a server whose routes have fixed line numbers.
    private func shop(order: MockServer.Order = .any, isPostNeeded: Bool = true) -> MockServer {
        let post = Route(
            .post, "/items", .header(.authorization), .body(jsonContaining: ["name": "tea"]),
            fileID: "Shop/ShopTests.swift", line: 12
        ) { Reply.status(201) }
        return MockServer(order: order, fileID: "Shop/ShopTests.swift", line: 10) {
            Route(.get, "/items", fileID: "Shop/ShopTests.swift", line: 11) { Reply.json(["items": ["tea"]]) }
            isPostNeeded ? post : post.optional()
            Route(.get, "/items/:id<Int>", fileID: "Shop/ShopTests.swift", line: 15) {
                Reply.status(503)
                Reply.json(["name": "tea"])
            }.optional()
            Route(.delete, "https://admin.example/**", fileID: "Shop/ShopTests.swift", line: 19) {
                Reply.status(204)
            }.called(...1)
        }
    }

    private static let route = Route("/x") { Reply.status(204) }

    @Test func `an unmatched body lists the differences`() async throws {
        let server = MockServer(fileID: "Shop/ShopTests.swift", line: 10) {
            Route(
                .post, "/items", .header(.authorization, "Bearer secret"), .query("dry", "yes"),
                .body(jsonContaining: ["name": "tea", "price": ["amount": 2]]),
                fileID: "Shop/ShopTests.swift", line: 12
            ) { Reply.status(201) }
        }
        let request = try URLRequest(
            "http://shop.example/items?dri=yes", method: "POST", headers: ["Authorization": "Bearer other"],
            body: #"{"name":"tea","price":{"amout":2}}"#)
        #expect(
            try await server.refusal(of: request) == """
                POST http://shop.example/items?dri=yes does not match the only route of the mock server:
                  Route(.post, "/items", .header("Authorization", "***"), .query("dry", "yes"), \
                .body(jsonContaining: {"name":"tea","price":{"amount":2}})) at ShopTests.swift:12
                    header Authorization: expected "***", found "***"
                    query dry: expected "yes", found nothing ("dri" is one letter apart)
                    body: expected at least {"name":"tea","price":{"amount":2}}, found no member $.price.amount \
                ("amout" is one letter apart)
                Nothing was sent to the network. Add a route for it, or one that replies with Reply.passthrough.
                """)
    }

    /// Compares the messages in the article with the actual ones.
    @Test func `the documentation contains the exact error messages`() async throws {
        func verificationFailure(of server: MockServer) -> String? {
            #expect(throws: MockServerError.self) { try server.verify() }?.description
        }
        let one = try URLRequest("http://shop.example/items/7")
        let list = try URLRequest("http://shop.example/items")

        let unmatched = try await shop().refusal(of: "http://shop.example/itmes?page=2")
        let unused = verificationFailure(of: shop(isPostNeeded: false))
        let counted = shop(isPostNeeded: false)
        _ = try await counted.text(list)
        for _ in 0..<2 { _ = try await counted.text("https://admin.example/all", method: "DELETE") }
        let exhausted = shop()
        for _ in 0..<2 { _ = try await exhausted.text(one) }
        var server: MockServer? = shop()
        let session = URLSession(configuration: try .notRetaining(server))
        server = nil
        let gone = await #expect(throws: MockServerError.self) { try await session.data(for: list) }

        let actual = [
            unmatched, unused, verificationFailure(of: counted), try await exhausted.refusal(of: one),
            gone?.description,
        ]
        let article = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Sources/MockTransport/MockTransport.docc/ReadingFailures.md")
            .standardized
        // Code blocks with a language contain code, those without one contain messages.
        let shown = try String(contentsOf: article, encoding: .utf8).components(separatedBy: "\n```")
            .enumerated()
            .filter { $0.offset % 2 == 1 && $0.element.hasPrefix("\n") }.map {
                String($0.element.dropFirst())
            }
        #expect(shown == actual)
    }

    @Test func `the error of an unsupported task names its cause and a fix`() {
        let url = URL(literal: "http://shop.example/items")
        #expect(
            MockServerError(.unsupportedTask(.download, method: "GET", url: url)).description == """
                GET http://shop.example/items: a download task cannot be answered in the process on this platform. Use a \
                data task, or serve the routes on a socket: let loopback = try await server.listen(), and request \
                loopback.url instead of this host.
                """)
    }

    @Test func `a server without routes reports that`() async throws {
        let text = try await MockServer().refusal(of: "http://shop.example/")
        #expect(
            text == """
                GET http://shop.example/ cannot be matched: the mock server has no routes.
                Nothing was sent to the network. Add a route for it, or one that replies with Reply.passthrough.
                """)
    }

    @Test func `error messages contain no secrets of the request`() async throws {
        let request = try URLRequest(
            "http://user:pw@shop.example/x?access_token=abc&sid=1", headers: ["Cookie": "sid=abc"])
        let server = MockServer {
            Route("/x", .query("access_token", "def"), .cookie("sid", "def"), .header(.cookie, "sid=def")) {
                Reply.status(204)
            }
        }
        let text = try await server.refusal(of: request)
        for secret in ["abc", "def", "pw"] { #expect(!text.contains(secret), "\(text)") }
    }

    @Test func `error messages contain no secrets of the body`() async throws {
        let matchers: [RequestMatcher] = [
            .body(text: "tea"), .body(json: [:]), .body(jsonContaining: [:]), .part("password", "tea"),
        ]
        let part = "--x\r\nContent-Disposition: form-data; name=password\r\n\r\ns3cr3t\r\n--x--"
        for matcher in matchers {
            let server = MockServer { Route(matcher) { Reply.status(204) } }
            for body in [
                Data("{\"n\":\"".utf8) + Data([0xFC]) + Data("\",\"token\":\"s3cr3t\"}".utf8),
                Data(part.utf8),
            ] {
                let request = URLRequest(
                    URL(literal: "http://shop.example/"), method: "POST",
                    headers: ["Content-Type": "multipart/form-data; boundary=x"], body: body)
                let text = try await server.refusal(of: request)
                #expect(!text.contains("s3cr3t"), "\(text)")
            }
        }
    }

    @Test func `all unmet expectations are in one error`() async throws {
        let server = shop()
        for _ in 0..<2 { _ = try await server.text("https://admin.example/all", method: "DELETE") }
        for _ in 0..<3 { _ = try? await server.text("http://shop.example/items/7") }
        _ = try? await server.text("http://shop.example/itmes")
        let error = #expect(throws: MockServerError.self) { try server.verify() }
        let isExpected = if case .verification = error?.kind { true } else { false }
        #expect(isExpected)
        #expect(
            error?.description == """
                5 expectations were not met:
                  ShopTests.swift:11: Route(.get, "/items") was not called, expected at least once
                  ShopTests.swift:12: Route(.post, "/items", .header("Authorization"), \
                .body(jsonContaining: {"name":"tea"})) was not called, expected at least once
                  ShopTests.swift:15: Route(.get, "/items/:id<Int>") was called 3 times and has 2 replies
                  ShopTests.swift:19: Route(.delete, "https://admin.example/**") was called 2 times, expected at most once
                  ShopTests.swift:10: GET http://shop.example/itmes matches none of the 4 routes of the mock server; \
                nearest first:
                      Route(.get, "/items") at ShopTests.swift:11
                        path: expected /items, found /itmes (2 letters apart)
                      Route(.get, "/items/:id<Int>") at ShopTests.swift:15
                        path: expected /items/:id<Int>, found /itmes
                      Route(.delete, "https://admin.example/**") at ShopTests.swift:19
                        method: expected DELETE, found GET
                        scheme: expected https, found http
                        host: expected admin.example, found shop.example
                    Nothing was sent to the network. Add a route for it, or one that replies with Reply.passthrough.
                """)
        #expect(error?.issues.map(\.location.line) == [11, 12, 15, 19, 10])
    }

    @Test(
        arguments: [
            (0, route, "was not called, expected at least once"),
            (1, route, nil),
            (9, route, nil),
            (1, route.called(2), "was called once, expected 2 times"),
            (3, route.called(2), "was called 3 times, expected 2 times"),
            (0, route.called(1), "was not called, expected once"),
            (1, route.called(0), "was called once, expected no call"),
            (0, route.called(0), nil),
            (1, route.called(2...), "was called once, expected at least 2 times"),
            (5, route.called(2...), nil),
            (4, route.called(...3), "was called 4 times, expected at most 3 times"),
            (0, route.called(...3), nil),
            (4, route.called(1...2), "was called 4 times, expected 1 to 2 times"),
            (2, route.called(1..<2), "was called 2 times, expected once"),
            (0, route.optional(), nil),
            (0, route.called(2).optional(), nil),
            (3, route.called(2).optional(), "was called 3 times, expected at most 2 times"),
        ] as [(Int, Route, String?)])
    func `a wrong number of calls is reported`(calls: Int, route: Route, message: String?) async throws {
        let server = MockServer { route }
        for _ in 0..<calls { _ = try await server.text("http://shop.example/x") }
        guard let message else { return try server.verify() }
        let error = #expect(throws: MockServerError.self) { try server.verify() }
        #expect(error?.issues.map(\.message) == ["Route(\"/x\") \(message)"])
    }

    @Test func `a wrong order of calls is reported`() async throws {
        let server = shop(order: .asWritten)
        _ = try await server.text("http://shop.example/items/7")
        _ = try await server.text("http://shop.example/items/7")
        _ = try await server.text("http://shop.example/items")
        let error = #expect(throws: MockServerError.self) { try server.verify() }
        #expect(
            error?.issues.map(\.message).last
                == #"Route(.get, "/items") was called after Route(.get, "/items/:id<Int>"), which is written below it"#
        )
    }

    @Test func `waiting for more requests than arrive throws and lists them`() async throws {
        let server = MockServer { Route(.any) { Reply.status(204) } }
        _ = try await server.text("http://shop.example/items?token=abc")
        let error = await #expect(throws: MockServerError.self) {
            try await server.requests(count: 2, within: .milliseconds(10))
        }
        #expect(
            error?.description == """
                received 1 of 2 requests within 0.01 seconds:
                  GET http://shop.example/items?token=***
                """)
    }

    @Test func `waiting for requests returns when they have arrived`() async throws {
        let server = MockServer { Route(.any) { Reply.status(204) } }
        async let requests = server.requests(count: 3)
        for path in 1...3 { _ = try await server.text("http://shop.example/\(path)") }
        #expect(try await requests.map(\.url.lastPathComponent) == ["1", "2", "3"])
    }

    @Test func `an error is found in the copy that URLSession makes on Apple platforms - PLATFORM F4`()
        async throws
    {
        let server = MockServer {}
        let error = try #require(
            await #expect(throws: MockServerError.self) { try await server.text("http://shop.example/") })
        let box = ErrorBox.boxed(error)
        let copy = NSError(domain: box.domain, code: box.code, userInfo: box.userInfo)
        #expect(MockServerError(_bridgedNSError: copy)?.description == error.description)
        #expect(copy.localizedDescription == error.description)
        #expect(MockServerError(_bridgedNSError: NSError(domain: "shop", code: 1)) == nil)
    }
}
