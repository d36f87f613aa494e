import Foundation
import RESTClientHTTP
import Testing

@testable import MockTransport

@Suite struct MatchingRulesTests {
    private func entry(
        _ url: String, _ text: String, method: HTTPMethod = .get, headers: HTTPHeaders = [:],
        body: String = ""
    ) throws -> HAR.Entry {
        HAR.Entry(
            HAR.Request(
                method: method, url: try #require(URL(string: url)), headers: headers, body: Data(body.utf8)),
            HAR.Response(
                status: 200, headers: ["Link": "<https://shop.example/items?page=2>; rel=next"],
                chunks: [HAR.Chunk(data: Data(text.utf8))]))
    }

    private func server(_ matching: HAR.Matching, _ entries: HAR.Entry...) -> MockServer {
        MockServer { HAR(entries).routes(matching: matching) }
    }

    @Test(
        arguments: [
            (.ignoring(.host), "https://shop.example/items?page=1", "http://a:8080/items?page=1", true),
            (
                .ignoring(.host), "https://shop.example/items?page=1", "https://shop.example/items?page=1",
                true
            ),
            (.ignoring(.host), "https://shop.example/items?page=1", "http://other/items?page=2", false),
            (.ignoring(.queryItems("t")), "http://a/items?t=1&page=2", "http://a/items?page=2&t=99", true),
            (.ignoring(.queryItems("t")), "http://a/items?t=1&page=2", "http://a/items?page=2", true),
            (.ignoring(.queryItems("t")), "http://a/items?t=1&page=2", "http://a/items?t=1&page=3", false),
            (.ignoring(.query), "http://a/items?page=2", "http://a/items", true),
            (.ignoring(.query), "http://a/items?page=2", "http://a/items?page=7&x=1", true),
            (.ignoring(.order), "http://a/items?page=2&q=tea", "http://a/items?q=tea&page=2", true),
            (.exact, "http://a/items?page=2&q=tea", "http://a/items?q=tea&page=2", false),
        ] as [(HAR.Matching, String, String, Bool)])
    func `ignored parts of a URL can be missing or different`(
        matching: HAR.Matching, recorded: String, url: String, matches: Bool
    ) async throws {
        let server = try server(matching, entry(recorded, "tea"))
        #expect((try? await server.text(url)) == (matches ? "tea" : nil))
    }

    @Test(
        arguments: [
            (.ignoring(.body), "a=recorded", "b=other", true), (.exact, "a=recorded", "b=other", false),
            (.ignoring(.members("id", "sentAt")), "id=1&name=tea", "name=tea&id=9", true),
            (
                .ignoring(.members("id", "sentAt")),
                #"{"id":1,"name":"tea","meta":[{"sentAt":"now","n":1}]}"#,
                #"{"id":"x","name":"tea","meta":[{"n":1}]}"#, true
            ),
            (
                .ignoring(.members("id", "sentAt")),
                #"{"id":1,"name":"tea","meta":[{"sentAt":"now","n":1}]}"#,
                #"{"id":1,"name":"milk","meta":[{"n":1}]}"#, false
            ),
        ] as [(HAR.Matching, String, String, Bool)])
    func `ignored parts of a body can be missing or different`(
        matching: HAR.Matching, recorded: String, body: String, matches: Bool
    ) async throws {
        let type = recorded.hasPrefix("{") ? "application/json" : "application/x-www-form-urlencoded"
        let server = try server(
            matching,
            entry("http://a/", "tea", method: .post, headers: [.contentType: type], body: recorded))
        let request = try URLRequest("http://a/", method: "POST", headers: ["Content-Type": type], body: body)
        #expect((try? await server.text(request)) == (matches ? "tea" : nil))
    }

    @Test func `recorded origins in replies become the requested one`() async throws {
        let text = """
            {"next":"https://shop.example/items?page=2","escaped":"https:\\/\\/cdn.example\\/a",\
            "other":"https://shop.example.org/","port":"https://shop.example:8443/","mail":"tea@shop.example",\
            "scheme":"http://shop.example","end":"https://cdn.example"}
            """
        var items = try entry("https://shop.example/items", text)
        // In addition to the link to page 2.
        items.response.headers.add(.link, "<https://shop.example/items?page=9>; rel=last")
        let server = try server(.ignoring(.host), items, entry("https://cdn.example/", ""))
        let (body, response) = try await server.data("http://127.0.0.1:8080/items")
        #expect(
            String(decoding: body, as: UTF8.self) == """
                {"next":"http://127.0.0.1:8080/items?page=2","escaped":"http:\\/\\/127.0.0.1:8080\\/a",\
                "other":"https://shop.example.org/","port":"https://shop.example:8443/","mail":"tea@shop.example",\
                "scheme":"http://shop.example","end":"http://127.0.0.1:8080"}
                """)
        #expect(
            response.value(forHTTPHeaderField: "Link") == """
                <http://127.0.0.1:8080/items?page=2>; rel=next, <http://127.0.0.1:8080/items?page=9>; rel=last
                """)
        #expect(response.value(forHTTPHeaderField: "Content-Length") == "\(body.count)")
        #expect(try await server.text("https://shop.example/items") == text)
    }

    @Test(
        arguments: [
            ("http://a/sign-in?nonce=n-1", ""), ("http://a/sign-in", #"{"request":{"nonce":"n-1"}}"#),
        ])
    func `a replay echoes a value of the request in the place of the recorded one`(
        url: String, body: String
    ) async throws {
        let recorded = try entry(
            url, #"{"token":"…","nonce":"n-1"}"#, method: .post, headers: ["X-Nonce": "n-1"], body: body)
        let server = server(.echoing("nonce"), recorded)
        for nonce in ["n-1", "n-234", "n-5"] {
            let text = try await server.text(
                url.replacing("n-1", with: nonce), method: "POST", body: body.replacing("n-1", with: nonce))
            #expect(text == #"{"token":"…","nonce":"\#(nonce)"}"#)
        }
    }

    @Test func `a query of ignored items is the same as none`() async throws {
        let server = try server(
            .ignoring(.queryItems("t")), entry("http://a/poll?t=1", "first"), entry("http://a/poll", "second")
        )
        #expect(try await server.text("http://a/poll?t=2") == "first")
        #expect(try await server.text("http://a/poll") == "second")
    }

    @Test func `a recorded host answers its own requests if the host is ignored`() async throws {
        let server = try server(
            .ignoring(.host), entry("https://a.example/items", "a"), entry("https://b.example/items", "b"))
        for _ in 0..<2 {
            #expect(try await server.text("https://b.example/items") == "b")
            #expect(try await server.text("https://a.example/items") == "a")
            #expect(try await server.text("http://127.0.0.1/items") == "a")
        }
    }

    @Test func `an ignored count repeats the last exchange`() async throws {
        let entries = try ["1", "2"].map { try entry("http://a/", $0) }
        let server = MockServer { HAR(entries).routes(matching: .ignoring(.count)) }
        var texts: [String] = []
        for _ in 0..<4 { texts.append(try await server.text("http://a/")) }
        #expect(texts == ["1", "2", "2", "2"])
    }

    @Test func `compared header fields select the exchange`() async throws {
        let server = try server(
            .comparing(headers: "Accept-Language"),
            entry("http://a/", "tea", headers: ["Accept-Language": "en"]),
            entry("http://a/", "Tee", headers: ["Accept-Language": "de"]))
        let german = try URLRequest("http://a/", headers: ["Accept-Language": "de"])
        #expect(try await server.text(german) == "Tee")
        let french = try URLRequest("http://a/", headers: ["Accept-Language": "fr"])
        let error = try await server.refusal(of: french)
        #expect(error.contains(#"header Accept-Language: expected "en", found "fr""#))
    }

    @Test func `a served archive answers on a socket, with links to the socket`() async throws {
        let archive = HAR([
            try entry("https://shop.example/items", #"{"next":"https://shop.example/items?page=2"}"#),
            try entry("https://shop.example/items?page=2", #"{"next":null}"#),
        ])
        let loopback = try await MockServer(har: archive).listen()
        #expect(try await loopback.reply(to: "items").text == #"{"next":"\#(loopback.url)/items?page=2"}"#)
        #expect(try await loopback.reply(to: "items?page=2").text == #"{"next":null}"#)
    }
}

@Suite struct CustomMaskingTests {
    private let temporary = TemporaryPath(".har")
    private var file: URL { temporary.url }
    private let shop = MockServer {
        Route(.post, "/orders") { request in
            .text(
                #"{"order":7,"email":"ann@example.org","phone":555123,"note":"for ann@example.org"}"#,
                as: .json
            )
            .header("X-Tenant", "acme-4711")
        }
    }

    private func order(_ email: String, phone: Int, at url: URL) -> URLRequest {
        URLRequest(
            url.appending(path: "orders").appending(queryItems: [URLQueryItem(name: "email", value: email)]),
            method: "POST", headers: ["Content-Type": "application/json", "X-Tenant": "acme-4711"],
            body: Data(#"{"email":"\#(email)","phone":\#(phone),"item":"tea"}"#.utf8))
    }

    @Test func `custom values are masked in the file and in comparisons`() async throws {
        let masking = HAR.Masking.members("email", "phone").headers("X-Tenant")
        let loopback = try await shop.listen()
        let recorder = try MockServer(cassette: file, masking: masking)
        _ = try await recorder.text(order("ann@example.org", phone: 555_123, at: loopback.url))
        let text = try String(contentsOf: file, encoding: .utf8)
        for secret in ["ann@example.org", "ann%40example.org", "555123", "acme-4711"] {
            #expect(!text.contains(secret), "\(secret) is in the file")
        }
        let replay = try MockServer(cassette: file, mode: .never, masking: masking)
        let body = try await replay.text(order("bob@example.org", phone: 1, at: loopback.url))
        #expect(body == #"{"order":7,"email":"***","phone":0,"note":"for ***"}"#)
        // Without the masking, the number differs.
        let strict = try MockServer(cassette: file, mode: .never)
        await #expect(throws: MockServerError.self) {
            try await strict.text(order("bob@example.org", phone: 1, at: loopback.url))
        }
    }

    @Test(arguments: [("https://shop.example", true), ("https://evil.example", false), (nil, true)])
    func `a recorded reply allows no page of another origin to read it`(
        origin: String?, isShared: Bool
    ) async throws {
        let request = HAR.Request(
            url: URL(literal: "http://a/"), headers: ["Origin": "https://shop.example", "Accept": "*/*"])
        var response = HAR.Response(status: 200)
        response.headers = ["Access-Control-Allow-Origin": "*", "X-Tea": "green"]
        let routes = HAR([HAR.Entry(request, response)]).routes(matching: .ignoring(.host))
        let (_, reply) = try await MockServer { routes }.data(
            URLRequest("http://b/", headers: origin.map { ["Origin": $0] } ?? [:]))
        #expect((reply.value(forHTTPHeaderField: "Access-Control-Allow-Origin") != nil) == isShared)
        #expect(reply.value(forHTTPHeaderField: "X-Tea") == "green")
    }

    @Test func `a masked header field can be compared`() async throws {
        let request = HAR.Request(url: URL(literal: "http://a/"), headers: ["X-Tenant": "acme"])
        let routes = HAR([HAR.Entry(request, HAR.Response(status: 204))]).routes(
            matching: .comparing(headers: "X-Tenant"), masking: .headers("X-Tenant"))
        let server = MockServer { routes }
        #expect(try await server.text(URLRequest("http://a/", headers: ["X-Tenant": "other"])).isEmpty)
        await #expect(throws: MockServerError.self) { try await server.text("http://a/") }
    }

    @Test(arguments: [1, 3, 4, 1_000])
    func `a body with multipart bodies deep inside others is left out`(levels: Int) throws {
        var body = "tea"
        var type = "text/plain"
        for level in 1...levels {
            body = "--b\(level)\r\nContent-Type: \(type)\r\n\r\n\(body)\r\n--b\(level)--\r\n"
            type = "multipart/mixed; boundary=b\(level)"
        }
        let request = HAR.Request(
            method: .post, url: URL(literal: "http://a/"), headers: ["Content-Type": type],
            body: Data(body.utf8))
        let masked = HAR.Masking.members("email").masked(request).request
        let text = String(decoding: masked.body, as: UTF8.self)
        #expect(text.contains("tea") == (levels <= 3))
        #expect(masked.isBodyMissing == (levels > 3))
    }

    // The values are so short that they are not masked in other places.
    @Test func `custom members are masked in multipart fields and in URLs of header fields`() throws {
        let type = "multipart/form-data; boundary=x"
        let parts = """
            --x\r
            Content-Disposition: form-data; name="email"\r
            \r
            a@b.c\r
            --x\r
            Content-Disposition: form-data; name="order"\r
            Content-Type: application/json\r
            \r
            {"email":"d@e.f","item":"tea"}\r
            --x--\r

            """
        let request = HAR.Request(
            method: .post, url: URL(literal: "http://shop.example/"),
            headers: ["Content-Type": type, "Referer": "http://shop.example/?email=g@h.i&page=2"],
            body: Data(parts.utf8))
        var response = HAR.Response(status: 201)
        response.headers = [
            "Location": "/orders?email=j%40k.l#7", "Content-Location": "orders?item=tea&email=m@n.o",
            "Link": "</orders?email=p@q.r&page=2>; rel=next, </orders?page=9>; rel=last",
            "Content-Type": "application/json",
        ]
        response.chunks = [HAR.Chunk(data: Data(#"{"next":"/orders?email=s@t.u&page=2"}"#.utf8))]
        let masked = try #require(HAR([HAR.Entry(request, response)]).masked(.members("email")).entries.first)
        #expect(
            String(decoding: masked.request.body, as: UTF8.self)
                == parts.replacing("a@b.c", with: "***").replacing("d@e.f", with: "***"))
        #expect(masked.request.headers["Referer"] == "http://shop.example/?email=***&page=2")
        let headers = masked.response.headers
        #expect(headers["Location"] == "/orders?email=***#7")
        #expect(headers["Content-Location"] == "orders?item=tea&email=***")
        #expect(headers["Link"] == "</orders?email=***&page=2>; rel=next, </orders?page=9>; rel=last")
        #expect(
            String(decoding: masked.response.body, as: UTF8.self)
                == #"{"next":"/orders?email=***&page=2"}"#)
    }

    @Test func `the key of a request is computed once, whatever other threads compare`() async throws {
        let count = LockedState(0)
        let masking = HAR.Masking.standard.transformRequests { _ in
            count.withLock { (count: inout Int) in count += 1 }
        }
        let shop = URL(literal: "http://shop.example/")
        let archive = HAR(
            (0..<20).map { (number: Int) -> HAR.Entry in
                HAR.Entry(HAR.Request(url: shop.appending(path: "\(number)")))
            })
        let router = Router(archive.routes(matching: .exact, masking: masking))
        count.withLock { $0 = 0 }
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for number in 0..<20 {
                        let query = [URLQueryItem(name: "task", value: "\(task)")]
                        let url: URL = shop.appending(path: "\(19 - number)").appending(queryItems: query)
                        _ = router.route(ReceivedRequest(method: .get, url: url))
                    }
                }
            }
        }
        // Without a cache, each request has dozens of keys. A thread that pauses can find its key replaced.
        let computed: Int = count.withLock { $0 }
        #expect(computed <= 320)
    }

    @Test func `custom changes apply to requests and responses`() async throws {
        let masking = HAR.Masking.standard
            .transformRequests { $0.body = Data() }
            .transformResponses { $0.chunks = [HAR.Chunk(data: Data("removed".utf8))] }
        let loopback = try await shop.listen()
        let recorder = try MockServer(cassette: file, masking: masking)
        _ = try await recorder.text(order("ann@example.org", phone: 1, at: loopback.url))
        let replay = try MockServer(cassette: file, mode: .never, masking: masking)
        #expect(try await replay.text(order("ann@example.org", phone: 2, at: loopback.url)) == "removed")
    }
}
