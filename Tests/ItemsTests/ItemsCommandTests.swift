import Foundation
import RESTClientHTTP
import MockTransport
import RESTClientTestingSupport
import Testing

@testable import items

@Suite struct ItemsCommandTests {
    @Test(arguments: [([], ""), (["--json"], "[]\n"), (["--count"], "0\n")])
    func `--limit 0 sends no request`(arguments: [String], output: String) async throws {
        let server = MockServer { Route(.any) { Reply.status(500) } }
        let outcome = try await Outcome.of(
            arguments + ["--limit", "0", "http://shop.example/"], server: server)
        #expect(outcome.code == .success)
        #expect(outcome.output == output)
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: [
        (#"{"items": ["a", 1]}"#, "items", "a\n1\n"), (#"["a"]"#, ".", "a\n"),
        (#"{"a": {"b": ["c"]}}"#, "a.b", "c\n"),
        (#"{"a.b": ["c"]}"#, #"a\.b"#, "c\n"), (#" {"items" : [ ] } "#, "items", ""),
    ])
    func `standard input is listed at any path`(
        json: String, path: String, output: String
    ) async throws {
        let outcome = try await Outcome.of("--at", path, "-", input: json)
        #expect(outcome.code == .success)
        #expect(outcome.output == output)
    }

    @Test func `the name of an unreadable file is escaped`() async throws {
        let missing = try await Outcome.of("/no/such\u{1B}/file.json")
        #expect(missing.code == .noInput)
        #expect(
            missing.messages == "items: cannot read /no/such\\u001b/file.json: No such file or directory\n")
    }

    @Test func `an item is printed before the next chunk of the response arrives`() async throws {
        let pieces = AsyncStream.makeStream(of: Data.self)
        let server = MockServer { Route(.get, "/teas") { Reply.stream(pieces.stream, as: .json) } }
        let lines = try Pipe.lines()
        let run = Task {
            let code = await Main.run(
                ["http://shop.example/teas"],
                environment: Environment(
                    output: lines.writing,
                    interruption: {
                        try? await Task.sleep(for: .seconds(86_400))
                        return .interrupted
                    },
                    configuration: { server.configuration }, writeMessage: { _ in }))
            close(lines.writing)
            return code
        }
        // Many items at once, then one at a time.
        let names = (0..<3000).map { "tea \($0)" } + ["Assam", "Sencha", "Genmaicha"]
        let first = names.dropLast(3).map { "\"\($0)\"" }.joined(separator: ",")
        pieces.continuation.yield(Data("{\"items\": [\(first)".utf8))
        var read: [String] = []
        for try await line in lines.text {
            read.append(line)
            guard read.count >= names.count - 3 else { continue }
            if read.count < names.count {
                pieces.continuation.yield(Data(",\"\(names[read.count])\"".utf8))
            } else {
                pieces.continuation.yield(Data("]}".utf8))
                pieces.continuation.finish()
            }
        }
        #expect(read == names)
        #expect(await run.value == .success)
    }

    @Test(
        arguments: [
            (30, "", [], true, true), (100, "", [], true, true), (31, "", [], true, false),
            (30, "", [], false, false), (30, "", ["-q"], true, false),
            (30, "", ["--pagination", "none"], true, false),
            (30, "<https://shop.example/teas?page=1>; rel=last", [], true, false),
        ] as [(Int, String, [String], Bool, Bool)])
    func `a full bare array may be a first page, which the command notes on a terminal`(
        count: Int, link: String, options: [String], isInteractive: Bool, isNoted: Bool
    ) async throws {
        let teas = JSONLiteral.value((1...count).map { JSONLiteral.value("tea \($0)") })
        let server = MockServer {
            Route(.get, "/teas") { _ in
                let reply = Reply.json(teas)
                return link.isEmpty ? reply : reply.header(.link, link)
            }
        }
        let outcome = try await Outcome.of(
            ["--at", ".", "https://shop.example/teas"] + options, server: server, isInteractive: isInteractive
        )
        #expect(outcome.code == .success)
        #expect(outcome.output.split(separator: "\n").count == count)
        let message = """
            items: the response does not show whether the list has more than these \(count) items
              hint: if it has, name the parameter for the next page, for example --pagination page:page

            """
        #expect(outcome.messages == (isNoted ? message : ""))
    }

    @Test func `text after the last item of --limit is not parsed`() async throws {
        let outcome = try await Outcome.of("--limit", "1", "-", input: #"{"items": ["a", GARBAGE"#)
        #expect(outcome.code == .success)
        #expect(outcome.output == "a\n")
    }
}

@Suite struct SentRequestTests {
    private let server = MockServer { Route(.any) { Reply.json(["items": [String]()]) } }
    private let basic = "Basic \(Data("u:secret".utf8).base64EncodedString())"

    private func header(_ name: HTTPHeaders.Name, _ arguments: String...) async throws -> String? {
        let outcome = try await Outcome.of(arguments, server: server)
        #expect(outcome.code == .success, "\(outcome.messages)")
        return try #require(server.requests.last).headers[name]
    }

    @Test func `given headers replace the defaults`() async throws {
        #expect(try await header("X-A", "-HX-A: 1", "-HX-A: 2", "http://host/") == "1, 2")
        #expect(try await header("Accept", "http://host/") == "application/json, */*;q=0.1")
        #expect(try await header("Accept", "-HAccept: text/json", "http://host/") == "text/json")
        #expect(try await header("User-Agent", "http://host/") == "items/\(Version.current)")
        #expect(try await header("User-Agent", "-Huser-agent: me", "http://host/") == "me")
        #expect(try await header("X-Empty", "-HX-Empty;", "http://host/") == "")
    }

    @Test func `-u takes precedence over user info in the URL`() async throws {
        #expect(try await header("Authorization", "http://host/") == nil)
        #expect(try await header("Authorization", "-u", "u:secret", "http://host/") == basic)
        #expect(try await header("Authorization", "http://u:secret@host/") == basic)
        #expect(try await header("Authorization", "-uu:secret", "http://x:y@host/") == basic)
        #expect(try await header("Authorization", "-HAuthorization: mine", "-uu:p", "http://host/") == "mine")
        #expect(server.requests.allSatisfy { $0.url.absoluteString == "http://host/" })
    }

    @Test func `a missing password is prompted for`() async throws {
        let outcome = try await Outcome.of(
            "-u", "u", "http://host/", server: server, askPassword: { $0 == "u" ? "secret" : "wrong" })
        #expect(outcome.code == .success)
        #expect(server.requests.last?.headers[.authorization] == basic)
    }

    @Test func `a user name for a file is refused without a password prompt`() async throws {
        struct Asked: Error {}
        let outcome = try await Outcome.of(
            "-u", "u", "-", input: #"{"items": []}"#, askPassword: { _ in throw Asked() })
        #expect(outcome.code == .usage)
    }

    @Test(arguments: [
        ["-n"], ["-u", "u:secret"], ["-HAuthorization: Bearer secret"], ["-HCookie: secret"],
        ["-HX-Api-Key: secret"], ["--token-file", "$DIR/token"], [],
    ])
    func `a page at another origin gets no credential from any source`(options: [String]) async throws {
        let folder = try TemporaryDirectory()
        try Data("default login u password secret".utf8).write(to: URL(filePath: "\(folder.path)/netrc"))
        try Data("secret".utf8).write(to: URL(filePath: "\(folder.path)/token"))
        let server = MockServer {
            Route("https://a.example/", .query("page", "3")) { Reply.json(["items": ["c"]]) }
            Route("https://a.example/") { Reply.json(["items": ["a"], "next": "https://a.example:444/"]) }
            Route("https://a.example:444/") {
                Reply.json(["items": ["b"], "next": "https://a.example/?page=3"])
            }
        }
        let outcome = try await Outcome.of(
            options.map { $0.replacing("$DIR", with: folder.path) }
                + ["-q", "--allow-origin", "https://a.example:444", "https://a.example/"],
            server: server,
            variables: [
                "NETRC": "\(folder.path)/netrc", "ITEMS_URL": "https://a.example/",
                "ITEMS_TOKEN_FILE": "\(folder.path)/token",
            ])
        #expect(outcome.output == "a\nb\nc\n", "\(outcome.messages)")
        let hasSecret = server.requests.map { request in
            request.headers.contains { $0.value.contains("secret") || $0.value == basic }
        }
        #expect(hasSecret == [true, false, true])
    }

    @Test func `--verbose masks secrets`() async throws {
        let server = MockServer {
            Route("/a") { Reply.redirect(to: "/b?access_token=secret") }
            Route("/b") { Reply.json(["items": ["b"]]) }
        }
        let outcome = try await Outcome.of(
            "-v", "-HX-Api-Key: secret", "-HX-Plain: \u{9B}2J", "http://u:secret@host/a?token=secret",
            server: server)
        #expect(outcome.output == "b\n")
        #expect(!outcome.messages.contains("secret"))
        for line in [
            "GET http://host/a?token=***", "  Authorization: ***", "  X-Api-Key: ***",
            #"  X-Plain: \u009b2J"#,
            "302 Found", "redirected to http://host/b?access_token=***", "GET http://host/b?access_token=***",
        ] {
            #expect(outcome.messages.contains("items: \(line)\n"), "\(outcome.messages)")
        }
    }

    @Test(arguments: ["-HHost: x", "-HContent-Length: 1", "-HTransfer-Encoding: chunked", "-Hbad name: x"])
    func `reserved and invalid headers are rejected`(header: String) async throws {
        let outcome = try await Outcome.of(header, "http://host/", server: server)
        #expect(outcome.code == .usage)
        #expect(server.requests.isEmpty)
    }
}
