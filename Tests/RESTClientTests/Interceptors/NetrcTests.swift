import Foundation
import MockTransport
import Testing

@testable import RESTClient

@Suite struct NetrcTests {
    private static func basic(_ user: String, _ password: String) -> Credential {
        .basic(user: user, password: password)
    }

    @Test(arguments: [
        "Machine shop.example LOGIN u Password p", "machine shop.example login u password p",
        "machine shop.example\n\tlogin u\n\tpassword p\n", "machine shop.example password p login u",
        "MACHINE x machine shop.example login u password p",
        "# machine shop.example login no password no\nmachine shop.example login u password p",
        "machine shop.example login u account a password p",
        "machine shop.example login \"u\" password \"p\"", "machine shop.example login u password p\r\n",
        "machine Shop.Example login u password p",
        "machine other login x password y machine shop.example login u password p",
        "machine shop.example login u password p machine shop.example login x password y",
        "machine shop.example\nmachine shop.example login u password p",
        "macdef init\ncd /\nmachine shop.example login no password no\n\nmachine shop.example login u password p",
        "default login u password p", "machine other login x password y default login u password p",
        "machine shop.example login u password p default login x password y",
        // An entry after the default one is not read.
        "default login u password p machine shop.example login x password y",
        "default login u password p default login x password y",
        "default machine shop.example login u password p",
        "machine shop.example login u #x\npassword p",
        // An entry without a password is used only if there is no other.
        "machine shop.example login x default login u password p",
        "machine shop.example login x machine shop.example login u password p",
        // An entry ends with its second word.
        "machine shop.example login u password p password x login y",
        "machine x macdef m\na\n\nmachine shop.example login u password p",
        "machine shop.example unknown login u password p", "port 80 machine shop.example login u password p",
    ])
    func `a netrc file is read with curl's rules`(text: String) throws {
        #expect(try Netrc(text).credential(for: "SHOP.example") == Self.basic("u", "p"))
    }

