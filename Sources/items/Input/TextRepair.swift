import Foundation
import RESTClient
import Synchronization

/// The replacement of text that is not valid Unicode by U+FFFD: bytes that are not UTF-8, and surrogate escapes without
/// their other half.
final class TextRepair: RequestInterceptor {
    /// The number of replacements.
    private let total = Atomic(0)

    /// The message at the end, or `nil` if nothing was replaced.
    var warning: String? {
        let count = total.load(ordering: .relaxed)
        return count > 0 ? "warning: replaced \(count.of("invalid character")) by U+FFFD" : nil
    }

    func intercept(
        _ request: URLRequest, context: RequestContext, next: Next
    ) async throws -> Response<ResponseBody> {
        var response = try await next(request)
        response.body = response.body.mapped(repairing())
        return response
    }

    /// Returns a function that repairs the chunks of one text, which end with `nil`.
    func repairing() -> @Sendable (Data?) -> Data? {
        Chunks(repair: self).next
    }

    /// The end of a chunk that the next one can continue.
    private final class Chunks: Sendable {
        private let rest = Mutex<[UInt8]>([])
        private let repair: TextRepair

        init(repair: TextRepair) { self.repair = repair }

        @Sendable func next(_ chunk: Data?) -> Data? {
            rest.withLock { rest in
                let bytes = rest + (chunk ?? Data())
                let (text, end, count) = TextRepair.repaired(bytes, isComplete: chunk == nil)
                rest = Array(bytes[end...])
                repair.total.wrappingAdd(count, ordering: .relaxed)
                return chunk == nil && text.isEmpty ? nil : Data(text)
            }
        }
    }

    /// Returns the repaired text up to an end after which more bytes are needed, and the number of replacements.
    private static func repaired(
        _ bytes: [UInt8], isComplete: Bool
    ) -> (text: [UInt8], end: Int, count: Int) {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
        var (index, count) = (0, 0)
        while index < bytes.count {
            let (length, replacement) = token(in: bytes[index...])
            guard let length else {
                guard isComplete else { break }
                // A text that ends early is left to the reader.
                text += bytes[index...]
                return (text, bytes.count, count)
            }
            if let replacement {
                text += replacement
                count += 1
            } else {
                text += bytes[index..<index + length]
            }
            index += length
        }
        return (text, index, count)
    }

    /// Returns the length of the next character or escape, or `nil` if it depends on more bytes, and what replaces it.
    private static func token(in bytes: ArraySlice<UInt8>) -> (length: Int?, replacement: [UInt8]?) {
        let start = bytes.startIndex
        let first = bytes[start]
        if first == UInt8(ascii: "\\") { return escape(in: bytes) }
        guard first >= 0x80 else {
            let end = bytes.firstIndex { $0 >= 0x80 || $0 == UInt8(ascii: "\\") } ?? bytes.endIndex
            return (end - start, nil)
        }
        let length: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch first {
        case 0xC2...0xDF: length = 2
        case 0xE0...0xEF:
            length = 3
            if first == 0xE0 { second = 0xA0...0xBF }
            if first == 0xED { second = 0x80...0x9F }
        case 0xF0...0xF4:
            length = 4
            if first == 0xF0 { second = 0x90...0xBF }
            if first == 0xF4 { second = 0x80...0x8F }
        default: return (1, mark)
        }
        for offset in 1..<length {
            guard start + offset < bytes.endIndex else { return (nil, nil) }
            let range = offset == 1 ? second : 0x80...0xBF
            // The bytes up to here are one invalid character.
            if !range.contains(bytes[start + offset]) { return (offset, mark) }
        }
        return (length, nil)
    }

    private static func escape(in bytes: ArraySlice<UInt8>) -> (length: Int?, replacement: [UInt8]?) {
        let start = bytes.startIndex
        guard bytes.count > 1 else { return (nil, nil) }
        guard bytes[start + 1] == UInt8(ascii: "u") else {
            return (bytes[start + 1] < 0x80 ? 2 : 1, nil)
        }
        guard bytes.count >= 6 else { return (nil, nil) }
        guard let unit = unit(bytes[(start + 2)..<(start + 6)]) else { return (2, nil) }
        if 0xDC00...0xDFFF ~= unit { return (6, escapedMark) }
        guard 0xD800...0xDBFF ~= unit else { return (6, nil) }
        let next = bytes.dropFirst(6)
        guard next.starts(with: Array("\\u".utf8.prefix(next.count))) else { return (6, escapedMark) }
        guard next.count >= 6 else { return (nil, nil) }
        let isPair = self.unit(next.dropFirst(2).prefix(4)).map { 0xDC00...0xDFFF ~= $0 } ?? false
        return isPair ? (12, nil) : (6, escapedMark)
    }

    private static func unit(_ digits: ArraySlice<UInt8>) -> UInt16? {
        UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
    }

    private static let mark: [UInt8] = [0xEF, 0xBF, 0xBD]
    private static let escapedMark = Array(#"\ufffd"#.utf8)
}
