import Foundation

/// A number of few digits without an exponent, as most are: `digits` and how many of them are decimals.
struct PlainNumber {
    private let isNegative: Bool
    /// At most seventeen.
    private var digits: Int64 = 0
    private var decimals = 0
    private(set) var hasPoint = false

    /// The number in `text`, which is known to be one; `nil` for any other.
    @inline(__always)
    init?(_ text: RawSpan) {
        guard text.byteCount <= 18, text.byteCount > 0 else { return nil }
        isNegative = text.byte(at: 0) == UInt8(ascii: "-")
        for index in (isNegative ? 1 : 0)..<text.byteCount {
            let byte = text.byte(at: index)
            if Byte.isDigit(byte) {
                digits = digits &* 10 &+ Int64(byte &- 0x30)
                if hasPoint { decimals += 1 }
            } else if byte == UInt8(ascii: ".") {
                hasPoint = true
            } else {
                return nil
            }
        }
    }

    /// The number without its point.
    var value: Int64 { isNegative ? -digits : digits }

    /// The nearest `Double`, where both parts of the quotient are exact, so that it is rounded once (W. Clinger, 1990).
    var double: Double? {
        guard digits <= 1 << 53 else { return nil }
        let value = hasPoint ? Double(digits) / Self.powersOfTen[decimals] : Double(digits)
        return isNegative ? -value : value
    }

    /// The number itself; a zero with a sign is none for `Decimal`.
    var decimal: Decimal? {
        guard digits != 0 else { return nil }
        return Decimal(
            sign: isNegative ? .minus : .plus, exponent: -decimals, significand: Decimal(digits))
    }

    private static let powersOfTen: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
    ]
}
