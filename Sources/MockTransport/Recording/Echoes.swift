import Foundation

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Secret values, for finding them wherever they stand.
struct Echoes {
    /// In all the ways in which they are written; the longest first, so that none is cut by one that it contains.
    private let needles: [Data]

    /// Values that are too short, and plain words, stand in too many places where they mean something else.
    init(_ values: Set<String>) {
        let telling = values.filter { value in
            value.utf8.count >= 10 || value.utf8.count >= 6 && !value.allSatisfy(\.isLetter)
        }
        needles = Set(telling.flatMap { Self.spellings(of: $0) }).map { Data($0.utf8) }
            .sorted { $0.count == $1.count ? $0.lexicographicallyPrecedes($1) : $0.count > $1.count }
    }

    private static func spellings(of value: String) -> [String] {
        let quoted = String(JSONLiteral.quoted(value).dropFirst().dropLast())
        return [
            value, QueryItems.encoded(value), quoted, quoted.replacing("/", with: "\\/"),
            value.replacing(" ", with: "+"),
        ]
    }

    func mask(_ texts: inout HAR.Entry.Texts) {
        guard !needles.isEmpty else { return }
        texts.url = URL(masked: URL(string: masked(texts.url.absoluteString)))
        texts.asked = masked(texts.asked)
        texts.answered = masked(texts.answered)
        texts.failure = masked(texts.failure)
    }

    private func masked(_ message: (headers: HTTPHeaders, body: Data)) -> (HTTPHeaders, Data) {
        var headers = HTTPHeaders()
        for (name, value) in message.headers { headers.add(name, masked(value)) }
        return (headers, masked(message.body))
    }

    private func masked(_ text: String) -> String { String(decoding: masked(Data(text.utf8)), as: UTF8.self) }

    private func masked(_ data: Data) -> Data {
        needles.reduce(data) { $0.replacing($1, with: Redaction.mask.utf8) }
    }
}

extension Data {
    fileprivate func replacing(_ needle: Data, with replacement: String.UTF8View) -> Data {
        var result: Data?
        var copied = startIndex
        while let place = place(of: needle, from: copied) {
            result = (result ?? Data()) + self[copied..<place] + replacement
            copied = place + needle.count
        }
        return result.map { $0 + self[copied...] } ?? self
    }

    private func place(of needle: Data, from start: Index) -> Index? {
        withUnsafeBytes { bytes in
            needle.withUnsafeBytes { needle in
                guard let base = bytes.baseAddress, let first = needle.first,
                    let wanted = needle.baseAddress
                else { return nil }
                var offset = start - startIndex
                while bytes.count - offset >= needle.count,
                    let found = memchr(
                        base + offset, Int32(first), bytes.count - offset - needle.count + 1)
                {
                    offset = UnsafeRawPointer(found) - base
                    if memcmp(base + offset, wanted, needle.count) == 0 { return startIndex + offset }
                    offset += 1
                }
                return nil
            }
        }
    }
}
