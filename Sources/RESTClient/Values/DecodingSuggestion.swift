import Foundation
import RESTClientHTTP

/// A change that most likely makes a value decodable with a `JSONDecoder`.
public enum DecodingSuggestion: Hashable, Sendable {
    /// Convert the keys from snake case: the object has the key `key`.
    case convertFromSnakeCase(key: String)
    /// Use the default keys: the decoder converts the key `key`, which the type expects unconverted.
    case useDefaultKeys(key: String)
    /// Change the coding key to `key`, which the type spells differently.
    case renameKey(to: String)
    /// Decode dates from ISO 8601.
    case iso8601Dates
    /// Decode dates from the seconds since 1970.
    case secondsSince1970
    /// Decode dates from the milliseconds since 1970.
    case millisecondsSince1970
    /// Decode dates with a custom strategy, because `.iso8601` does not accept a date without a time or, in some versions
    /// of Foundation, fractional seconds.
    case customDates
}

extension DecodingSuggestion: CustomStringConvertible {
    /// The reason and the change on one line; safe to show.
    public var description: String {
        switch self {
        case .convertFromSnakeCase(let key):
            "there is \(quoted(key, limit: 40)); set keyDecodingStrategy = .convertFromSnakeCase \(Self.place)"
        case .useDefaultKeys(let key):
            "there is \(quoted(key, limit: 40)), but the decoder converts keys; use keyDecodingStrategy = .useDefaultKeys"
        case .renameKey(let key): "there is \(quoted(key, limit: 40)); change the coding key"
        case .iso8601Dates:
            "if the value is a date, set dateDecodingStrategy = .iso8601 \(Self.place)"
        case .secondsSince1970:
            "if the value is a date, set dateDecodingStrategy = .secondsSince1970 \(Self.place)"
        case .millisecondsSince1970:
            "if the value is a date, set dateDecodingStrategy = .millisecondsSince1970 \(Self.place)"
        case .customDates:
            "the date is not in the format of .iso8601; use dateDecodingStrategy = .custom \(Self.place)"
        }
    }

    private static let place = "on the decoder of the request or of the listing"
}

extension DecodingSuggestion {
    /// Creates a suggestion for `error`, which a decoder threw for `json`. Returns `nil` if there is none.
    init?(for error: any Error, in json: RefusedJSON) {
        switch error as? DecodingError {
        case .keyNotFound(let key, let context):
            guard let keys = json.keys(at: context.codingPath) else { return nil }
            self.init(missing: key.stringValue, keys: keys, json.strategies)
        case .typeMismatch(_, let context):
            guard let value = json.value(at: context.codingPath) else { return nil }
            self.init(mismatched: value, json.strategies)
        case .dataCorrupted(let context):
            guard case .iso8601 = json.strategies.dates else { return nil }
            // `JSONDecoder` does not report the path of a date in another format.
            if case .string(let text)? = json.value(at: context.codingPath)?.node {
                guard Self.hasDate(text) else { return nil }
            } else if !context.debugDescription.contains("ISO8601") {
                return nil
            }
            self = .customDates
        default: return nil
        }
    }

    private init?(missing wanted: String, keys: [String], _ strategies: DecodingStrategies) {
        if strategies.convertsKeys, keys.contains(wanted) {
            self = .useDefaultKeys(key: wanted)
        } else if case .unchanged = strategies.keys,
            let key = keys.first(where: { strategies.camelCase($0) == wanted })
        {
            self = .convertFromSnakeCase(key: key)
        } else if let key = keys.lazy.map({ strategies.key($0, at: { [] }) }).first(where: {
            Self.letters(of: $0) == Self.letters(of: wanted)
        }) {
            self = .renameKey(to: key)
        } else {
            return nil
        }
    }

    private init?(mismatched value: JSONLiteral, _ strategies: DecodingStrategies) {
        switch (value.node, strategies.dates) {
        case (_, .custom): return nil
        case (.string(let text), .deferredToDate), (.string(let text), .secondsSince1970),
            (.string(let text), .millisecondsSince1970):
            guard Self.hasDate(text) else { return nil }
            self = (try? Date.ISO8601FormatStyle().parse(text)) == nil ? .customDates : .iso8601Dates
        case (.integer(let number), .iso8601) where 100_000_000..<100_000_000_000 ~= number:
            self = .secondsSince1970
        case (.integer(let number), .iso8601) where 100_000_000_000..<100_000_000_000_000 ~= number:
            self = .millisecondsSince1970
        default: return nil
        }
    }

    /// `true` if the text begins with a date, such as `2024-02-29`.
    private static func hasDate(_ text: String) -> Bool {
        text.prefixMatch(of: /[12][0-9]{3}-[01][0-9]-[0-3][0-9]/) != nil
    }

    private static func letters(of key: String) -> String {
        key.lowercased().filter { $0 != "_" && $0 != "-" }
    }
}

/// The JSON text that a decoder has refused, parsed again.
struct RefusedJSON {
    private static let maxBytes = 1 << 20

    private let root: JSONLiteral
    fileprivate let strategies: DecodingStrategies

    /// Returns `nil` if the text is too large to be examined again, or the strategies of the decoder are not known.
    init?(_ json: Data, _ decoder: any DataDecoder) {
        guard json.count <= Self.maxBytes, let strategies = DecodingStrategies(decoder),
            let root = try? JSONLiteral(parsing: json)
        else { return nil }
        (self.root, self.strategies) = (root, strategies)
    }

    /// Returns the keys of the object at a coding path, or `nil` if there is none.
    func keys(at path: [any CodingKey]) -> [String]? {
        guard case .object(let members)? = value(at: path)?.node else { return nil }
        return members.map(\.key)
    }

    /// Returns the value at a coding path, whose keys may have been converted.
    fileprivate func value(at path: [any CodingKey]) -> JSONLiteral? {
        var value = root
        for (depth, key) in path.enumerated() {
            switch value.node {
            case .array(let elements):
                guard let index = key.intValue, elements.indices.contains(index) else { return nil }
                value = elements[index]
            case .object(let members):
                let parents = Array(path.prefix(depth))
                let member = members.first {
                    strategies.key($0.key, at: { parents }) == key.stringValue || $0.key == key.stringValue
                }
                guard let member else { return nil }
                value = member.value
            default: return nil
            }
        }
        return value
    }
}
