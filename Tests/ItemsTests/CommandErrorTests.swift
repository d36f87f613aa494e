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

    /// The other kinds are in the table of messages.
    @Test(
        arguments: [
            .shutDown, .authentication(.refreshFailed), .file(path: "/tmp/x", .system(.write, errno: ENOSPC)),
        ] as [RESTClientError.Kind])
    func `a kind of error that no server causes ends with 1`(kind: RESTClientError.Kind) {
        #expect(CommandError(RESTClientError(kind)).code == .failure)
    }
}
