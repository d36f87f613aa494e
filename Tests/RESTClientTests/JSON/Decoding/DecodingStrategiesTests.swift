import Foundation
import MockTransport
import Testing

@testable import RESTClient

/// Items decode as with the `JSONDecoder` of the listing or of the request, whatever its strategies.
@Suite struct DecodingStrategiesTests {
    /// A decoder with a strategy. A decoder is created for each test, because it can be changed.
    struct Setting: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let decoder: @Sendable () -> JSONDecoder

        init(_ name: String, _ change: @escaping @Sendable (JSONDecoder) -> Void) {
            testDescription = name
            decoder = {
                let decoder = JSONDecoder()
                change(decoder)
                return decoder
            }
        }

        init(_ name: String, decoder: @escaping @Sendable () -> JSONDecoder) {
            (testDescription, self.decoder) = (name, decoder)
        }
    }

    static let settings: [Setting] = [
        Setting("default") { _ in },
        Setting("ISO 8601") { $0.dateDecodingStrategy = .iso8601 },
        Setting("seconds") { $0.dateDecodingStrategy = .secondsSince1970 },
        Setting("milliseconds") { $0.dateDecodingStrategy = .millisecondsSince1970 },
        Setting("formatted date") {
            let formatter = DateFormatter()
            formatter.locale = Locale(identifier: "en_US_POSIX")
            formatter.timeZone = TimeZone(secondsFromGMT: 0)
            formatter.dateFormat = "yyyy-MM-dd"
            $0.dateDecodingStrategy = .formatted(formatter)
        },
        Setting("custom date") {
            $0.dateDecodingStrategy = .custom { decoder in
                let value = try decoder.singleValueContainer()
                if let year = try? value.decode(Int.self) { return Date(timeIntervalSince1970: Double(year)) }
                return Date(timeIntervalSince1970: Double(try value.decode(String.self).count))
            }
        },
        Setting("snake case") { $0.keyDecodingStrategy = .convertFromSnakeCase },
        Setting("custom keys") {
            $0.keyDecodingStrategy = .custom { path in
                TapeKey(stringValue: path.map { $0.stringValue.lowercased() }.last ?? "")
            }
        },
        Setting("deferred data") { $0.dataDecodingStrategy = .deferredToData },
        Setting("custom data") {
            $0.dataDecodingStrategy = .custom { Data(try $0.singleValueContainer().decode(String.self).utf8) }
        },
        Setting("numbers as text") {
            $0.nonConformingFloatDecodingStrategy = .convertFromString(
                positiveInfinity: "INF", negativeInfinity: "-INF", nan: "NaN")
        },
        Setting("user info") { if let key = Record.key { $0.userInfo[key] = "seen" } },
        Setting("everything") {
            $0.dateDecodingStrategy = .iso8601
            $0.keyDecodingStrategy = .convertFromSnakeCase
            $0.nonConformingFloatDecodingStrategy = .convertFromString(
                positiveInfinity: "INF", negativeInfinity: "-INF", nan: "NaN")
            if let key = Record.key { $0.userInfo[key] = "seen" }
        },
        Setting("JSON5", { $0.allowsJSON5 = true }),
        Setting("a subclass", decoder: { Shouting() }),
        Setting("a subclass for snake case and milliseconds") {
            let decoder = Shouting()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            decoder.dateDecodingStrategy = .millisecondsSince1970
            return decoder
        },
    ]

    /// Values with every notation that a strategy can concern.
    static let elements = [
        #"{"created_at":"2024-02-29T12:30:45Z"}"#, #"{"createdAt":"2024-02-29T12:30:45+02:00"}"#,
        #"{"created_at":"2024-02-29T12:30:45.123Z"}"#, #"{"created_at":"2024-02-29"}"#,
        #"{"created_at":1709209845}"#, #"{"createdAt":1709209845123.5}"#, #"{"created_at":null}"#,
        #"{"createdat":17}"#, #"{"CREATED_AT":"2024-02-29T12:30:45Z"}"#, #"{"CreatedAt":3}"#,
        #"{"created_at":1,"createdAt":2}"#, #"{"createdAt":2,"created_at":1}"#, #"{"created__at":1}"#,
        #"{"_created_at_":5}"#, #"{"created_at_":5,"__":7,"_":1,"":2}"#, #"{"cr\u0065ated_at":9}"#,
        #"{"größe_in_cm":4}"#, #"{"größeInCm":4}"#, #"{"profile_image_url":"https://a.example/b"}"#,
        #"{"profileImageUrl":"https://a.example/b"}"#, #"{"profileImageURL":"https://a.example/b"}"#,
        #"{"ratio":"INF"}"#, #"{"ratio":"-INF"}"#, #"{"ratio":"NaN"}"#, #"{"ratio":"1"}"#, #"{"ratio":1.5}"#,
        #"{"blob":"aGVsbG8="}"#, #"{"blob":"not base 64!"}"#, #"{"blob":[104,105]}"#,
        #"{"by_name":{"first_one":{"created_at":1},"secondOne":{"createdAt":2}}}"#,
        #"{"byName":{"first_one":{"created_at":1}},"history":[{"created_at":5},{"created_at":6}]}"#,
        "{}", "[]", "7", #""text""#, "null",
    ]

    /// Returns the kind of a failure, and the last key of its path.
    ///
    /// Whole paths differ: `JSONDecoder` reports no path for a date in another format, and keeps the keys of
    /// dictionaries.
    private static func text(_ error: any Error) -> String {
        switch (error as? RESTClientError)?.underlying ?? error {
        case DecodingError.keyNotFound(let key, _): "no \(key.stringValue)"
        case DecodingError.dataCorrupted: "an invalid value"
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
            "another type at \(context.codingPath.last?.stringValue ?? "the root")"
        default: "another error"
        }
    }

    @Test(arguments: settings)
    func `every type decodes in a list as with JSONDecoder`(setting: Setting) async throws {
        // `JSONDecoder` can trap for numbers in JSON5 mode (Swift 6.3), so it cannot be compared with.
        if !setting.decoder().allowsJSON5 {
            let isPlain = setting.testDescription == "default"
            let shapes = isPlain ? TapeDecoderTests.shapes : TapeDecoderTests.shapesOfStrategies
            // Each setting takes others, because all of them take seconds in debug mode.
            let first = isPlain ? 0 : setting.testDescription.count % 9
            for index in stride(from: first, to: shapes.count, by: isPlain ? 1 : 9) {
                try await expectSame(shapes[index], setting)
            }
        }
        try await expectSame(RecordShape(), setting, isRecord: true)
    }

    private func expectSame<Shape: DecodedShape>(
        _ shape: Shape, _ setting: Setting, isRecord: Bool = false
    ) async throws {
        let decoder = setting.decoder()
        var texts: [String] = []
        var expected: [Shape.Value] = []
        var failures: [(text: String, error: any Error)] = []
        for text in shape.texts {
            do {
                expected.append(try decoder.decode(Shape.Value.self, from: Data(text.utf8)))
                texts.append(text)
            } catch { failures.append((text, error)) }
        }
        let body = "{\"items\":[\(texts.joined(separator: ","))"
        let server = MockServer {
            Route(.get, "/items") { Reply.text("\(body)]}", as: .json).repeats() }.optional()
            Route(.get, "/failing") {
                let failing = failures.first.map { "\(texts.isEmpty ? "" : ",")\($0.text)" }
                Reply.text("\(body)\(failing ?? "")]}", as: .json).repeats()
            }.optional()
        }
        let manager = SessionManager(
            configuration: server.configuration, options: RequestOptions(decoder: decoder))
        let client = MyRESTClient(url: "https://shop.example/items", manager: manager)
        func expect(_ items: [Shape.Value], _ name: String) {
            #expect(items.count == expected.count, "\(name) of \(Shape.Value.self)")
            for (item, value) in zip(items, expected) {
                // NaN is not equal to itself.
                #expect(item == value || item != item && value != value, "\(name) of \(Shape.Value.self)")
            }
        }
        if isRecord {
            expect(try await client.getAvailableItems(as: Shape.Value.self), "getAvailableItems")
            expect(try await client.pages(as: Shape.Value.self).reduce(into: []) { $0 += $1.items }, "pages")
        }
        // The decoder of the listing replaces that of the manager.
        let failing = MyRESTClient(
            url: "https://shop.example/failing",
            manager: SessionManager(configuration: server.configuration),
            listing: ItemListing(decoder: decoder))
        let (items, error) = await failing.items(as: Shape.Value.self).collect()
        expect(items, "items")
        #expect((error != nil) == !failures.isEmpty, "\(Shape.Value.self)")

        let decode = ElementBatch.decoding(Shape.Value.self, with: decoder)
        for (text, error) in failures {
            var scanner = PageScanner(ListScanner(at: .root))
            var batch = ElementBatch()
            try scanner.scan(Data("[\(text)]".utf8), into: &batch)
            var items: [Shape.Value] = []
            let failure = decode(batch, &items)
            #expect(failure != nil && items.isEmpty, "\(Shape.Value.self) from \(text)")
            if isRecord, let failure {
                #expect(Self.text(failure.underlying) == Self.text(error), "\(text)")
            }
        }
    }

    @Test(arguments: settings, [true, false])
    func `an item is decoded once`(setting: Setting, fails: Bool) async throws {
        let calls = LockedState(0)
        let decoder = setting.decoder()
        decoder.userInfo[try #require(Counted.key)] = calls
        let server = MockServer {
            Route(.get, "/items") { Reply.json(["items": [1, fails ? "x" : 2, 3]]) }
        }
        let client = MyRESTClient(
            url: try #require(URL(string: "https://shop.example/items")),
            manager: SessionManager(configuration: server.configuration),
            listing: ItemListing(decoder: decoder))
        let (items, error) = await client.items(as: Counted.self).collect()
        #expect(items.map(\.value) == (fails ? [1] : [1, 2, 3]))
        #expect((error != nil) == fails)
        #expect(calls.withLock { $0 } == (fails ? 2 : 3))
    }

    @Test func `a decoder of another module decodes each item`() async throws {
        struct Lengths: DataDecoder {
            func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
                try JSONDecoder().decode(type, from: Data("\(data.count)".utf8))
            }
        }
        let server = MockServer { Route(.get, "/items") { Reply.json(["items": ["a", "bcd", 7]]) } }
        let client = MyRESTClient(
            url: try #require(URL(string: "https://shop.example/items")),
            manager: SessionManager(
                configuration: server.configuration, options: RequestOptions(decoder: Lengths())))
        #expect(try await client.getAvailableItems(as: Int.self) == [3, 5, 1])
    }

    @Test func `values in bodies and mock replies are encoded by the configured encoder`() async throws {
        struct Tea: Codable, Equatable, Sendable { var pickedAt: Date }
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.keyEncodingStrategy = .convertToSnakeCase
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let tea = Tea(pickedAt: Date(timeIntervalSince1970: 1_709_209_845))
        let server = MockServer {
            Route(.post, "/teas", .body(json: ["picked_at": "2024-02-29T12:30:45Z"])) {
                Reply.json(tea, using: encoder)
            }
        }
        let manager = SessionManager(
            configuration: server.configuration, options: RequestOptions(decoder: decoder, encoder: encoder))
        let request = manager.request(
            try #require(URL(string: "https://shop.example/teas")), method: .post, body: .json(tea))
        #expect(request.cURLDescription.contains("2024-02-29T12:30:45Z"))
        #expect(try await request.decode(Tea.self) == tea)
    }
}

