/// Numbers in messages.
extension BinaryInteger {
    /// The number with commas between groups of three digits, such as `65,536`.
    package var groupedText: String {
        var text = ""
        for (index, digit) in "\(magnitude)".reversed().enumerated() {
            if index > 0, index.isMultiple(of: 3) { text.append(",") }
            text.append(digit)
        }
        return (self < 0 ? "-" : "") + String(text.reversed())
    }

    /// The number with a noun: `1 byte`, `65,536 bytes`.
    package func text(of noun: String) -> String { "\(groupedText) \(noun)\(self == 1 ? "" : "s")" }
}
