package import Foundation

/// The text of a body in UTF-8, UTF-16 or an 8-bit character set, from which the same bytes are created again after secrets
/// were masked in it.
///
/// Bytes that are not UTF-8 are private-use characters in the text, so that the rest of the body is still searched.
package struct BodyText {
    package private(set) var text: String
    /// The byte order mark.
    private var mark: ArraySlice<UInt8> = []
    /// The byte order if the body is UTF-16.
    private var isBigEndian: Bool?
    /// The incomplete character at the end of a body in UTF-16 that was cut.
    private var rest: ArraySlice<UInt8> = []

    /// Returns `nil` if the body cannot be searched for secrets: binary data, compressed data, or text in a character set in
    /// which ASCII bytes can have another meaning.
    package init?(_ body: Data, _ headers: HTTPHeaders) {
        if let wide = Self(utf16: body, headers) {
            self = wide
            return
        }
        let bytes = Array(body)
        let charset = headers.mediaType?.charset ?? ""
        if !Self.isTransparent(charset) {
            guard bytes.allSatisfy({ $0 < 0x80 && !Self.isControl($0) }) else { return nil }
        }
        let isUTF8 = Self.isUTF8(bytes)
        if isUTF8 {
            // Text in UTF-32 is also valid UTF-8.
            guard headers.isUnknown || !bytes.contains(byte: 0) else { return nil }
        } else {
            guard !headers.isMedia, !Self.isCompressed(bytes, headers) else { return nil }
            guard headers.isUnknown ? !Self.isBinary(bytes) : !bytes.contains(where: Self.isControl) else {
                return nil
            }
        }
        mark = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[..<3] : []
        text = Self.text(bytes[mark.count...])
        if !isUTF8, charset.isEmpty, hasHiddenBackslash { return nil }
    }

    /// Returns `true` for a body that has no names of secrets: an image or other media, and binary data of unknown type.
    static func isMedia(_ body: Data, _ headers: HTTPHeaders) -> Bool {
        let bytes = Array(body)
        return headers.isMedia
            || headers.isUnknown && !isCompressed(bytes, headers) && !isUTF8(bytes) && isBinary(bytes)
    }

    /// Returns `nil` if the body is not UTF-16: declared, with a byte order mark, or with zeros as the first ASCII characters
    /// have them.
    init?(utf16 body: Data, _ headers: HTTPHeaders) {
        let bytes = Array(body)
        let charset = headers.mediaType?.charset ?? ""
        let zeros = bytes.prefix(4).map { $0 == 0 }
        if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) {
            mark = bytes[..<2]
            isBigEndian = bytes[0] == 0xFE
        } else if zeros == [true, false, true, false] || zeros == [false, true, false, true] {
            isBigEndian = zeros[0]
        } else if charset.hasPrefix("utf-16") {
            isBigEndian = charset != "utf-16le"
        }
        guard let isBigEndian else { return nil }
        var units = stride(from: mark.count, to: bytes.count - 1, by: 2).map { index in
            let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            return isBigEndian ? first << 8 | second : second << 8 | first
        }
        if let last = units.last, UTF16.isLeadSurrogate(last) { units.removeLast() }
        rest = bytes[(mark.count + 2 * units.count)...]
        guard !units.contains(0), let text = String(validating: units, as: UTF16.self) else { return nil }
        self.text = text
    }

    /// Returns the body with another text.
    package func data(_ text: String) -> Data {
        guard let isBigEndian else { return Data(mark + Self.bytes(of: text)) }
        let bytes = text.utf16.flatMap { unit in
            let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
            return isBigEndian ? [high, low] : [low, high]
        }
        return Data(mark + bytes + rest)
    }

    private static let transparent = [
        "utf-8", "utf8", "us-ascii", "ascii", "iso-8859-", "iso8859-", "latin", "windows-125", "cp125",
        "koi8-",
    ]

    /// Returns `true` if each byte of ASCII is that character in `charset`, also after other bytes, and for an empty name.
    package static func isTransparent(_ charset: String) -> Bool {
        charset.isEmpty || transparent.contains { charset.hasPrefix($0) }
    }

    /// The first bytes of compressed data: gzip, compress, zlib, Zstandard, xz, bzip2 and ZIP.
    private static let compressed: [[UInt8]] = [
        [0x1F, 0x8B], [0x1F, 0x9D], [0x78, 0x01], [0x78, 0x5E], [0x78, 0x9C], [0x78, 0xDA],
        [0x28, 0xB5, 0x2F, 0xFD], [0xFD, 0x37, 0x7A, 0x58, 0x5A], [0x42, 0x5A, 0x68],
        [0x50, 0x4B, 0x03, 0x04],
    ]

    private static func isCompressed(_ bytes: [UInt8], _ headers: HTTPHeaders) -> Bool {
        // URLSession removes gzip, which has a signature. It does not know all codings.
        let coding = headers[.contentEncoding]?.lowercased() ?? ""
        return !["", "identity", "gzip", "x-gzip"].contains(coding)
            || compressed.contains { bytes.starts(with: $0) }
    }

    /// Returns `true` for control characters that are not white space.
    private static func isControl(_ byte: UInt8) -> Bool {
        byte < 0x20 && byte != 0x09 && byte != 0x0A && byte != 0x0C && byte != 0x0D
    }

    /// Returns `true` if more than one of 32 bytes at the start is a control character, as in most binary data.
    private static func isBinary(_ bytes: [UInt8]) -> Bool {
        let start = bytes.prefix(64 << 10)
        return start.count(where: isControl) > start.count / 32
    }

    /// Returns `true` for valid UTF-8, even if it ends in an incomplete character.
    private static func isUTF8(_ bytes: [UInt8]) -> Bool {
        let rest = (1...3).first { count in
            let last = bytes.suffix(count)
            guard last.count == count, let lead = last.first else { return false }
            return (0xC2...0xF4).contains(lead) && count < (~lead).leadingZeroBitCount
        }
        return String(validating: bytes.dropLast(rest ?? 0), as: UTF8.self) != nil
    }

    /// `true` if a backslash may be the second byte of a character of an East Asian character set, and may not escape the
    /// quotation mark after it.
    private var hasHiddenBackslash: Bool {
        zip(text.unicodeScalars, text.unicodeScalars.dropFirst()).contains {
            Self.byte($0) != nil && $1 == "\\"
        }
    }

    // MARK: Bytes that are not UTF-8

    /// The first private-use character, which stands for the byte 0.
    private static let firstByte: UInt32 = 0x10_FF00

    private static func byte(_ scalar: Unicode.Scalar) -> UInt8? {
        scalar.value >= firstByte + 0x80 ? UInt8(scalar.value - firstByte) : nil
    }

    /// Returns bytes as a part of a body's text.
    static func text(_ bytes: ArraySlice<UInt8>) -> String {
        if !bytes.contains(byte: 0xF4), let text = String(validating: bytes, as: UTF8.self) { return text }
        var scalars = String.UnicodeScalarView()
        var parser = Unicode.UTF8.ForwardParser()
        var iterator = bytes.makeIterator()
        var position = bytes.startIndex
        while true {
            let length: Int
            switch parser.parseScalar(from: &iterator) {
            case .emptyInput: return String(scalars)
            case .valid(let encoded):
                length = encoded.count
                let scalar = Unicode.UTF8.decode(encoded)
                if byte(scalar) == nil {
                    scalars.append(scalar)
                    position += length
                    continue
                }
            case .error(let count): length = count
            }
            // `append(contentsOf:)` would copy all scalars each time.
            for byte in bytes[position..<position + length] {
                if let scalar = Unicode.Scalar(firstByte + UInt32(byte)) { scalars.append(scalar) }
            }
            position += length
        }
    }

    /// Returns the bytes of a part of a body's text.
    static func bytes(of text: String) -> [UInt8] {
        guard text.unicodeScalars.contains(where: { byte($0) != nil }) else { return Array(text.utf8) }
        return text.unicodeScalars.flatMap { scalar in byte(scalar).map { [$0] } ?? Array("\(scalar)".utf8) }
    }
}

