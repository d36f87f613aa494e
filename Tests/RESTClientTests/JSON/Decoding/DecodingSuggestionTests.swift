import Foundation
import MockTransport
import Testing

@testable import RESTClient

/// The suggestions for a decoder in the errors of lists and of single values.
@Suite struct DecodingSuggestionTests {
    private struct User: Decodable, Sendable { var createdAt: Date }
    private struct Named: Decodable, Sendable { var profileImageURL: String }
    private struct Plain: Decodable, Sendable {
        var createdAt: Int
        enum CodingKeys: String, CodingKey { case createdAt = "created_at" }
    }

    static let snakeCase = DecodingStrategiesTests.Setting("snake case") {
        $0.keyDecodingStrategy = .convertFromSnakeCase
    }
    static let iso8601 = DecodingStrategiesTests.Setting("ISO 8601") { $0.dateDecodingStrategy = .iso8601 }
    static let standard = DecodingStrategiesTests.Setting("default") { _ in }

    private func suggestions<Item: Decodable & Sendable>(
        _ type: Item.Type, _ json: String, _ setting: DecodingStrategiesTests.Setting
    ) async throws -> (list: RESTClientError, value: RESTClientError) {
        let server = MockServer {
            Route(.get, "/items") { Reply.text("{\"items\":[\(json)]}", as: .json) }
            Route(.get, "/item") { Reply.text("[{\"a\":1},\(json)]", as: .json) }
        }
        let manager = SessionManager(
            baseURL: URL(string: "https://shop.example"), configuration: server.configuration,
            options: RequestOptions(decoder: setting.decoder()))
        let list = try #require(
            await #expect(throws: RESTClientError.self) {
                try await MyRESTClient(url: "items", manager: manager).getAvailableItems(as: type)
            })
        let value = try #require(
            await #expect(throws: RESTClientError.self) {
                try await manager.request("item").decode(After<Item>.self)
            })
        return (list, value)
    }

    /// The second value of a list.
    private struct After<Value: Decodable & Sendable>: Decodable, Sendable {
        let value: Value
        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            _ = try list.decode([String: Int].self)
            value = try list.decode(Value.self)
        }
    }

    @Test func `a missing key names the key in snake case and the strategy`() async throws {
        let json = #"{"created_at":"2024-02-29T12:30:45Z"}"#
        let (list, value) = try await suggestions(User.self, json, Self.standard)
        #expect(list.suggestedDecoding == .convertFromSnakeCase(key: "created_at"))
        #expect(value.suggestedDecoding == .convertFromSnakeCase(key: "created_at"))
        #expect(
            list.kind
                == .wrongShape(path: "$.items[0].createdAt", expected: .member, found: .keys(["created_at"])))
        #expect(
            list.hint == #"""
                there is "created_at"; set keyDecodingStrategy = .convertFromSnakeCase \#
                on the decoder of the request or of the listing
                """#)
    }

    @Test func `a converted key that the type expects unconverted is named`() async throws {
        let (list, value) = try await suggestions(Plain.self, #"{"created_at":7}"#, Self.snakeCase)
        #expect(list.suggestedDecoding == .useDefaultKeys(key: "created_at"))
        #expect(value.suggestedDecoding == .useDefaultKeys(key: "created_at"))
    }

    @Test func `a key with other capitals is named`() async throws {
        let json = #"{"profile_image_url":"https://a.example"}"#
        let (list, value) = try await suggestions(Named.self, json, Self.snakeCase)
        #expect(list.suggestedDecoding == .renameKey(to: "profileImageUrl"))
        #expect(value.suggestedDecoding == .renameKey(to: "profileImageUrl"))
    }

    @Test(arguments: [
        (#""2024-02-29T12:30:45Z""#, DecodingSuggestion.iso8601Dates, standard),
        (#""2024-02-29""#, .customDates, standard),
        (#""2024-02-29""#, .customDates, iso8601), ("1709209845", .secondsSince1970, iso8601),
        ("1709209845123", .millisecondsSince1970, iso8601),
    ])
    func `a date in another format names the strategy`(
        date: String, expected: DecodingSuggestion, setting: DecodingStrategiesTests.Setting
    ) async throws {
        let (list, value) = try await suggestions(User.self, #"{"createdAt":\#(date)}"#, setting)
        #expect(list.suggestedDecoding == expected)
        #expect(value.suggestedDecoding == expected)
        #expect(list.hint == "\(expected)")
    }

    @Test(arguments: [
        #"{"createdAt":"tea"}"#, #"{"createdAt":[]}"#, #"{"updated":1}"#, #"{"createdAt":null}"#, "7", "{}",
    ])
    func `other failures have no suggestion`(json: String) async throws {
        let (list, value) = try await suggestions(User.self, json, Self.standard)
        #expect(list.suggestedDecoding == nil)
        #expect(value.suggestedDecoding == nil)
    }
}
