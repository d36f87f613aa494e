import Foundation
import RESTClientHTTP
import MockTransport
import RESTClient
import Testing

@testable import items

/// What the command says and how it ends when a server answers so.
@Suite struct ComplaintTests {
    private func outcome(_ reply: Reply, _ arguments: String...) async throws -> Outcome {
        let server = MockServer { Route(.any) { reply } }
        var options = try OptionParser.parse(
            ["--retry", "0"] + arguments + ["https://api.example.com/v1/itmes"])
        options.talk = .normal
        return try await .of(options, server: server)
    }

    @Test(arguments: [
        (200, ExitCode.success), (204, .badList), (205, .badList), (304, .badList), (300, .redirection),
        (399, .redirection),
        (400, .clientError), (401, .clientError), (407, .clientError), (429, .clientError),
        (499, .clientError),
        (500, .serverError), (503, .serverError), (599, .serverError), (999, .failure),
    ])
    func `the status decides the code`(status: Int, code: ExitCode) async throws {
        let reply = Reply.json(["items": ["a"]], status: HTTPStatus(rawValue: status))
        #expect(try await outcome(reply).code == code)
    }

    @Test func `a wrong path is named, with what the server said`() async throws {
        let outcome = try await outcome(.text("no such collection", status: 404))
        #expect(
            outcome.messages == """
                items: HTTP 404 Not Found from https://api.example.com/v1/itmes
                  hint: check the path; the server said: "no such collection"

                """)
        #expect(outcome.output.isEmpty)
    }

    @Test func `what the server says is quoted, escaped and cut`() async throws {
        let outcome = try await outcome(
            .text("\u{1B}[2J\u{202E}" + String(repeating: "x", count: 500), status: 500))
        #expect(
            outcome.messages == """
                items: HTTP 500 Internal Server Error from https://api.example.com/v1/itmes
                  hint: the server said: "\\u001b[2J\\u202e\(String(repeating: "x", count: 195))…"

                """)
    }

    @Test func `a login page is known`() async throws {
        let outcome = try await outcome(.text("<!doctype html>\n<title>Sign in</title>", as: .html))
        #expect(outcome.code == .badList)
        #expect(
            outcome.messages == """
                items: the reply is HTML, not JSON (text/html, starts "<!doctype html>\\n<title>Sign in</title>")
                  hint: this looks like a login page; pass a token with --token-file

                """)
    }

    @Test func `a list elsewhere is suggested`() async throws {
        let outcome = try await outcome(.json(["concepts": ["a"], "total": 1]))
        #expect(outcome.code == .badList)
        #expect(
            outcome.messages == """
                items: expected a list at "items", found "concepts", "total"
                  hint: "concepts" is a list; try --at concepts

                """)
        #expect(
            try await self.outcome(.json(["concepts": ["a"], "total": 1]), "--at", "concepts").output == "a\n"
        )
    }

    @Test(arguments: [
        (#"{"it's a": [1]}"#, #"try --at 'it'\''s a'"#),
        (#"{"data": {"a.b": [1]}}"#, #"try --at 'data.a\.b'"#),
        (#"["a"]"#, "the document is a list; try --at ."), ("{\"\u{202E}\": [1]}", #""\u202e" is a list"#),
    ])
    func `the suggestion is safe to paste`(body: String, hint: String) async throws {
        let outcome = try await outcome(.data(Data(body.utf8), as: .json))
        #expect(outcome.messages.hasSuffix("\(hint)\n"), "\(outcome.messages)")
    }

    @Test(arguments: [
        ("", "is empty, not JSON"), ("GARBAGE", "is not JSON (application/json, starts \"GARBAGE\")"),
        (#"{"items": ["a", "b"#, "ended early at byte 18, inside item 2"),
        (#"{"items": ["a",]}"#, "is not valid JSON at byte 15 ($.items[1]): "),
        (#"{"items": null}"#, "found null"),
        (#"{"items": ["a"]} x"#, "is not valid JSON at byte 17"),
        ("{}", "expected a list at \"items\", found "),
    ])
    func `what is no list, or not all of one, says where`(body: String, message: String) async throws {
        let outcome = try await outcome(.data(Data(body.utf8), as: .json))
        #expect(outcome.code == .badList)
        #expect(outcome.messages.contains(message), "\(outcome.messages)")
    }

    @Test func `items that are out are not called the list`() async throws {
        let outcome = try await outcome(.data(Data(#"{"items": ["a", "b", tea]}"#.utf8), as: .json))
        #expect(outcome.output == "a\nb\n")
        #expect(outcome.messages.contains("; the 2 items printed are not the whole list\n"))
        let one = try await self.outcome(.data(Data(#"{"items": ["a", }"#.utf8), as: .json), "--json")
        #expect(one.output == "[\n\"a\"\n")
        #expect(one.messages.contains("; the item printed is not the whole list\n"))
        let count = try await self.outcome(.data(Data(#"{"items": ["a", }"#.utf8), as: .json), "--count")
        #expect(count.output == "")
        #expect(!count.messages.contains("printed"))
    }

    @Test(arguments: [
        (URLError(.cannotFindHost), ExitCode.noConnection), (URLError(.cannotConnectToHost), .noConnection),
        (URLError(.networkConnectionLost), .noConnection), (URLError(.badServerResponse), .noConnection),
        (URLError(.serverCertificateUntrusted), .noConnection), (URLError(.timedOut), .timedOut),
    ])
    func `no answer at all ends with its own code`(error: URLError, code: ExitCode) async throws {
        #expect(try await outcome(.error(error)).code == code)
    }

    @Test(arguments: [
        "file:///etc/passwd", "ftp://host/", "javascript:alert(1)", "http://api.example.com/", "//u:p@host/",
    ])
    func `a redirect that must not be followed is refused`(target: String) async throws {
        let outcome = try await outcome(.redirect(to: target))
        #expect(outcome.code == .redirectRefused)
        #expect(
            outcome.messages.hasPrefix("items: refused redirect from https://api.example.com/v1/itmes to "))
    }

    @Test func `a redirect that would drop encryption is refused in these words`() async throws {
        let outcome = try await outcome(.redirect(to: "http://b.example"))
        #expect(
            outcome.messages == """
                items: refused redirect from https://api.example.com/v1/itmes to http://b.example: the redirect would drop encryption

                """)
    }

    @Test func `a list that ends early says how far it got`() async throws {
        let items = (1...4101).map { "\"tea \($0)\"" }
        let body = "{\"items\": [" + items.joined(separator: ",") + ",\"tea"
        let outcome = try await outcome(.data(Data(body.utf8), as: .json))
        #expect(outcome.code == .badList)
        #expect(
            outcome.messages == """
                items: the reply ended early at byte \(body.utf8.count.grouped), inside item 4,102; the 4,101 items printed are not the whole list
                  hint: use --atomic to print nothing unless the list is complete

                """)
    }

    @Test func `a server that wants to be left alone is heard`() async throws {
        let outcome = try await outcome(.text("too fast", status: 429).header(.retryAfter, "3600"))
        #expect(
            outcome.messages == """
                items: HTTP 429 Too Many Requests from https://api.example.com/v1/itmes
                  hint: come again in 3600 s (Retry-After); the server said: "too fast"

                """)
    }

    @Test func `a redirect in a circle ends`() async throws {
        #expect(try await outcome(.redirect(to: "/v1/itmes")).code == .redirectRefused)
    }

    @Test func `the deadline counts, and says how to move it`() async throws {
        let outcome = try await outcome(.status(200).delay(.seconds(60)), "--max-time", "0.05")
        #expect(outcome.code == .timedOut)
        #expect(
            outcome.messages == """
                items: timed out in total: GET https://api.example.com/v1/itmes
                  hint: give it longer with --max-time

                """)
    }

    @Test func `numbers are grouped`() {
        #expect(
            [0, 999, 1000, 65_536, 1_000_000, -1234].map(\.grouped) == [
                "0", "999", "1,000", "65,536", "1,000,000", "-1,234",
            ])
    }
}
