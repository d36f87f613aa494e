import Foundation
import MockTransport
@testable import RESTClient
import RESTClientHTTP
import Testing

@testable import items

/// Messages and exit codes for responses of a server.
@Suite struct CommandErrorTests {
    private func outcome(_ reply: Reply, _ arguments: String...) async throws -> Outcome {
        let server = MockServer { Route(.any) { reply } }
        return try await .of(
            ["--retry", "0"] + arguments + ["https://api.example.com/v1/itmes"], server: server)
    }

    @Test(arguments: [
        (200, ExitCode.success), (204, .badList), (205, .badList), (304, .badList), (300, .redirection),
        (399, .redirection), (400, .clientError), (401, .clientError), (407, .clientError),
        (429, .clientError), (499, .clientError), (500, .serverError), (503, .serverError),
        (599, .serverError), (999, .failure),
    ])
    func `the status determines the exit code`(status: Int, code: ExitCode) async throws {
        let reply = Reply.json(["items": ["a"]], status: HTTPStatus(rawValue: status))
        #expect(try await outcome(reply).code == code)
    }

    @Test func `the server's text is quoted, escaped and truncated`() async throws {
        let outcome = try await outcome(
            .text("\u{1B}[2J\u{202E}" + String(repeating: "x", count: 500), status: 500))
        #expect(
            outcome.messages == """
                items: HTTP 500 Internal Server Error: GET https://api.example.com/v1/itmes
                  hint: try again later; message of the server: "\\u001b[2J\\u202e\(String(repeating: "x", count: 195))…"

                """)
    }

    @Test(arguments: [
        (#"{"it's a": [1]}"#, #"try --at 'it'\''s a'"#),
        (#"{"data": {"a.b": [1]}}"#, #"try --at 'data.a\.b'"#),
        ("{\"\u{202E}\": [1]}", #""\u202e" is a list"#),
    ])
    func `a suggested path is quoted for the shell`(body: String, hint: String) async throws {
        let outcome = try await outcome(.data(Data(body.utf8), as: .json))
        #expect(outcome.messages.hasSuffix("\(hint)\n"), "\(outcome.messages)")
    }

    @Test func `the message of an incomplete list counts the printed items`() async throws {
        let outcome = try await outcome(.data(Data(#"{"items": ["a", "b", tea]}"#.utf8), as: .json))
        #expect(outcome.output == "a\nb\n")
        #expect(outcome.messages.contains(" (2 items printed)\n"))
        let one = try await self.outcome(.data(Data(#"{"items": ["a", }"#.utf8), as: .json), "--json")
        #expect(one.output == "[\n\"a\"\n")
        #expect(one.messages.contains(" (1 item printed)\n"))
        let count = try await self.outcome(.data(Data(#"{"items": ["a", }"#.utf8), as: .json), "--count")
        #expect(count.output == "")
        #expect(!count.messages.contains("printed"))
    }

    @Test(arguments: [
        (URLError(.cannotFindHost), ExitCode.noConnection), (URLError(.cannotConnectToHost), .noConnection),
        (URLError(.networkConnectionLost), .noConnection), (URLError(.badServerResponse), .noConnection),
        (URLError(.serverCertificateUntrusted), .noConnection), (URLError(.timedOut), .timedOut),
    ])
    func `a connection error ends with its exit code`(error: URLError, code: ExitCode) async throws {
        #expect(try await outcome(.error(error)).code == code)
    }

    @Test(arguments: ["", "xyzzy", "[0]", "<html>", "404 timed out: $.items[0]", #"{"items":[1]}"#])
    func `the text of a server changes neither the exit code nor the hint`(text: String) async throws {
        let outcome = try await outcome(.text(text, status: 500))
        #expect(outcome.code == .serverError)
        #expect(outcome.messages.contains("\n  hint: try again later"))
    }

    @Test(arguments: [("{", ""), (#"{"a": "#, ""), (#"{"items": ["a"#, ", inside item 1")])
    func `a list that ends early has an item in its message only inside one`(
        body: String, place: String
    ) async throws {
        let outcome = try await Outcome.of("-", input: body)
        let message = "standard input ended early at byte \(body.utf8.count)\(place)\n"
        #expect(outcome.messages == "items: \(message)")
    }

    @Test func `numbers are grouped by thousands`() {
        #expect(
            [0, 999, 1000, 65_536, 1_000_000, -1234].map(\.groupedText) == [
                "0", "999", "1,000", "65,536", "1,000,000", "-1,234",
            ])
    }
}

/// Exit codes of all kinds of errors. The errors are created without a response or text.
@Suite struct ErrorKindTests {
    private typealias Kind = RESTClientError.Kind

    private static let cases: [(kind: Kind, code: ExitCode)] = [
        (.invalidRequest(.missingHost), .usage),
        (.shutDown, .failure),
        (.connection(.hostNotFound), .noConnection),
        (.connection(.reset), .noConnection),
        (.timedOut(.idle), .timedOut),
        (.timedOut(.connect), .timedOut),
        (.timedOut(.total), .timedOut),
        (.redirect(.tooMany(max: 1, to: "/")), .redirectRefused),
        (.redirect(.refused(.insecure, to: "http://a.example")), .redirectRefused),
        (.status(302), .redirection),
        (.status(304), .badList),
        (.status(401), .clientError),
        (.status(403), .clientError),
        (.status(404), .clientError),
        (.status(410), .clientError),
        (.status(500), .serverError),
        (.status(999), .failure),
        (.authentication(.refreshFailed), .failure),
        (.invalidResponse(.notHTTP), .badList),
        (.incompleteBody(received: 1, expected: 2), .badList),
        (.notJSON(found: "x"), .badList),
        (.notJSON(found: "x", isHTML: true), .badList),
        (.malformedJSON(offset: 1, path: "$", .leadingZero), .badList),
        (.wrongShape(path: "items", expected: .list, found: .null), .badList),
        (.incompleteList("x"), .badList),
        (.pagination(.missingNext), .badList),
        (.pagination(.nextRequiresMethod(in: "links.next")), .badList),
        (.pagination(.numberInsteadOfURL(in: "next")), .badList),
        (.pagination(.unknownToken(in: "next", "a")), .badList),
        (.pagination(.unknownNext(in: "next", "{}")), .badList),
        (.pagination(.incompleteTotal(received: 1, total: 2)), .badList),
        (.pagination(.memberMayBeTooLarge("next")), .badList),
        (.pagination(.partialContent(range: "")), .badList),
        (.pagination(.emptyNumberedPage(2, count: 2)), .badList),
        (.limit(.pages(1)), .limit),
        (.limit(.listingBytes(1)), .limit),
        (.limit(.itemBytes(1, path: "$.items[0]")), .limit),
        (.limit(.bodyBytes(1)), .limit),
        (.file(path: "/tmp/x", .system(.write, errno: ENOSPC)), .failure),
    ]

    @Test(arguments: cases.indices)
    func `the kind of an error determines its exit code`(index: Int) throws {
        let (kind, code) = Self.cases[index]
        let request = URLRequest(url: try #require(URL(string: "https://api.example.com/")))
        #expect(CommandError(RESTClientError(kind, request)).code == code)
    }

    /// Fails to compile without a case for each kind.
    @Test func `all kinds of errors have an exit code test`() {
        let numbers = Self.cases.map { item in
            switch item.kind {
            case .invalidRequest: 0
            case .shutDown: 1
            case .connection: 2
            case .timedOut: 3
            case .redirect: 4
            case .status: 5
            case .authentication: 6
            case .invalidResponse: 7
            case .incompleteBody: 8
            case .notJSON: 9
            case .malformedJSON: 10
            case .wrongShape: 11
            case .pagination: 12
            case .limit: 13
            case .file: 14
            case .incompleteList: 15
            }
        }
        #expect(Set(numbers) == Set(0...15))
    }

}
