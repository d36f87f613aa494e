public import Foundation
public import RESTClientHTTP

/// A decoder of response bodies: a `JSONDecoder`, a `PropertyListDecoder`, or a decoder of another module.
///
/// ```swift
/// let decoder = JSONDecoder()
/// decoder.dateDecodingStrategy = .iso8601
/// decoder.keyDecodingStrategy = .convertFromSnakeCase
/// let manager = SessionManager(options: RequestOptions(decoder: decoder))
/// ```
///
/// The items of a list are always JSON. If the decoder of the session reads another format, pass a `JSONDecoder` as
/// `ItemListing.decoder`.
///
/// A `JSONDecoder` must not be changed after it has been passed to a manager, a request or a listing.
public protocol DataDecoder: Sendable {
    /// The media type of the data, which is sent as `Accept` unless the request has this field; `nil` for any type.
    ///
    /// Defaults to `application/json`. If it is a type of JSON, an error of a body that is not valid JSON contains the
    /// position. A decoder of another format must return its own type, or `nil`.
    var mediaType: MediaType? { get }

    /// Returns the value that `data` represents.
    func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value
}

extension DataDecoder {
    /// `application/json`
    public var mediaType: MediaType? { .json }
}

extension JSONDecoder: DataDecoder {}

extension PropertyListDecoder: DataDecoder {
    /// `application/x-plist`
    public var mediaType: MediaType? { "application/x-plist" }
}

/// An encoder of request bodies: a `JSONEncoder`, or an encoder of another module.
///
/// A `JSONEncoder` must not be changed after it has been passed to a manager or a request.
public protocol DataEncoder: Sendable {
    /// Returns the data that represents `value`.
    func encode<Value: Encodable>(_ value: Value) throws -> Data
}

extension JSONEncoder: DataEncoder {}
