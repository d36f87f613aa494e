public import Foundation
public import RESTClientHTTP

/// A recipe for a body: what is made from it goes out whole with each attempt and each redirect that keeps it.
///
/// A body that cannot be made (a value that does not encode, a file that is not there) is an error of kind
/// `invalidRequest` when the request is sent.
public struct RequestBody: Sendable {
    /// A body that is ready to go.
    enum Cooked: Sendable {
        case data(Data)
        case file(BodyFile)
    }

    /// What goes into `Content-Type`, unless the request's headers say otherwise.
    let type: MediaType
    let cook: @Sendable () async throws -> Cooked
    /// What there is to show of it before it is sent; `nil` where that is not known.
    let preview: @Sendable () -> CURLCommand.Content?

    init(
        type: MediaType, preview: @escaping @Sendable () -> CURLCommand.Content? = { nil },
        cook: @escaping @Sendable () async throws -> Cooked
    ) {
        self.type = type
        self.preview = preview
        self.cook = cook
    }

    private init(type: MediaType, data: @escaping @Sendable () throws -> Data) {
        self.init(type: type, preview: { (try? data()).map { .data($0) } }) { .data(try data()) }
    }

    /// Any value as JSON. A `JSONLiteral` keeps the order of its members.
    public static func json(
        _ value: some Encodable & Sendable, using encoder: JSONEncoder = JSONEncoder()
    ) -> Self {
        Self(type: .json, data: { try (value as? JSONLiteral)?.encoded() ?? encoder.encode(value) })
    }

    /// Items as a form (WHATWG URL, section 5), in the order given, spaces written as `%20`.
    public static func form(_ items: QueryItems) -> Self {
        Self(type: .form, data: { Data(items.percentEncoded.utf8) })
    }

    /// An object as a form, nested values under nested names as `QueryItems(nesting:)` writes them.
    public static func form(nesting value: JSONLiteral) -> Self {
        Self(type: .form, data: { Data(try QueryItems(nesting: value).percentEncoded.utf8) })
    }

    /// Bytes as they are.
    public static func data(_ data: Data, type: MediaType = .octetStream) -> Self {
        Self(type: type, data: { data })
    }

    /// A file, sent from the disk with its length ahead and never whole in memory.
    ///
    /// It must stay as it is until the request has ended: one that has changed, before it was sent or while it was, is an
    /// error of kind `invalidRequest`, whatever the server answers.
    public static func file(_ url: URL, type: MediaType = .octetStream) -> Self {
        Self(type: type, preview: { .file(url) }) { .file(try BodyFile(url)) }
    }

    /// Chunks from `open`, which is called once each time that the request is sent, not for each attempt.
    ///
    /// They are written to a temporary file first and sent from there: URLSession on Linux reads a body stream on
    /// the queue that all sessions of the process share, where waiting for a chunk would stall them all (PLATFORM
    /// A6), and an attempt after the first needs them again.
    ///
    /// - Parameters:
    ///   - length: what all chunks must come to, in bytes; another length is an error.
    ///   - type: what the bytes are.
    ///   - open: makes the chunks.
    public static func stream<Chunks: AsyncSequence & Sendable>(
        length: Int64? = nil, type: MediaType = .octetStream, _ open: @escaping @Sendable () throws -> Chunks
    ) -> Self where Chunks.Element == Data {
        Self(type: type) {
            let writer = try BodyFile.Writer()
            for try await chunk in try open() { try writer.write(chunk) }
            // A stream that ends because its task is cancelled is no body.
            try Task.checkCancellation()
            let file = try writer.finish()
            if let length, file.length != length {
                throw BodyFailure(description: "the stream has \(file.length) bytes, not \(length)")
            }
            return .file(file)
        }
    }
}

/// Why a body cannot be made.
struct BodyFailure: Error, CustomStringConvertible, LocalizedError {
    let description: String
    var errorDescription: String? { description }
}