    @Test(arguments: [
        ("login u password #1", "u", ""), ("login u password a#1", "u", "a#1"),
        ("login u\u{A0} password p\u{2028}", "u\u{A0}", "p\u{2028}"),
        (#"login "a b" password "p\"\\\n\t\r\x""#, "a b", "p\"\\\n\t\rx"),
        (#"login u password a"b"#, "u", #"a"b"#), ("login u password \"\"", "u", ""), ("login u", "u", ""),
        ("password p", "", "p"), ("login ü password π", "ü", "π"),
        ("login login password password", "login", "password"),
    ])
    func `quoted and unusual words are read`(rest: String, user: String, password: String) throws {
        #expect(try Netrc("machine h \(rest)").credential(for: "h") == Self.basic(user, password))
    }

    @Test(arguments: [
        "", " \n", "machine", "machine h", "login u password p", "machine other login u password p",
        "machine h login", "# all of it\n#", "macdef x\nmachine h login u password p", "macdef",
        "machine h.example login u password p", "default",
    ])
    func `a host without a netrc entry gets no credential`(text: String) throws {
        #expect(try Netrc(text).credential(for: "h") == nil)
    }

    @Test(arguments: [
        ("machine h\nlogin u\npassword \"hidden\n\n", 3, "a quote is not closed"),
        ("machine \"h", 1, "a quote is not closed"), ("machine h login \"u\\", 1, "a quote is not closed"),
        ("machine h\nlogin \u{0}u", 2, "a NUL character"), ("machine h login u\u{0}x", 1, "a NUL character"),
        ("machine h password \"p\n\u{0}\"", 2, "a NUL character"),
    ])
    func `an unclosed quote or a NUL is an error with the line number only`(
        text: String, line: Int, problem: String
    ) throws {
        let error = #expect(throws: NetrcError.self) { try Netrc(text) }
        #expect(error?.description == "line \(line): \(problem)")
    }

    @Test func `a password that is not UTF-8 is sent as its bytes`() throws {
        let text = Data("machine h login u password a".utf8) + [0xFF, 0xE9]
        let pair = Data("u:a".utf8) + [0xFF, 0xE9]
        #expect(try Netrc(text).credential(for: "h") == .basic(pair: pair))
    }

    @Test func `NETRC selects the netrc file, otherwise the home directory`() {
        #expect(Netrc.defaultFile(environment: ["NETRC": "/etc/n", "HOME": "/home/u"]).path == "/etc/n")
        #expect(Netrc.defaultFile(environment: ["NETRC": "", "HOME": "/home/u"]).path == "/home/u/.netrc")
        #expect(Netrc.defaultFile(environment: [:]).lastPathComponent == ".netrc")
    }

    // MARK: Through the manager

    private func withFile<R>(_ text: String, _ body: (URL) async throws -> R) async throws -> R {
        let file = FileManager.default.temporaryDirectory.appending(path: "netrc-\(UUID())")
        try Data(text.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try await body(file)
    }

    @Test func `each host gets its own netrc credential, also after a redirect`() async throws {
        let server = MockServer {
            Route(.get, "http://a.example/redirect") { Reply.redirect(to: "http://b.example/target") }
            Route(.any) { Reply.status(200) }
        }
        try await withFile("machine a.example login a password 1\nmachine b.example login b password 2") {
            file in
            let manager = server.manager(try .netrc(file))
            for url in [
                "http://a.example/", "https://b.example:8443/", "http://c.example/",
                "http://a.example/redirect",
            ] { _ = try await manager.request(try #require(URL(string: url))).response() }
            _ = try await manager.request("http://a.example/own", headers: [.authorization: "mine"])
                .response()
        }
        let pair = { (text: String) in "Basic \(Data(text.utf8).base64EncodedString())" }
        #expect(
            server.requests.map { $0.headers[.authorization] } == [
                pair("a:1"), pair("b:2"), nil, pair("a:1"), nil, "mine",
            ])
    }

    /// The entries and URLs of CVE-2024-11053, CVE-2025-0167 and CVE-2024-47081.
    @Test(arguments: [
        ("machine b.example login v", "http://a.example/first"),
        ("machine b.example", "http://a.example/first"),
        ("default", "http://a.example/first"), ("default login v", "http://a.example/first"),
        ("", "http://a.example:@b.example/"), ("", "http://a.example@b.example/"),
    ])
    func `the password of a netrc entry is sent to its host only`(rest: String, url: String) async throws {
        let server = MockServer {
            Route(.get, "http://a.example/first") { Reply.redirect(to: "http://b.example/") }.optional()
            Route(.any) { Reply.text("tea") }
        }
        try await withFile("machine a.example login u password secret\n\(rest)") { file in
            let manager = server.manager(try .netrc(file))
            #expect(try await manager.request(url).string() == "tea")
        }
        for request in server.requests {
            let credential = (request.headers[.authorization] ?? "").replacing("Basic ", with: "")
            let pair = String(decoding: Data(base64Encoded: credential) ?? Data(), as: UTF8.self)
            #expect(pair.hasSuffix(":secret") == (request.url.host() == "a.example"), "\(request)")
        }
        #expect(server.requests.last?.url.host() == "b.example")
    }

    @Test(arguments: ["default", "machine b.example", "machine a.example login u password p\ndefault"])
    func `a page at an allowed origin, which the server chooses, gets no netrc credential`(
        entry: String
    ) async throws {
        let server = MockServer {
            Route("http://a.example/items", .query("page", "3")) { Reply.json(["items": ["c"]]) }
            Route("http://a.example/items") {
                Reply.json(["items": ["a"], "next": "http://b.example/items"])
            }
            Route("http://b.example/items") {
                Reply.json(["items": ["b"], "next": "http://a.example/items?page=3"])
            }
        }
        var listing = ItemListing()
        listing.allowedOrigins = [try #require(URL(string: "http://b.example"))]
        try await withFile("\(entry) login u password p") { [listing] file in
            let manager = server.manager(try .netrc(file))
            let client = MyRESTClient(manager.request("http://a.example/items"), listing: listing)
            #expect(try await client.getAvailableItems(as: String.self) == ["a", "b", "c"])
        }
        let own = entry.hasPrefix("machine b") ? nil : Self.basic("u", "p").value
        #expect(server.requests.map { $0.headers[.authorization] } == [own, nil, own])
    }

    @Test func `an unreadable or invalid netrc file is an error that names the file`() async throws {
        #expect(throws: (any Error).self) {
            let _: Authenticator = try .netrc(URL(filePath: "/nowhere/at/all"))
        }
        try await withFile("machine h password \"hidden") { file in
            let error = #expect(throws: NetrcError.self) { let _: Authenticator = try .netrc(file) }
            #expect(error?.localizedDescription == "\(file.path), line 1: a quote is not closed")
        }
    }
}
