import Foundation
import MockTransport
import Testing

@testable import RESTClient

/// Decoders of other formats than JSON.
@Suite struct DataDecoderTests {
    private struct Tea: Codable, Equatable, Sendable { var name: String }

    /// A text of one line for each member, without an `Accept` header.
    private struct Lines: DataDecoder {
        var mediaType: MediaType? { nil }

        func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
            let pairs = String(decoding: data, as: UTF8.self).split(separator: "\n").map {
                $0.split(separator: "=").map(String.init)
            }
            let members = Dictionary(uniqueKeysWithValues: pairs.map { ($0[0], $0[1]) })
            return try JSONDecoder().decode(type, from: JSONEncoder().encode(members))
        }
    }

    private func propertyList(_ value: some Encodable) throws -> Reply {
        .data(try PropertyListEncoder().encode(value), as: "application/x-plist")
    }

    private func request(
        _ reply: Reply, _ decoder: any DataDecoder = JSONDecoder(), headers: HTTPHeaders = [:],
        errorType: (any (Error & Decodable).Type)? = nil, accept: String?
    ) async throws -> (request: DataRequest, server: MockServer) {
        let server = MockServer {
            Route(.any, accept.map { .header(.accept, $0) } ?? !.header(.accept, "application/json")) {
                reply
            }
        }
        let manager = server.manager(options: RequestOptions(decoder: decoder, errorType: errorType))
        return (manager.request("https://shop.example/tea", headers: headers), server)
    }

    @Test func `a property list is decoded by the decoder of a session or a call`() async throws {
        let reply = try propertyList(Tea(name: "sencha"))
        let type = "application/x-plist"
        let session = try await request(reply, PropertyListDecoder(), accept: type)
        #expect(try await session.request.decode(Tea.self) == Tea(name: "sencha"))
        #expect(try await session.request.response(as: Tea.self).body.name == "sencha")
        let call = try await request(reply, accept: type)
        #expect(try await call.request.decode(Tea.self, using: PropertyListDecoder()).name == "sencha")
    }

    @Test func `a property list of another shape is a wrong shape, not a JSON error`() async throws {
        let other = try await request(propertyList(["title": "sencha"]), accept: "application/x-plist")
        let missing = try await failure {
            try await other.request.decode(Tea.self, using: PropertyListDecoder())
        }
        #expect(missing.kind == .wrongShape(path: "$.name", expected: .member, found: .missing))
        let text = try await request(.text("<html>"), accept: "application/x-plist")
        let invalid = await #expect(throws: RESTClientError.self) {
            try await text.request.decode(Tea.self, using: PropertyListDecoder())
        }
        guard case .wrongShape("$", .validValue, _)? = invalid?.kind else { throw try #require(invalid) }
    }

    @Test func `an error body has the format of the decoder`() async throws {
        struct Problem: Codable, Error, Equatable { var code: String }
        let reply = try Reply.data(PropertyListEncoder().encode(Problem(code: "cold")), status: 409)
        let failing = try await request(
            reply, PropertyListDecoder(), errorType: Problem.self, accept: "application/x-plist")
        let error = try await failure { try await failing.request.decode(Tea.self) }
        #expect(error.underlying as? Problem == Problem(code: "cold"))
        #expect(try error.decode(Problem.self) == Problem(code: "cold"))
    }

    @Test func `Accept is that of the caller, or missing if the decoder has no type`() async throws {
        let chosen = try await request(
            .text("name=sencha"), Lines(), headers: [.accept: "text/tea"], accept: "text/tea")
        #expect(try await chosen.request.decode(Tea.self).name == "sencha")
        let none = try await request(.text("name=sencha"), Lines(), accept: nil)
        #expect(try await none.request.decode(Tea.self).name == "sencha")
        #expect(none.server.requests.first?.headers[.accept] != "application/json")
    }

    @Test func `a custom decoder reads JSON by default`() async throws {
        struct Custom: DataDecoder {
            func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
                try JSONDecoder().decode(type, from: data)
            }
        }
        let type = "application/json"
        let valid = try await request(.json(["name": "sencha"]), Custom(), accept: type)
        #expect(try await valid.request.decode(Tea.self).name == "sencha")
        let html = try await request(.text("<html>"), Custom(), accept: type)
        let page = try await failure { try await html.request.decode(Tea.self) }
        #expect(page.kind == .notJSON(found: "<html>", isHTML: true))
        let cut = try await request(.text(#"{"name":"#), Custom(), accept: type)
        let error = await #expect(throws: RESTClientError.self) { try await cut.request.decode(Tea.self) }
        guard case .malformedJSON(offset: 8, _, .unexpectedEnd)? = error?.kind else {
            throw try #require(error)
        }
    }

    @Test func `a decoder that names a type of JSON has its bodies checked`() async throws {
        struct Strict: DataDecoder {
            let mediaType: MediaType? = "application/vnd.tea+json"

            func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
                try JSONDecoder().decode(type, from: data)
            }
        }
        let html = try await request(.text("<html>"), Strict(), accept: "application/vnd.tea+json")
        let error = try await failure { try await html.request.decode(Tea.self) }
        #expect(error.kind == .notJSON(found: "<html>", isHTML: true))
    }
}
