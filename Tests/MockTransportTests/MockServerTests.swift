import Foundation
import MockTransport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct MockServerTests {
    @Test func `the most specific route answers`() async throws {
        let server = MockServer {
            Route(.get, "http://notNil/") { Reply.json(["items": ["a"]]) }
            Route(.any) { Reply.text("GARBAGE") }
        }
        let session = URLSession(configuration: server.configuration)
        let (data, response) = try await session.data(from: URL(string: "http://notNil")!)
        #expect(String(decoding: data, as: UTF8.self) == #"{"items":["a"]}"#)
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        let (other, _) = try await session.data(from: URL(string: "http://nil/x")!)
        #expect(String(decoding: other, as: UTF8.self) == "GARBAGE")
    }

    @Test func `nobody matches`() async throws {
        let server = MockServer {
            Route(.get, "http://notNil/items") { Reply.json(["items": ["a"]]) }
        }
        let session = URLSession(configuration: server.configuration)
        let error = await #expect(throws: MockServerError.self) {
            try await session.data(from: URL(string: "http://notNil/itms")!)
        }
        print(error!)
    }
}
