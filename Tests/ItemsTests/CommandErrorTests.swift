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
        var options = try OptionParser.parse(
            ["--retry", "0"] + arguments + ["https://api.example.com/v1/itmes"])
        options.verbosity = .normal
        return try await .of(options, server: server)
    }

    @Test(arguments: [
        (200, ExitCode.success), (204, .badList), (205, .badList), (304, .badList), (300, .redirection),
        (399, .redirection),
        (400, .clientError), (401, .clientError), (407, .clientError), (429, .clientError),
        (499, .clientError),
        (500, .serverError), (503, .serverError), (599, .serverError), (999, .failure),
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

    @Test func `a list at another path is suggested`() async throws {
        let outcome = try await outcome(.json(["concepts": ["a"], "total": 1]))
        #expect(outcome.code == .badList)
        #expect(
            outcome.messages == """
                items: expected a list at "items", found "concepts", "total": GET https://api.example.com/v1/itmes
                  hint: "concepts" is a list; try --at concepts

                """)
        #expect(
            try await self.outcome(.json(["concepts": ["a"], "total": 1]), "--at", "concepts").output == "a\n"
        )
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

    @Test(arguments: [
        ("", "is empty, not JSON"), ("GARBAGE", "is not JSON (application/json, starts \"GARBAGE\")"),
        (#"{"items": ["a", "b"#, "ended early at byte 18, inside item 2"),
        (#"{"items": ["a",]}"#, "is not valid JSON at byte 15 ($.items[1]): "),
        (#"{"items": ["a"]} x"#, "is not valid JSON at byte 17"),
        ("{}", "expected a list at \"items\", found "),
    ])
    func `an invalid or incomplete list is reported with its position`(
        body: String, message: String
    ) async throws {
        let outcome = try await outcome(.data(Data(body.utf8), as: .json))
        #expect(outcome.code == .badList)
        #expect(outcome.messages.contains(message), "\(outcome.messages)")
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

    @Test(arguments: [
        "file:///etc/passwd", "ftp://host/", "javascript:alert(1)", "http://api.example.com/", "//u:p@host/",
    ])
    func `an unsafe redirect is refused`(target: String) async throws {
        let outcome = try await outcome(.redirect(to: target))
        #expect(outcome.code == .redirectRefused)
        #expect(
            outcome.messages.hasPrefix("items: refused redirect from https://api.example.com/v1/itmes to "))
    }

    @Test func `an incomplete list is reported with byte, item and printed count`() async throws {
        let items = (1...4101).map { "\"tea \($0)\"" }
        let body = "{\"items\": [" + items.joined(separator: ",") + ",\"tea"
        let outcome = try await outcome(.data(Data(body.utf8), as: .json))
        #expect(outcome.code == .badList)
        #expect(
            outcome.messages == """
                items: the response ended early at byte \(body.utf8.count.groupedText), inside item 4,102: GET https://api.example.com/v1/itmes (4,101 items printed)
                  hint: the response was cut off; try again later

                """)
    }

    @Test func `the Retry-After of a 429 is part of the hint`() async throws {
        let outcome = try await outcome(.text("too fast", status: 429).header(.retryAfter, "3600"))
        #expect(
            outcome.messages == """
                items: HTTP 429 Too Many Requests: GET https://api.example.com/v1/itmes
                  hint: the server allows a retry after 60 min; message of the server: "too fast"

                """)
    }

    @Test func `a redirect loop ends with its exit code`() async throws {
        #expect(try await outcome(.redirect(to: "/v1/itmes")).code == .redirectRefused)
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
        #expect(CommandError(try error(kind)).code == code)
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

    @Test(arguments: cases.indices)
    func `exit code and hint of an error do not depend on the texts in it`(index: Int) throws {
        let kind = Self.cases[index].kind
        let error = CommandError(try error(kind))
        for nonsense in ["", "xyzzy", "[0]", "<html>", "404 timed out: $.items[0]"] {
            let changed = CommandError(try self.error(kind.replacingTexts(with: nonsense)))
            #expect(changed.code == error.code, "\(nonsense)")
            // The convention in a hint has the path of the token.
            let hints = [changed, error].map { $0.hint?.replacing(#/--pagination .*/#, with: "") }
            #expect(hints[0] == hints[1], "\(nonsense)")
        }
    }

    @Test(
        arguments: [
            (.notJSON(found: "x"), .badList, false), (.notJSON(found: "x", isHTML: true), .badList, true),
            (.malformed(.leadingZero), .badList, false), (.incomplete, .badList, false),
            (.malformed(.tooDeep(limit: 1)), .badList, false), (.itemTooLarge(limit: 1), .limit, true),
            (.wrongShape(path: "x", expected: .list, found: .null, lists: []), .badList, true),
            (.wrongShape(path: "x", expected: .list, found: .null, lists: ["y"]), .badList, true),
        ] as [(ListScanner.Failure.Reason, ExitCode, Bool)])
    func `exit code and hint of an invalid file do not depend on the texts in it`(
        reason: ListScanner.Failure.Reason, code: ExitCode, hasHint: Bool
    ) {
        func error(_ reason: ListScanner.Failure.Reason, at path: String) -> CommandError {
            let failure = ListScanner.Failure(reason: reason, offset: 1, path: path, itemCount: 0)
            return CommandError(failure, in: "list.json")
        }
        let original = error(reason, at: "$")
        #expect(original.code == code)
        #expect((original.hint != nil) == hasHint)
        for nonsense in ["", "xyzzy", "[0]", "<html>"] {
            let changed = error(reason.replacingTexts(with: nonsense), at: nonsense)
            #expect(changed.code == code, "\(nonsense)")
            #expect(changed.hint == original.hint, "\(nonsense)")
            #expect(!changed.message.contains("inside item"))
        }
    }

    @Test(arguments: [true, false])
    func `the item of an incomplete list does not depend on the text of the path`(isAtElement: Bool) {
        for path in ["$.items[0]", "$", ""] {
            let failure = ListScanner.Failure(
                reason: .incomplete, offset: 1, path: path, itemCount: 0, isAtElement: isAtElement)
            let error = CommandError(failure, in: "list.json")
            #expect(
                error.message == "list.json ended early at byte 1" + (isAtElement ? ", inside item 1" : ""))
        }
    }

    private func error(_ kind: Kind) throws -> RESTClientError {
        RESTClientError(kind, URLRequest(url: try #require(URL(string: "https://api.example.com/"))))
    }
}

extension RESTClientError.Kind {
    /// Replaces each text that comes from a server, the platform or the caller.
    fileprivate func replacingTexts(with text: String) -> Self {
        switch self {
        case .invalidRequest: .invalidRequest(.rejected(text))
        case .redirect(.tooMany(let max, _)): .redirect(.tooMany(max: max, to: text))
        case .redirect(.refused(let reason, _)): .redirect(.refused(reason, to: text))
        case .invalidResponse: .invalidResponse(.unparsable(text))
        case .notJSON(_, let isHTML): .notJSON(found: text, isHTML: isHTML)
        case .malformedJSON(let offset, _, let error): .malformedJSON(offset: offset, path: text, error)
        case .wrongShape(_, let expected, _):
            .wrongShape(path: text, expected: expected, found: .described(text))
        case .incompleteList: .incompleteList(text)
        case .pagination(let failure): .pagination(failure.replacingTexts(with: text))
        case .limit(.itemBytes(let limit, _)): .limit(.itemBytes(limit, path: text))
        case .file(_, let failure): .file(path: text, failure)
        // No text.
        case .shutDown, .connection, .timedOut, .status, .authentication, .incompleteBody, .limit: self
        }
    }
}

extension RESTClientError.PaginationFailure {
    fileprivate func replacingTexts(with text: String) -> Self {
        let member = MemberPath(names: [text])
        return switch self {
        case .nextRequiresMethod: .nextRequiresMethod(in: member)
        case .numberInsteadOfURL: .numberInsteadOfURL(in: member)
        case .unknownToken: .unknownToken(in: member, text)
        case .unknownNext: .unknownNext(in: member, text)
        case .memberMayBeTooLarge: .memberMayBeTooLarge(member)
        case .partialContent: .partialContent(range: text)
        default: self
        }
    }
}

extension ListScanner.Failure.Reason {
    /// Replaces each text that comes from the document, except for the lists that a hint names.
    fileprivate func replacingTexts(with text: String) -> Self {
        switch self {
        case .notJSON(_, let isHTML): .notJSON(found: text, isHTML: isHTML)
        case .wrongShape(_, let expected, _, let lists):
            .wrongShape(
                path: MemberPath(names: [text]), expected: expected, found: .described(text), lists: lists)
        case .malformed, .incomplete, .itemTooLarge: self
        }
    }
}
