public import Foundation
public import RESTClientHTTP

/// The body of a request, which is encoded once when the request is sent. The encoded body is used for each attempt and
/// for each redirect that keeps the body.
///
/// If the body cannot be encoded, for example because a file does not exist, the request fails with an error of kind
/// `invalidRequest`.
public struct RequestBody: Sendable {
    /// The value of `Content-Type`, unless the headers of the request set another one.
    let type: MediaType
    /// Returns the content for a `curl` command, with values encoded by the given encoder.
    let preview: @Sendable (any DataEncoder) -> Preview
    private let encoding: Encoding

    private typealias Encoding =
        @Sendable (_ encoder: any DataEncoder, _ awaitsPart: @Sendable (Bool) -> Void) async throws ->
        EncodedBody

    private init(
        type: MediaType, preview: @escaping @Sendable (any DataEncoder) -> Preview = { _ in .unknown },
        _ encoding: @escaping Encoding
    ) {
        (self.type, self.preview, self.encoding) = (type, preview, encoding)
    }

    /// Returns the encoded body.
    ///
    /// - Parameters:
    ///   - encoder: The encoder of the request, for values without an encoder of their own.
    ///   - awaitsPart: A function that is called with `true` before each wait for a part of a body that is received from
    ///     a sequence, and with `false` afterwards.
    func encode(
        with encoder: any DataEncoder = JSONEncoder(), awaitsPart: @Sendable (Bool) -> Void = { _ in }
    ) async throws -> EncodedBody {
        try await encoding(encoder, awaitsPart)
    }

    /// The content of a body before it is encoded.
    enum Preview {
        case data(Data)
        case file(URL)
        case unknown
    }
}

extension RequestBody {
    private init(type: MediaType, data: @escaping @Sendable (any DataEncoder) throws -> Data) {
        self.init(type: type, preview: { (try? data($0)).map { .data($0) } ?? .unknown }) { encoder, _ in
            .data(try data(encoder))
        }
    }

    /// A value encoded as JSON. A `JSONLiteral` keeps the order of its members.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - encoder: The encoder. Defaults to `RequestOptions.encoder`.
    public static func json(
        _ value: some Encodable & Sendable, using encoder: (any DataEncoder)? = nil
    ) -> Self {
        Self(type: .json, data: { try (value as? JSONLiteral)?.encoded() ?? (encoder ?? $0).encode(value) })
    }

    /// A JSON literal, whose values can have different types: `.json(["id": 7, "name": "Assam"])`.
    public static func json(_ literal: JSONLiteral) -> Self {
        Self(type: .json, data: { _ in try literal.encoded() })
    }

    /// Returns data as it is, text as plain text, no body for `nil`, and any other value as JSON.
    static func value(_ value: some Encodable & Sendable) -> Self? {
        switch value {
        case let data as Data: .data(data)
        case let text as String: .data(Data(text.utf8), type: .text)
        case let optional as any NilRepresentable where optional.isNothing: nil
        default: .json(value)
        }
    }

    /// Items encoded as a form (WHATWG URL, section 5), with spaces as `%20`.
    public static func form(_ items: QueryItems) -> Self {
        Self(type: .form, data: { _ in Data(items.percentEncoded.utf8) })
    }

    /// An object encoded as a form; nested values have the names of `QueryItems(nesting:)`.
    public static func form(nesting value: JSONLiteral) -> Self {
        Self(type: .form, data: { _ in Data(try QueryItems(nesting: value).percentEncoded.utf8) })
    }

    /// Unmodified bytes.
    public static func data(_ data: Data, type: MediaType = .octetStream) -> Self {
        Self(type: type, data: { _ in data })
    }

    /// A file, read while it is sent, with a `Content-Length`.
    ///
    /// The file must not change until the request has ended. Otherwise the request fails with an error of kind
    /// `invalidRequest`, even if the server has responded.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - type: The media type. Defaults to that of a known file extension, such as `png`, or `octetStream`.
    public static func file(_ url: URL, type: MediaType? = nil) -> Self {
        Self(type: type ?? MediaType(ofFile: url) ?? .octetStream, preview: { _ in .file(url) }) { _, _ in
            .file(try BodyFile(url))
        }
    }