extension ContiguousBytes {
    /// Returns `true` if the bytes contain `byte`. This is much faster in a debug build than `contains(_:)`.
    package func contains(byte: UInt8) -> Bool {
        withUnsafeBytes { bytes in
            bytes.baseAddress.map { memchr($0, Int32(byte), bytes.count) != nil } ?? false
        }
    }
}

extension HTTPHeaders {
    fileprivate var mediaType: MediaType? { self[.contentType].map(MediaType.init(rawValue:)) }

    /// `true` if the type of the body is not known.
    fileprivate var isUnknown: Bool {
        mediaType.map { $0.essence.isEmpty || $0.essence.hasSuffix("octet-stream") } ?? true
    }

    /// `true` for the types of images and other binary data that has no names of secrets.
    fileprivate var isMedia: Bool {
        guard let type = mediaType?.essence, !type.hasSuffix("xml"), !type.hasSuffix("json") else {
            return false
        }
        return type == "application/pdf" || type == "application/wasm"
            || ["image/", "audio/", "video/", "font/", "model/"].contains { type.hasPrefix($0) }
    }
}

extension MediaType {
    /// The character set in lower case, or `nil` if there is none.
    package var charset: String? { HTTPHeaders.parameters(of: rawValue)["charset"]?.lowercased() }
}
