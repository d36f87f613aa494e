import Foundation

/// The JSON of an archive (HAR 1.2).
///
/// Programs differ in what they write. A `Tolerant` member with a value of another type counts as missing. Any other invalid
/// value affects only the `Checked` value that it is a part of.
struct HARFile: Decodable {
    let log: Log

    struct Log: Decodable {
        let entries: [Checked<Entry>]
        @Tolerant var recordedOn: String?

        private enum CodingKeys: String, CodingKey {
            case entries
            case recordedOn = "_recordedOn"
        }
    }

    struct Entry: Codable {
        @Tolerant var startedDateTime: String? = nil
        @Tolerant var time: Double? = nil
        var request: Request
        var response: Checked<Response>?
        @Tolerant var cache: [String: String]? = [:]
        @Tolerant var timings: Timings? = nil
    }

    struct Request: Codable {
        var method: String
        var url: String
        @Tolerant var httpVersion: String? = "HTTP/1.1"
        // Written without the cookies, whose values are secret. The headers contain their names.
        @Tolerant var cookies: [String]? = []
        var headers: Checked<[Checked<Pair>]>?
        @Tolerant var queryString: [Pair]? = nil
        @Tolerant var headersSize: Int? = -1
        @Tolerant var bodySize: Int? = nil
        var postData: Content?
        @Tolerant var comment: String? = nil
    }

    struct Response: Codable {
        /// A whole number, which is 0 or -1 for a request without a response.
        var status: Double
        @Tolerant var statusText: String? = nil
        @Tolerant var httpVersion: String? = "HTTP/1.1"
        @Tolerant var cookies: [String]? = []
        var headers: Checked<[Checked<Pair>]>?
        var content: Checked<Content>?
        @Tolerant var redirectURL: String? = nil
        @Tolerant var headersSize: Int? = -1
        @Tolerant var bodySize: Int? = nil
        @Tolerant var comment: String? = nil
        @Tolerant var error: String? = nil
        @Tolerant var errorCode: Int? = nil
        // The names of other programs for the error.
        @Tolerant var failureText: String? = nil
        @Tolerant var errorMessage: String? = nil

        private enum CodingKeys: String, CodingKey {
            case status, statusText, httpVersion, cookies, headers, content, redirectURL, headersSize,
                bodySize
            case comment
            case error = "_error"
            case errorCode = "_errorCode"
            case failureText = "_failureText"
            case errorMessage = "_errorMessage"
        }
    }

    /// The body of a request or a response.
    struct Content: Codable {
        @Tolerant var size: Int? = nil
        @Tolerant var compression: Int? = nil
        @Tolerant var mimeType: String? = nil
        var text: String?
        @Tolerant var encoding: String? = nil
        // HAR 1.2 has no binary request bodies.
        @Tolerant var customEncoding: String? = nil
        @Tolerant var isBinary: Bool? = nil
        @Tolerant var file: String? = nil
        @Tolerant var chunks: [Chunk]? = nil
        var params: [Pair]?
        @Tolerant var comment: String? = nil

        private enum CodingKeys: String, CodingKey {
            case size, compression, mimeType, text, encoding, params, comment
            case customEncoding = "_encoding"
            case isBinary = "_isBinary"
            case file = "_file"
            case chunks = "_chunks"
        }
    }

    struct Chunk: Codable {
        @Tolerant var time: Double? = nil
        @Tolerant var size: Int? = nil
    }

    struct Pair: Codable {
        var name: String
        var value: String?
    }

    struct Timings: Codable {
        @Tolerant var send: Double? = nil
        @Tolerant var wait: Double? = nil
        @Tolerant var receive: Double? = nil
    }
}

/// A member that counts as missing if its value is of another type, or an empty text.
@propertyWrapper struct Tolerant<Value: Codable>: Codable {
    var wrappedValue: Value?

    init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }

    init(from decoder: any Decoder) {
        let value = try? Value(from: decoder)
        wrappedValue = (value as? String)?.isEmpty == true ? nil : value
    }

    func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
}

extension KeyedDecodingContainer {
    /// Makes a `Tolerant` member optional, when the compiler synthesizes the decoding of a type.
    func decode<Value>(_ type: Tolerant<Value>.Type, forKey key: Key) throws -> Tolerant<Value> {
        try decodeIfPresent(type, forKey: key) ?? Tolerant(wrappedValue: nil)
    }
}

extension KeyedEncodingContainer {
    /// Omits a `Tolerant` member without a value, when the compiler synthesizes the encoding of a type.
    mutating func encode<Value>(_ member: Tolerant<Value>, forKey key: Key) throws {
        try encodeIfPresent(member.wrappedValue, forKey: key)
    }
}

/// A value, or the error that names its invalid part.
struct Checked<Value: Codable>: Codable {
    let result: Result<Value, HARError>

    init(_ value: Value) { result = .success(value) }

    init(from decoder: any Decoder) {
        result = Result { try Value(from: decoder) }.mapError { HARError($0, at: decoder.codingPath) }
    }

    func encode(to encoder: any Encoder) throws { try result.get().encode(to: encoder) }
}

extension HARError {
    /// - Parameter path: The path of the value of which a part could not be decoded.
    init(_ error: any Error, at path: [any CodingKey] = []) {
        switch error {
        case let error as HARError: self = error
        case DecodingError.keyNotFound(let key, let context):
            self.init(path: Self.text(context.codingPath + [key]), problem: "is missing")
        case DecodingError.valueNotFound(_, let context):
            self.init(path: Self.text(context.codingPath), problem: "is missing")
        case DecodingError.typeMismatch(let type, let context):
            let found = context.debugDescription.firstMatch(of: /found (.+) instead/)?.1
            let kind = found.map { "\(Self.kinds[String($0)] ?? String($0)), " } ?? ""
            self.init(path: Self.text(context.codingPath), problem: "is \(kind)not \(Self.name(of: type))")
        case DecodingError.dataCorrupted(let context):
            let cause = (context.underlyingError as NSError?)?.userInfo[NSDebugDescriptionErrorKey] as? String
            let reason = TerminalEscaping.escaped(cause ?? context.debugDescription, limit: 200)
            self.init(path: Self.text(context.codingPath), problem: "is not JSON: \(reason)")
        default:
            let reason = TerminalEscaping.escaped("\(error)", limit: 200)
            self.init(path: Self.text(path), problem: "is not JSON: \(reason)")
        }
    }

    private static func text(_ path: [any CodingKey]) -> String {
        path.reduce("") { text, key in
            if let index = key.intValue { return "\(text)[\(index)]" }
            return text.isEmpty ? key.stringValue : "\(text).\(key.stringValue)"
        }
    }

    /// The names of kinds of values whose names in the errors of a decoder are others.
    private static let kinds = [
        "number": "a number", "bool": "a Boolean", "null": "null", "a dictionary": "an object",
        "a string/data": "a string",
    ]

    private static func name(of type: any Any.Type) -> String {
        switch type {
        case is String.Type: "a string"
        // The only numbers that are not tolerant are statuses.
        case is Double.Type: "a whole number"
        case is [Any].Type: "an array"
        default: "an object"
        }
    }
}
