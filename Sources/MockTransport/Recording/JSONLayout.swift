/// JSON text with a line for each member and element, so that a change is a few lines of a diff.
enum JSONLayout {
    static func text(of literal: JSONLiteral) throws -> String {
        var text = ""
        try write(literal, to: &text, indent: "")
        return text + "\n"
    }

    private static func write(_ literal: JSONLiteral, to text: inout String, indent: String) throws {
        let inner = indent + "  "
        switch literal.node {
        case .object(let members) where !members.isEmpty:
            text += "{"
            for (index, member) in members.enumerated() {
                text += index > 0 ? ",\n" : "\n"
                text += "\(inner)\(JSONLiteral.quoted(member.key)): "
                try write(member.value, to: &text, indent: inner)
            }
            text += "\n\(indent)}"
        case .array(let elements) where !elements.isEmpty:
            text += "["
            for (index, element) in elements.enumerated() {
                text += index > 0 ? ",\n" : "\n"
                text += inner
                try write(element, to: &text, indent: inner)
            }
            text += "\n\(indent)]"
        default:
            text += String(decoding: try literal.encoded(), as: UTF8.self)
        }
    }
}
