import Foundation
import RESTClientHTTP

/// The state of a resource: its strong `ETag` or, if it has no `ETag`, its `Last-Modified`; and its length, if it is known.
struct ResourceValidator: Equatable, Sendable {
    let value: String
    let total: Int64?

    /// Returns `nil` unless the value is a strong entity tag (RFC 9110, section 8.8.3) or a date, as `If-Range` requires.
    /// A tag can contain spaces, which RFC 2616 allowed.
    init?(_ value: String, total: Int64?) {
        let tag = value.utf8.dropFirst().dropLast()
        let isTag =
            value.utf8.count > 1 && value.hasPrefix("\"") && value.hasSuffix("\"")
            && tag.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != 0x7F }
        guard isTag || HTTPDate.date(value, now: Date()) != nil else { return nil }
        (self.value, self.total) = (value, total)
    }

    /// Returns the validator of a whole resource, or `nil` if it has none that identifies its bytes. A date does only if the
    /// response was sent at least a second later, because the resource can change twice in a second (section 8.8.2.2).
    init?(_ headers: HTTPHeaders, total: Int64?) {
        func date(_ name: HTTPHeaders.Name) -> Date? {
            headers[name].flatMap { HTTPDate.date($0, now: Date()) }
        }
        if let tag = headers[.eTag] {
            self.init(tag, total: total)
        } else {
            guard let sent = date(.date), let modified = date(.lastModified), sent >= modified + 1 else {
                return nil
            }
            self.init(headers[.lastModified] ?? "", total: total)
        }
    }

    /// The header field of a response that contains the value.
    var header: HTTPHeaders.Name { value.hasPrefix("\"") ? .eTag : .lastModified }
}

/// The first bytes of a resource, which a download has received and can continue.
struct ReceivedPart: Equatable, Sendable {
    let length: Int64
    let validator: ResourceValidator

    /// Returns `nil` if there is nothing to continue.
    init?(length: Int64, validator: ResourceValidator?) {
        guard let validator, length > 0, length <= validator.total ?? .max else { return nil }
        (self.length, self.validator) = (length, validator)
    }
}

/// The place of the body of a response in the file of a download.
enum BodyPlace: Equatable {
    /// The body is the whole resource. It has `total` bytes, which the response announces, or which are known because the
    /// resource is the same as before.
    case start(announced: Int64?, total: Int64?, ResourceValidator?)
    /// The body follows the received bytes, and ends at the offset `end` of a resource of `total` bytes.
    case next(end: Int64, total: Int64)
    /// The place is not certain, so the body is not written.
    case unknown

    /// - Parameter part: The received bytes that the request asked to continue, or `nil` if it asked for the whole resource.
    init(of status: HTTPStatus, _ headers: HTTPHeaders, after part: ReceivedPart?) {
        self = .unknown
        let field = headers["Content-Range"]
        let range = ContentRange(field)
        // Offsets count bytes of the encoded body, and received bytes are decoded.
        let isEncoded = headers[.contentEncoding] != nil
        let isOfParts = headers[.contentType]?.lowercased().hasPrefix("multipart/byteranges") ?? false
        if part != nil, isOfParts { return }
        // Parts are combined only if they have the same validator (RFC 9110, section 15.3.7.3), because a server can
        // support ranges without `If-Range`.
        let known = part.flatMap { part in
            headers[part.validator.header] == part.validator.value ? part.validator : nil
        }
        if status == 206 {
            // Without a total, the end of the range need not be that of the resource.
            guard let part, let known, let range, let total = range.total ?? known.total, !isEncoded,
                range.first == part.length, range.end <= total, total == known.total ?? total
            else { return }
            self = .next(end: range.end, total: total)
            return
        }
        // A `Content-Range` means nothing in other responses, but a server that sends one may have sent a part.
        let isOfBytes = field?.lowercased().hasPrefix("bytes") ?? false
        guard range?.isWhole ?? (field == nil || part == nil && !isOfBytes) else { return }
        if isEncoded {
            self = .start(announced: nil, total: nil, nil)
            return
        }
        let announced = range?.total ?? headers[.contentLength].flatMap { ContentRange.number($0[...]) }
        // A strong tag identifies the bytes, and therefore their number.
        let total = known?.header == .eTag ? known?.total : nil
        if let announced, announced != total ?? announced { return }
        let validator = status == 200 ? ResourceValidator(headers, total: announced ?? total) : nil
        self = .start(announced: announced, total: announced ?? total, validator)
    }
}

/// A parsed `Content-Range` header such as `bytes 5-9/10` (RFC 9110, section 14.4).
struct ContentRange {
    let first: Int64
    /// The offset after the last byte.
    let end: Int64
    /// The total length, or `nil` if it is unknown (`*`).
    let total: Int64?

    init?(_ value: String?) {
        guard let value, value.lowercased().hasPrefix("bytes ") else { return nil }
        let parts = value.dropFirst(6).split(separator: "/", maxSplits: 1)
        let ends =
            parts.first?.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false).compactMap {
                Self.number($0)
            } ?? []
        guard parts.count == 2, ends.count == 2, ends[0] <= ends[1], ends[1] < .max else { return nil }
        (first, end, total) = (ends[0], ends[1] + 1, Self.number(parts[1]))
        guard total != nil || parts[1] == "*" else { return nil }
        if let total, total < end { return nil }
    }

    /// `true` if the range is the whole resource.
    var isWhole: Bool { first == 0 && end == total }

    /// Returns the number in decimal digits, or `nil` for any other text.
    static func number(_ text: Substring) -> Int64? {
        text.utf8.allSatisfy(\.isASCIIDigit) ? Int64(text) : nil
    }
}
