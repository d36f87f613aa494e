extension TerminalEscaping {
    /// The first unsafe scalar of valid UTF-8 at `start` or behind it, and where it begins.
    public static func firstUnsafe(
        in text: UnsafeRawBufferPointer, from start: Int = 0
    ) -> (index: Int, scalar: Unicode.Scalar)? {
        let controls = SIMD16<UInt8>(repeating: 0x20)
        let delete = SIMD16<UInt8>(repeating: 0x7F)
        let leads = (
            SIMD16<UInt8>(repeating: 0xC2), SIMD16<UInt8>(repeating: 0xD8), SIMD16<UInt8>(repeating: 0xE2)
        )
        var index = start
        while index <= text.count - 16 {
            let bytes = text.loadUnaligned(fromByteOffset: index, as: SIMD16<UInt8>.self)
            let suspects =
                (bytes .< controls) .| (bytes .== delete) .| (bytes .== leads.0) .| (bytes .== leads.1)
                .| (bytes .== leads.2)
            if any(suspects) {
                for position in index..<index + 16 {
                    if let scalar = unsafeScalar(at: position, in: text) { return (position, scalar) }
                }
            }
            index += 16
        }
        while index < text.count {
            if let scalar = unsafeScalar(at: index, in: text) { return (index, scalar) }
            index += 1
        }
        return nil
    }

    /// Where a run of plain text ends that begins at `start`: before the first byte that is not printable ASCII, or that
    /// is a quote or a backslash, else at the end.
    public static func endOfPlain(in text: UnsafeRawBufferPointer, from start: Int) -> Int {
        // Vectors of their own: written in the comparison, the compiler makes a loop over the lanes.
        let controls = SIMD16<Int8>(repeating: 0x20)
        let quotes = SIMD16<Int8>(repeating: 0x22)
        let backslashes = SIMD16<Int8>(repeating: 0x5C)
        let deletes = SIMD16<Int8>(repeating: 0x7F)
        var index = start
        while index <= text.count - 16 {
            let bytes = text.loadUnaligned(fromByteOffset: index, as: SIMD16<Int8>.self)
            // Signed, so that what is not ASCII is less than a control character.
            let ends =
                (bytes .< controls) .| (bytes .== quotes) .| (bytes .== backslashes) .| (bytes .== deletes)
            let halves = unsafeBitCast(ends, to: SIMD2<UInt64>.self)
            let low = UInt64(littleEndian: halves[0])
            if low != 0 { return index + low.trailingZeroBitCount >> 3 }
            let high = UInt64(littleEndian: halves[1])
            if high != 0 { return index + 8 + high.trailingZeroBitCount >> 3 }
            index += 16
        }
        while index < text.count {
            let byte = text[index]
            guard 0x20..<0x7F ~= byte, byte != 0x22, byte != 0x5C else { break }
            index += 1
        }
        return index
    }

    /// The scalar of valid UTF-8 that begins at `index`, if it is unsafe; `nil` inside a sequence, too.
    @inline(__always)
    public static func unsafeScalar(at index: Int, in text: UnsafeRawBufferPointer) -> Unicode.Scalar? {
        let byte = text[index]
        if byte &- 0x20 < 0x5F { return nil }
        let length: Int
        switch byte {
        case 0..<0x20, 0x7F: return Unicode.Scalar(byte)
        // All other unsafe ones are U+0080 to U+009F, U+061C, or in U+2000 to U+2FFF.
        case 0xC2, 0xD8: length = 2
        case 0xE2: length = 3
        default: return nil
        }
        guard index + length <= text.count else { return nil }
        var value = UInt32(byte) & (length == 2 ? 0x1F : 0x0F)
        for next in index + 1..<index + length { value = value << 6 | UInt32(text[next] & 0x3F) }
        guard let scalar = Unicode.Scalar(value), isUnsafe(scalar) else { return nil }
        return scalar
    }
}
