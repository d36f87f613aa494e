/// What is said of malformed JSON: nothing in it drives a terminal.
enum Complaint {
    static let loneSurrogate = "a surrogate escape without its other half"

    static func expected(_ what: String, _ byte: UInt8) -> String { "expected \(what), found \(shown(byte))" }

    static func expectedKey(_ byte: UInt8, isFirst: Bool) -> String {
        if byte == Byte.closeBrace, !isFirst { return "a comma before the end of an object" }
        return expected("a key in double quotes", byte)
    }

    static func commaOrEnd(_ isObject: Bool) -> String {
        isObject ? "a comma or the end of the object" : "a comma or the end of the list"
    }

    /// `byte` in quotes, or its number where it is not printable.
    static func shown(_ byte: UInt8) -> String {
        if 0x21...0x7E ~= byte { return "\"\(Character(UnicodeScalar(byte)))\"" }
        let digits = String(byte, radix: 16, uppercase: true)
        return "the byte 0x" + (digits.count == 1 ? "0" : "") + digits
    }
}