/// The elements of the strategies tests.
private struct RecordShape: DecodedShape {
    typealias Value = Record

    var texts: [String] { DecodingStrategiesTests.elements }

    func text(of value: String) -> String { value }
}

/// A value with members that strategies concern.
private struct Record: Decodable, Equatable, Sendable, CustomStringConvertible {
    static let key = CodingUserInfoKey(rawValue: "record")

    enum Key: String, CodingKey {
        case createdAt, createdat, größeInCm, profileImageUrl, ratio, blob, byName, history
        case secretAt = "_createdAt_"
    }

    let description: String

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Key.self)
        var parts: [String] = []
        for key in [Key.createdAt, .createdat, .secretAt, .größeInCm] {
            guard members.contains(key) else { continue }
            let date = try members.decodeIfPresent(Date.self, forKey: key)
            parts.append("\(key.stringValue)=\(date.map { "\($0.timeIntervalSinceReferenceDate)" } ?? "nil")")
        }
        if let url = try members.decodeIfPresent(URL.self, forKey: .profileImageUrl) {
            parts.append("\(url)")
        }
        if let ratio = try members.decodeIfPresent(Double.self, forKey: .ratio) {
            parts.append("\(ratio) \(try members.decode(Float.self, forKey: .ratio))")
        }
        if let blob = try members.decodeIfPresent(Data.self, forKey: .blob) { parts.append("\(Array(blob))") }
        if let records = try members.decodeIfPresent([String: Record].self, forKey: .byName) {
            parts += records.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        }
        if let history = try members.decodeIfPresent([Record].self, forKey: .history) {
            parts.append("\(history)")
        }
        parts.append("\(members.allKeys.map(\.stringValue).sorted())")
        if let key = Self.key, let info = decoder.userInfo[key] { parts.append("\(info)") }
        description = parts.joined(separator: ", ")
    }
}

/// Counts the calls of its initializer.
private struct Counted: Decodable, Sendable {
    static let key = CodingUserInfoKey(rawValue: "calls")
    let value: Int

    init(from decoder: any Decoder) throws {
        if let key = Self.key { (decoder.userInfo[key] as? LockedState<Int>)?.withLock { $0 += 1 } }
        value = try decoder.singleValueContainer().decode(Int.self)
    }
}

/// A decoder that changes the data first.
private final class Shouting: JSONDecoder, @unchecked Sendable {
    override func decode<T: Decodable>(_ type: T.Type, from data: Data) throws -> T {
        try super.decode(
            type, from: Data(String(decoding: data, as: UTF8.self).replacing("ratio", with: "other").utf8))
    }
}
