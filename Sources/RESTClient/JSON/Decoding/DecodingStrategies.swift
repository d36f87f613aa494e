import Foundation
import RESTClientHTTP

/// The strategies of a `JSONDecoder`, with which `TapeDecoder` decodes.
final class DecodingStrategies: Sendable {
    /// The conversion of the keys of objects.
    enum Keys: Sendable {
        case unchanged
        case fromSnakeCase
        case custom(@Sendable (_ path: [any CodingKey]) -> any CodingKey)
    }

    /// The texts of numbers that JSON cannot represent.
    struct FloatTexts: Sendable { let positiveInfinity, negativeInfinity, notANumber: String }

    let dates: JSONDecoder.DateDecodingStrategy
    let data: JSONDecoder.DataDecodingStrategy
    let keys: Keys
    /// A Boolean value that indicates whether keys can differ from those of the JSON text.
    let convertsKeys: Bool
    /// A Boolean value that indicates whether a custom function converts keys, for which it needs their path.
    let hasCustomKeys: Bool
    /// The texts of infinite numbers, or `nil` if they are errors.
    let floatTexts: FloatTexts?
    let userInfo: [CodingUserInfoKey: any Sendable]
    /// The keys that have been converted from snake case.
    private let converted = LockedState<[String: String]>([:])

    /// The strategies of a new `JSONDecoder`.
    static let standard = DecodingStrategies()

    private init() {
        (dates, data, keys, floatTexts, userInfo) = (.deferredToDate, .base64, .unchanged, nil, [:])
        (convertsKeys, hasCustomKeys) = (false, false)
    }

    /// Creates the strategies of `decoder`, or returns `nil` if only the decoder itself can decode: if it is a subclass,
    /// another decoder, or has a setting that is unknown here.
    init?(_ decoder: any DataDecoder) {
        // Elements of a list are valid JSON, so `allowsJSON5` has no effect.
        guard let decoder = decoder as? JSONDecoder, type(of: decoder) == JSONDecoder.self,
            !decoder.assumesTopLevelDictionary
        else { return nil }
        // Enumerations of the platform can have more cases than are known here.
        guard Self.isKnown(decoder.dateDecodingStrategy), Self.isKnown(decoder.dataDecodingStrategy) else {
            return nil
        }
        (dates, data) = (decoder.dateDecodingStrategy, decoder.dataDecodingStrategy)
        if case .useDefaultKeys = decoder.keyDecodingStrategy {
            (keys, convertsKeys, hasCustomKeys) = (.unchanged, false, false)
        } else if case .convertFromSnakeCase = decoder.keyDecodingStrategy {
            (keys, convertsKeys, hasCustomKeys) = (.fromSnakeCase, true, false)
        } else if case .custom(let convert) = decoder.keyDecodingStrategy {
            (keys, convertsKeys, hasCustomKeys) = (.custom(convert), true, true)
        } else {
            return nil
        }
        if case .throw = decoder.nonConformingFloatDecodingStrategy {
            floatTexts = nil
        } else if case .convertFromString(let positive, let negative, let notANumber) =
            decoder.nonConformingFloatDecodingStrategy
        {
            floatTexts = FloatTexts(
                positiveInfinity: positive, negativeInfinity: negative, notANumber: notANumber)
        } else {
            return nil
        }
        userInfo = decoder.userInfo
    }

    private static func isKnown(_ strategy: JSONDecoder.DateDecodingStrategy) -> Bool {
        if case .deferredToDate = strategy { return true }
        if case .secondsSince1970 = strategy { return true }
        if case .millisecondsSince1970 = strategy { return true }
        if case .iso8601 = strategy { return true }
        if case .custom = strategy { return true }
        return false
    }

    private static func isKnown(_ strategy: JSONDecoder.DataDecodingStrategy) -> Bool {
        if case .deferredToData = strategy { return true }
        if case .base64 = strategy { return true }
        if case .custom = strategy { return true }
        return false
    }

    /// Returns the key of the value at `path` as types see it; `name` is the key in the JSON text.
    func key(_ name: String, at path: () -> [any CodingKey]) -> String {
        switch keys {
        case .unchanged: name
        case .fromSnakeCase: camelCase(name)
        case .custom(let convert): convert(path() + [TapeKey(stringValue: name)]).stringValue
        }
    }

    private static let maxConvertedKeys = 1_000

    /// Returns a key converted from snake case by `JSONDecoder`.
    func camelCase(_ name: String) -> String {
        if let known = converted.withLock({ $0[name] }) { return known }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let object = try? JSONEncoder().encode([name: 0])
        let key = object.flatMap { try? decoder.decode(OnlyKey.self, from: $0) }?.name ?? name
        converted.withLock { if $0.count < Self.maxConvertedKeys { $0[name] = key } }
        return key
    }

    /// The key of an object with one member.
    private struct OnlyKey: Decodable {
        let name: String?

        init(from decoder: any Decoder) throws {
            name = try decoder.container(keyedBy: TapeKey.self).allKeys.first?.stringValue
        }
    }
}
