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

    struct Entry: Decodable {
        @Tolerant var startedDateTime: String?
        let request: Request
        let response: Checked<Response>?
        @Tolerant var timings: Timings?
    }

    struct Request: Decodable {
        let method: String
        let url: String
        let headers: Checked<[Checked<Pair>]>?
        @Tolerant var bodySize: Int?
        let postData: Content?
    }

    struct Response: Decodable {
        /// A whole number, which is 0 or -1 for a request without a response.
        let status: Double
        let headers: Checked<[Checked<Pair>]>?
        let content: Checked<Content>?
        @Tolerant var redirectURL: String?
        @Tolerant var bodySize: Int?
        @Tolerant var comment: String?
        @Tolerant var error: String?
        @Tolerant var errorCode: Int?
        // The names of other programs for the error.
        @Tolerant var failureText: String?
        @Tolerant var errorMessage: String?

        private enum CodingKeys: String, CodingKey {
            case status, headers, content, redirectURL, bodySize, comment
            case error = "_error"
            case errorCode = "_errorCode"
            case failureText = "_failureText"
            case errorMessage = "_errorMessage"
        }
    }

    struct Content: Decodable {
        @Tolerant var size: Int?
        @Tolerant var compression: Int?
        @Tolerant var mimeType: String?
        let text: String?
        @Tolerant var encoding: String?
        // HAR 1.2 has no binary request bodies.
        @Tolerant var customEncoding: String?
        @Tolerant var isBinary: Bool?
        @Tolerant var file: String?
        @Tolerant var chunks: [Chunk]?
        let params: [Pair]?
        @Tolerant var comment: String?

        private enum CodingKeys: String, CodingKey {
            case size, compression, mimeType, text, encoding, params, comment
            case customEncoding = "_encoding"
            case isBinary = "_isBinary"
            case file = "_file"
            case chunks = "_chunks"
        }
    }

    struct Chunk: Decodable {
        @Tolerant var time: Double?
        @Tolerant var size: Int?
    }

    struct Pair: Decodable {
        let name: String
        let value: String?
    }

    struct Timings: Decodable {
        @Tolerant var wait: Double?
        @Tolerant var receive: Double?
    }
}

/// A member that counts as missing if its value is of another type, or an empty text.
@propertyWrapper struct Tolerant<Value: Decodable>: Decodable {
    var wrappedValue: Value?

    init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }

    init(from decoder: any Decoder) {
        let value = try? Value(from: decoder)
        wrappedValue = (value as? String)?.isEmpty == true ? nil : value
    }
}

extension KeyedDecodingContainer {
    /// Makes a `Tolerant` member optional, when the compiler synthesizes the decoding of a type.
    func decode<Value>(_ type: Tolerant<Value>.Type, forKey key: Key) throws -> Tolerant<Value> {
        try decodeIfPresent(type, forKey: key) ?? Tolerant(wrappedValue: nil)
    }
}

/// A value, or the error that names its invalid part.
struct Checked<Value: Decodable>: Decodable {
    let result: Result<Value, HARError>

    init(from decoder: any Decoder) {
        result = Result { try Value(from: decoder) }.mapError { HARError($0, at: decoder.codingPath) }
    }
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
