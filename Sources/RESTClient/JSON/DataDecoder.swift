public import Foundation

/// A decoder of response bodies: a `JSONDecoder`, or a decoder of another module.
///
/// ```swift
/// let decoder = JSONDecoder()
/// decoder.dateDecodingStrategy = .iso8601
/// decoder.keyDecodingStrategy = .convertFromSnakeCase
/// let manager = SessionManager(options: RequestOptions(decoder: decoder))
/// ```
///
/// A `JSONDecoder` must not be changed after it has been passed to a manager, a request or a listing.
public protocol DataDecoder: Sendable {
    /// Returns the value that `data` represents.
    func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value
}

extension JSONDecoder: DataDecoder {}

/// An encoder of request bodies: a `JSONEncoder`, or an encoder of another module.
///
/// A `JSONEncoder` must not be changed after it has been passed to a manager or a request.
public protocol DataEncoder: Sendable {
    /// Returns the data that represents `value`.
    func encode<Value: Encodable>(_ value: Value) throws -> Data
}

extension JSONEncoder: DataEncoder {}
