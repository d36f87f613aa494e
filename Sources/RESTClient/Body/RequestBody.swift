public import Foundation
public import HTTPCore

/// A recipe for a body, cooked again for each attempt and each redirect.
public struct RequestBody: Sendable {
    /// What goes into `Content-Type`, unless the request's headers say otherwise.
    let type: MediaType
    let cook: @Sendable () throws -> Data

    private init(type: MediaType, cook: @escaping @Sendable () throws -> Data) {
        self.type = type
        self.cook = cook
    }

    /// Any value as JSON. A `JSONLiteral` keeps the order of its members.
    ///
    /// A value that cannot be encoded is an error of kind `invalidRequest` when the request is sent.
    public static func json(
        _ value: some Encodable & Sendable, using encoder: JSONEncoder = JSONEncoder()
    ) -> Self {
        Self(type: .json) {
            if let literal = value as? JSONLiteral { return try literal.encoded() }
            return try encoder.encode(value)
        }
    }

    /// Items as a form (WHATWG URL, section 5), spaces written as `%20`.
    public static func form(_ items: QueryItems) -> Self {
        Self(type: .form) { Data(items.percentEncoded.utf8) }
    }

    /// Bytes as they are.
    public static func data(_ data: Data, type: MediaType = .octets) -> Self {
        Self(type: type) { data }
    }
}
