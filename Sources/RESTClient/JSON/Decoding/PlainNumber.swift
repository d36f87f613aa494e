import Foundation
import RESTClientHTTP

/// A decimal number with at most 17 digits and no exponent.
struct PlainNumber {
    private let isNegative: Bool
    /// The digits as a whole number.
    private var digits: Int64 = 0
    private var decimals = 0
    private(set) var hasPoint = false

    /// Creates a number from valid JSON text. Returns `nil` if it is not a plain one.
    @inline(__always) init?(_ text: RawSpan) {
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

    /// The number without its decimal point.
    var value: Int64 { isNegative ? -digits : digits }

    /// The nearest `Double`. Both operands of the division are exact, so the result is rounded once (W. Clinger,
    /// 1990).
    var double: Double? {
        guard digits <= 1 << 53 else { return nil }
        let value = hasPoint ? Double(digits) / Self.powersOfTen[decimals] : Double(digits)
        return isNegative ? -value : value
    }

    /// The number as a `Decimal`, or `nil` for zero, whose sign `Decimal` does not keep.
    var decimal: Decimal? {
        guard digits != 0 else { return nil }
        return Decimal(sign: isNegative ? .minus : .plus, exponent: -decimals, significand: Decimal(digits))
    }

    private static let powersOfTen: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
    ]
}
