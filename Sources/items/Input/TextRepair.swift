import Foundation
import RESTClient
import Synchronization

/// The replacement of text that is not valid Unicode by U+FFFD: bytes that are not UTF-8, and surrogate escapes without
/// their other half.
final class TextRepair: RequestInterceptor {
    private let total = Atomic(0)

    /// The message at the end, or `nil` if nothing was replaced.
    var warning: String? {
        let count = total.load(ordering: .relaxed)
        return count > 0 ? "warning: replaced \(count.text(of: "invalid character")) by U+FFFD" : nil
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
        // The end of a chunk that the next one can continue.
        let rest = LockedState<[UInt8]>([])
        return { [self] chunk in
            rest.withLock { rest in
                rest += chunk ?? Data()
                let text = removeText(from: &rest, isComplete: chunk == nil)
                return chunk == nil && text.isEmpty ? nil : text
            }
        }
    }

    /// Removes the text from `bytes` up to an end after which more bytes are needed, and returns it repaired.
    private func removeText(from bytes: inout [UInt8], isComplete: Bool) -> Data {
        var text = Data(capacity: bytes.count)
        var rest = bytes[...]
        while !rest.isEmpty {
            // A text that ends early is left to the reader.
            guard let (length, mark) = Self.token(in: rest) ?? (isComplete ? (rest.count, nil) : nil) else {
                break
            }
            if let mark {
                text += mark.utf8
                total.wrappingAdd(1, ordering: .relaxed)
            } else {
                text += rest.prefix(length)
            }
            rest = rest.dropFirst(length)
        }
        bytes = Array(rest)
        return text
    }

    /// Returns the length of the next text or escape and what replaces it, or `nil` if that depends on more bytes.
    private static func token(in bytes: ArraySlice<UInt8>) -> (length: Int, mark: String?)? {
        guard let first = bytes.first, first != UInt8(ascii: "\\") else { return escape(in: bytes) }
        let isPlain = { (byte: UInt8) in byte < 0x80 && byte != UInt8(ascii: "\\") }
        if isPlain(first) { return (bytes.prefix(while: isPlain).count, nil) }
        var (parser, iterator) = (Unicode.UTF8.ForwardParser(), bytes.makeIterator())
        switch parser.parseScalar(from: &iterator) {
        case .valid(let scalar): return (scalar.count, nil)
        // The start of a character at the end.
        case .error(length: bytes.count) where 0xC2...0xF4 ~= first: return nil
        case .error(let length): return (length, "\u{FFFD}")
        case .emptyInput: return nil
        }
    }

    private static func escape(in bytes: ArraySlice<UInt8>) -> (length: Int, mark: String?)? {
        let text = bytes.prefix(12)
        guard let letter = text.dropFirst().first else { return nil }
        guard letter == UInt8(ascii: "u") else { return (letter < 0x80 ? 2 : 1, nil) }
        guard text.count >= 6 else { return nil }
        guard let unit = unit(text.dropFirst(2).prefix(4)) else { return (2, nil) }
        if 0xDC00...0xDFFF ~= unit { return (6, #"\ufffd"#) }
        guard 0xD800...0xDBFF ~= unit else { return (6, nil) }
        let next = text.dropFirst(6)
        guard next.starts(with: #"\u"#.utf8.prefix(next.count)) else { return (6, #"\ufffd"#) }
        guard next.count == 6 else { return nil }
        let isPair = self.unit(next.dropFirst(2)).map { 0xDC00...0xDFFF ~= $0 } ?? false
        return isPair ? (12, nil) : (6, #"\ufffd"#)
    }

    private static func unit(_ digits: ArraySlice<UInt8>) -> UInt16? {
        UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
    }
}
