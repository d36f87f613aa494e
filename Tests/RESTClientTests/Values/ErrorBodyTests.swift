import Foundation
import MockTransport
import Testing

@testable import RESTClient

/// The bodies of rejected responses, as data and as types of the user.
@Suite struct ErrorBodyTests {
    /// The error object of an API.
    private enum APIError: Error, Equatable, Decodable, LocalizedError {
        case outOfCredit(balance: Int)
        case other(code: String)

        private enum Key: CodingKey { case code, balance }

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: Key.self)
            switch try members.decode(String.self, forKey: .code) {
            case "out_of_credit": self = .outOfCredit(balance: try members.decode(Int.self, forKey: .balance))
            case let code: self = .other(code: code)
            }
        }

        var errorDescription: String? {
            if case .other(let code) = self { "the code \(code)" } else { "no credit" }
        }
    }

    private func failure(
        _ reply: Reply, _ options: RequestOptions = RequestOptions(), isStreamed: Bool = false
    ) async throws -> RESTClientError {
        let server = MockServer { Route(.any) { reply } }
        let manager = server.manager(options: options)
        let request = manager.request("https://shop.example/orders")
        return try await RESTClientTests.failure {
            if isStreamed { _ = try await request.stream() } else { try await request.response() }
        }
    }

    @Test(arguments: [true, false])
    func `an error body of 64 KB is kept, and a longer one is cut and marked`(isStreamed: Bool) async throws {
        for (count, expected) in [(65_536, 65_536), (65_537, 65_536)] {
            let reply = Reply.text(String(repeating: "x", count: count), status: 500)
            let error = try await failure(reply, isStreamed: isStreamed)
            #expect(error.response?.body.count == expected)
            #expect(error.isBodyTruncated == (count > 65_536))
        }
    }

    @Test func `an error has the status of its response, also if its body is the reason`() async throws {
        #expect(try await failure(.status(404)).status == 404)
        #expect(try await failure(.error(.timedOut)).status == nil)
        let server = MockServer { Route(.any) { Reply.text("tea", status: 203) } }
        let request = server.manager().request("https://shop.example/orders")
        let error = try await #require(throws: RESTClientError.self) { try await request.decode(Int.self) }
        #expect(error.status == 203)
    }

    private static let damagedBodies: [@Sendable () -> Reply] = [
        { .json(["message": "out of tea"], status: 500).fault(.close(.inBody(after: 26))) },
        { .text(String(repeating: "x", count: 2_000), status: 500) },
        { .text("out of tea", status: 500).fault(.stall(.inBody(after: 3))) },
        {
            .stream(
                AsyncThrowingStream { continuation in
                    continuation.yield(Data("out of tea".utf8))
                    continuation.finish(throwing: URLError(.cannotDecodeContentData))
                }, status: 500)
        },
    ]

    @Test(arguments: 0..<damagedBodies.count, [true, false])
    func `a status is kept if its body breaks off or cannot be decoded`(
        index: Int, isStreamed: Bool
    ) async throws {
        // It advances only while nothing else happens, so that just a stalled body times out.
        let clock = VirtualClock()
        let options = RequestOptions(maxBodyBytes: 1_000, maxStreamBytes: 1_000)
        let server = MockServer(clock: clock) { Route(.any) { _ in Self.damagedBodies[index]() } }
        let request = server.manager(options: options, clock: clock).request("https://shop.example/orders")
        let error = try await #require(throws: RESTClientError.self) {
            if isStreamed { _ = try await request.stream() } else { _ = try await request.response() }
        }
        #expect(error.kind == .status(500))
        #expect(error.message.hasPrefix("HTTP 500 Internal Server Error: GET https://shop.example/orders"))
        // A response that the caller accepts is not complete.
        let incomplete = try await #require(throws: RESTClientError.self) {
            try await request.validation(.none).response()
        }
        #expect(incomplete.kind != .status(500))
        #expect(incomplete.response?.status == 500, "\(incomplete)")
        #expect(server.requests.count == 2)
    }

    @Test(arguments: [
        (
            #"Bearer error="invalid_token", error_description="The token expired""#,
            "The token expired (invalid_token)"
        ),
        (#"Bearer realm="tea, error=1", error=insufficient_scope, scope="write""#, "insufficient_scope"),
        (#"Basic realm="tea""#, nil), (#"Bearer error="#, nil), ("", nil),
        (#"Bearer error_description="The token expired"#, nil),
    ])
    func `the words of a challenge are those of the server`(challenge: String, words: String?) async throws {
        let error = try await failure(.status(401).header(.wwwAuthenticate, challenge))
        #expect(error.serverMessage == words.map { "\"\($0)\"" })
        #expect(
            error.hint == "the request requires a valid credential"
                + (words.map { "; message of the server: \"\($0)\"" } ?? ""))
        let denied = Reply.json(["message": "Denied"], status: 401).header(.wwwAuthenticate, challenge)
        let both = try await failure(denied).serverMessage
        #expect(both == "\"Denied\(words.map { "; \($0)" } ?? "")\"")
    }

    @Test func `an error body decodes to a type of the user`() async throws {
        let error = try await failure(.json(["code": "out_of_credit", "balance": 30], status: 402))
        #expect(try error.decode(APIError.self) == .outOfCredit(balance: 30))
        #expect(error.underlying == nil)
        #expect(throws: RESTClientError.self) { try error.decode([Int].self) }
        let withoutResponse = RESTClientError(.timedOut(.idle))
        #expect(throws: RESTClientError.self) { try withoutResponse.decode(APIError.self) }
    }

    @Test func `an error body is decoded with the decoder of the request`() async throws {
        struct Problem: Decodable, Error { var errorCode: Int }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let options = RequestOptions(decoder: decoder, errorType: Problem.self)
        let error = try await failure(.json(["error_code": 7], status: 400), options)
        #expect(try error.decode(Problem.self).errorCode == 7)
        #expect((error.underlying as? Problem)?.errorCode == 7)
    }

    @Test func `a session has a type for error bodies`() async throws {
        let options = RequestOptions(errorType: APIError.self)
        let error = try await failure(.json(["code": "sold_out"], status: 409), options)
        #expect(error.kind == .status(409))
        #expect(error.underlying as? APIError == .other(code: "sold_out"))
        #expect(error.hint == #"message of the server: "the code sold_out""#)
        let html = try await failure(.text("<html>", status: 409), options)
        #expect(html.kind == .status(409))
        #expect(html.underlying == nil)
    }

    @Test func `the type of error bodies receives secrets, which are masked in texts`() async throws {
        struct Problem: Decodable, LocalizedError {
            var resetToken: String
            var errorDescription: String? { "use \(resetToken) once" }
        }
        let options = RequestOptions(errorType: Problem.self)
        let secret = "abc123def456"
        let error = try await failure(.json(["resetToken": .value(secret)], status: 409), options)
        #expect((error.underlying as? Problem)?.resetToken == secret)
        #expect(error.serverMessage == #""use *** once""#)
        var dumped = ""
        dump(error, to: &dumped)
        #expect(!"\(error) \(error.localizedDescription) \(dumped)".contains(secret))
        #expect(dumped.contains("Problem") && dumped.contains("409"))
    }

    @Test(
        arguments: [
            (Data([0x7B, 0x22, 0xFC]), "application/json", Data([0x7B, 0x22, 0xFC])),
            (Data([0x89, 0x50, 0x4E, 0x47, 0]), "image/png", Data([0x89, 0x50, 0x4E, 0x47, 0])),
            (
                Data("{\"n\":\"\".".utf8) + Data([0xFC]) + Data("\",\"token\":\"s3cr3t-7\"}".utf8),
                "application/json",
                Data("{\"n\":\"\".".utf8) + Data([0xFC]) + Data("\",\"token\":\"***\"}".utf8)
            ),
            (
                Data("{\"token\":\"s3cr3t-7\"}".utf8.flatMap { [$0, 0] }), "application/json",
                Data("{\"token\":\"***\"}".utf8.flatMap { [$0, 0] })
            ),
            (
                Data([0x1F, 0x8B, 8, 0, 0xFF]), "text/plain",
                Data("(The body was left out: it cannot be searched for secrets.)".utf8)
            ),
        ] as [(Data, String, Data)])
    func `an error body of any encoding has no secrets, and otherwise the same bytes`(
        body: Data, type: String, shown: Data
    ) async throws {
        let error = try await failure(.data(body, as: MediaType(rawValue: type), status: 409))
        #expect(error.response?.body == shown)
        #expect(error.serverMessage?.contains("left out") != true)
    }

    @Test func `an error body that was cut cannot be decoded, which is named`() async throws {
        struct Problem: Decodable, Error { var text: String }
        let long = String(repeating: "x", count: 70_000)
        let options = RequestOptions(errorType: Problem.self)
        let error = try await failure(.json(["text": .value(long)], status: 500), options)
        #expect((error.underlying as? Problem)?.text.count == 70_000)
        let cut = try #require(throws: RESTClientError.self) { try error.decode(Problem.self) }
        #expect(cut.kind == .limit(.errorBodyBytes(65_536)))
        #expect(cut.failure == "limit exceeded: the body is larger than the 65,536 bytes that an error keeps")
        #expect(cut.hint == nil)
    }

    @Test func `JSON that ends early in a complete body is malformed`() async throws {
        let error = try await failure(.text(#"{"items":["a","#, as: .json)) {
            try await $0.decode([String].self)
        }
        #expect(error.kind == .malformedJSON(offset: 14, path: "$.items", .unexpectedEnd))
        #expect(error.isDecodingFailure && !error.isTransportFailure)
        let list = try await failure(.text(#"{"items":["a","#, as: .json)) {
            try await MyRESTClient($0).getAvailableItems()
        }
        #expect(list.kind == .malformedJSON(offset: 14, path: "$.items[1]", .unexpectedEnd))
    }

    @Test(
        arguments: [([.contentLength: "5"], true), ([.transferEncoding: "chunked"], true), ([:], false)]
            as [(HTTPHeaders, Bool)])
    func `only a length or chunks show that a body is complete`(headers: HTTPHeaders, isComplete: Bool) throws
    {
        let url = try #require(URL(string: "https://shop.example/items"))
        let response = DataResponse(
            to: URLRequest(url: url), status: 200, headers: headers, body: Data(#"{"a":"#.utf8))
        let error = try #require(throws: RESTClientError.self) { try response.decode([String: Int].self) }
        #expect(error.isDecodingFailure == isComplete)
        #expect(error.isTransportFailure == !isComplete)
    }

    @Test func `a body that breaks off is a transport failure`() async throws {
        let reply = Reply.text(#"{"items":["a","b"]}"#, as: .json).fault(.close(.inBody(after: 13)))
        let error = try await failure(reply) { try await MyRESTClient($0).getAvailableItems() }
        guard case .incompleteBody = error.kind else { throw error }
        #expect(!error.isDecodingFailure && error.isTransportFailure)
    }

    private func failure<T>(
        _ reply: Reply, _ send: (DataRequest) async throws -> T
    ) async throws -> RESTClientError {
        let server = MockServer { Route(.any) { reply } }
        let manager = server.manager()
        return try await RESTClientTests.failure {
            _ = try await send(manager.request("https://shop.example/items"))
        }
    }
}
