// The text of whole strings.
extension RawSpan {
    /// The text of a JSON string, or `nil` if the bytes are another value.
    package var string: String? {
        var traits = ElementTraits.plain
        guard byteCount > 1, byte(at: 0) == Byte.quote, let text = string(at: 0, &traits),
            text.end == byteCount
        else { return nil }
        return self.text(ofString: text.kind)
    }

    /// The text of a JSON string as UTF-8, or `nil` if the bytes are another value.
    package var unescapedString: [UInt8]? {
        guard byteCount > 1, byte(at: 0) == Byte.quote else { return nil }
        var end = 0
        let text = [UInt8](unsafeUninitializedCapacity: byteCount + Self.unescapingSlack) { target, count in
            var traits = ElementTraits.plain
            if let text = string(at: 0, &traits, into: UnsafeMutableRawBufferPointer(target)) {
                (end, count) = text
            }
        }
        return end == byteCount ? text : nil
    }

    /// Returns the text of a valid JSON string.
    package func text(ofString kind: TextKind) -> String {
        if kind == .escaped {
            return withUnsafeTemporaryAllocation(byteCount: byteCount + Self.unescapingSlack, alignment: 1) {
                let count = unescape(at: 0, into: $0)
                return String(decoding: UnsafeRawBufferPointer(rebasing: $0[..<count]), as: UTF8.self)
            }
        }
        return extracting(1..<byteCount - 1).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
}