    /// Chunks of an asynchronous sequence. `open` is called once when the request is sent, not for each attempt.
    ///
    /// The chunks are written to a temporary file, which is then sent. The file allows further attempts, and avoids
    /// body streams, which URLSession's own protocol on Linux reads on a queue that all sessions share (PLATFORM A6).
    ///
    /// - Parameters:
    ///   - length: The required total length in bytes, or `nil` for any length. A different length is an error.
    ///   - type: The media type of the bytes.
    ///   - open: Returns the sequence.
    public static func stream<Chunks: AsyncSequence & Sendable>(
        length: Int64? = nil, type: MediaType = .octetStream, _ open: @escaping @Sendable () throws -> Chunks
    ) -> Self where Chunks.Element == Data {
        Self(type: type) { _, awaitsPart in
            let writer = try BodyFile.Writer()
            awaitsPart(true)
            for try await chunk in try open() {
                awaitsPart(false)
                try Task.checkCancellation()
                try writer.write(chunk)
                awaitsPart(true)
            }
            awaitsPart(false)
            // A sequence that ends because of cancellation is incomplete.
            try Task.checkCancellation()
            let file = try writer.finish()
            if let length, file.length != length {
                throw BodyEncodingError(description: "the stream has \(file.length) bytes, not \(length)")
            }
            return .file(file)
        }
    }
}

extension RequestBody: ExpressibleByDictionaryLiteral {
    /// Creates a JSON object, whose values can have different types: `body: ["id": 7, "name": "Assam"]`.
    public init(dictionaryLiteral elements: (String, JSONLiteral)...) {
        self = .json(JSONLiteral(.object(elements.map { (key: $0.0, value: $0.1) })))
    }
}

/// A body that is ready to be sent.
enum EncodedBody: Sendable {
    case data(Data)
    case file(BodyFile)
}

struct BodyEncodingError: Error, CustomStringConvertible, LocalizedError {
    let description: String
    var errorDescription: String? { description }
}

extension RequestBody {
    /// One part of a multipart body: a field or a file.
    public struct Part: Sendable {
        let name: String
        let body: RequestBody
        let filename: String?

        /// Creates a part. With a `filename`, servers treat the part as a file. The filename of a file body defaults to
        /// the name of the file.
        public init(_ name: String, _ body: RequestBody, filename: String? = nil) {
            (self.name, self.body, self.filename) = (name, body, filename)
        }

        /// Creates a text field.
        public init(_ name: String, _ text: String) { self.init(name, .data(Data(text.utf8), type: .text)) }
    }

    /// A `multipart/form-data` body (RFC 7578).
    ///
    /// A body of more than a megabyte is written to a temporary file. Quotes and line breaks in names are escaped
    /// as in browsers (WHATWG HTML, section 4.10.21.8).
    public static func multipart(_ parts: Part...) -> Self { multipart(parts) }

    /// A `multipart/form-data` body (RFC 7578) of the given parts.
    public static func multipart(_ parts: [Part]) -> Self { multipart(parts, boundary: "\(UUID())") }

    static func multipart(_ parts: [Part], boundary: String) -> Self {
        Self(type: MediaType(rawValue: "multipart/form-data; boundary=\(boundary)")) { encoder, awaitsPart in
            let writer = try BodyFile.Writer()
            for part in parts {
                // A line break would start another header field.
                guard part.body.type.rawValue.isFieldValue else {
                    throw BodyEncodingError(description: "the type of a part contains a control character")
                }
                switch try await part.body.encode(with: encoder, awaitsPart: awaitsPart) {
                case .data(let data):
                    try writer.write(part.head(boundary, nil))
                    try writer.write(data)
                case .file(let file):
                    try writer.write(part.head(boundary, file))
                    try writer.write(contentsOf: file)
                }
                try writer.write(Data("\r\n".utf8))
            }
            try writer.write(Data("--\(boundary)--\r\n".utf8))
            let file = try writer.finish()
            if file.length > maxMemoryBytes { return .file(file) }
            // The file is deleted with its last reference.
            return try withExtendedLifetime(file) { .data(try Data(contentsOf: file.url)) }
        }
    }

    private static let maxMemoryBytes: Int64 = 1 << 20
}

extension RequestBody.Part {
    fileprivate func head(_ boundary: String, _ file: BodyFile?) -> Data {
        var head = "--\(boundary)\r\n"
        head += "Content-Disposition: form-data; name=\"\(Self.escaped(name))\""
        if let filename = filename ?? file?.name { head += "; filename=\"\(Self.escaped(filename))\"" }
        return Data("\(head)\r\nContent-Type: \(body.type)\r\n\r\n".utf8)
    }

    private static func escaped(_ name: String) -> String {
        name.unicodeScalars.map { scalar in
            switch scalar {
            case "\"": "%22"
            case "\r": "%0D"
            case "\n": "%0A"
            default: String(scalar)
            }
        }.joined()
    }
}
