import Foundation

/// A JSON value of an archive and its path.
struct HARNode {
    private let value: JSONLiteral
    private let path: String

    /// Returns an error about this value.
    func `is`(_ problem: String) -> HARError { HARError(path: path, problem: "is \(problem)") }

    /// Returns the required member `key`.
    subscript(key: String) -> HARNode {
        get throws {
            guard let node = try optional(key) else {
                throw HARError(path: path(of: key), problem: "is missing")
            }
            return node
        }
    }

    /// Returns the member `key`, or `nil` if it is missing or `null`.
    func optional(_ key: String) throws -> HARNode? {
        guard case .object(let members) = value.node else { throw self.is("\(kind), not an object") }
        guard let member = members.last(where: { $0.key == key }) else { return nil }
        if case .null = member.value.node { return nil }
        return HARNode(value: member.value, path: path(of: key))
    }

    var elements: [HARNode] {
        get throws {
            guard case .array(let elements) = value.node else { throw self.is("\(kind), not an array") }
            return elements.enumerated().map { HARNode(value: $1, path: "\(path)[\($0)]") }
        }
    }

    var string: String {
        get throws {
            guard case .string(let text) = value.node else { throw self.is("\(kind), not a string") }
            return text
        }
    }

    /// Returns the body in the member `text`, or `nil` if there is none.
    ///
    /// - Parameter keys: The members that can contain the name of the encoding of the text, the first one first.
    func body(encodedBy keys: String...) throws -> Data? {
        guard let node = try optional("text") else { return nil }
        let text = try node.string
        let named = keys.lazy.compactMap { try? optional($0) }.first { (try? $0.string.isEmpty) == false }
        // Polly.js has written binary bodies without the name of their encoding.
        let isBinary = if case .bool(true)? = try optional("_isBinary")?.value.node { true } else { false }
        let encoding = try named?.string.lowercased() ?? (isBinary ? "hex" : "utf-8")
        let decode: (String) -> Data?
        switch encoding {
        case "utf-8", "utf8", "us-ascii", "ascii", "text", "plain", "identity", "none": return Data(text.utf8)
        case "base64", "base64url": decode = Data.init(anyBase64:)
        case "hex": decode = Data.init(hex:)
        default:
            throw (named ?? node).is(
                """
                \(TerminalEscaping.quoted(encoding)), which is not a known encoding: write the text in base64, or remove the \
                name of the encoding if the text is the body itself
                """)
        }
        // Polly.js writes the chunks of a compressed body as an array.
        let pieces =
            text.hasPrefix("[")
            ? try HARNode(parsing: Data(text.utf8)).elements.map { try $0.string } : [text]
        return try pieces.reduce(into: Data()) { body, piece in
            guard let data = decode(piece) else { throw node.is("not \(encoding)") }
            body += data
        }
    }

    var integer: Int {
        get throws {
            if case .integer(let integer) = value.node { return integer }
            guard let number else { throw self.is("\(kind), not a whole number") }
            guard let integer = Int(exactly: number) else { throw self.is("not a whole number") }
            return integer
        }
    }

    /// A time. Archives write -1 for an unknown time, which is read as zero.
    var milliseconds: Duration {
        get throws {
            guard let number else { throw self.is("\(kind), not a number of milliseconds") }
            guard number <= HARTime.maximum else { throw self.is("longer than a year") }
            return HARTime.duration(milliseconds: number)
        }
    }

    private var number: Double? {
        switch value.node {
        case .integer(let number): Double(number)
        case .number(let number): number
        default: nil
        }
    }

    private func path(of key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

    private var kind: String {
        switch value.node {
        case .null, .invalid: "null"
        case .bool: "a Boolean"
        case .integer, .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

extension Data {
    /// Decodes base64 of both alphabets, with or without padding and line breaks (RFC 4648, sections 4 and 5).
    fileprivate init?(anyBase64 text: String) {
        let digits = text.filter { !$0.isWhitespace && $0 != "=" }
            .replacing("-", with: "+").replacing("_", with: "/")
        self.init(base64Encoded: digits + String(repeating: "=", count: (4 - digits.utf8.count % 4) % 4))
    }

    fileprivate init?(hex text: String) {
        let digits = text.compactMap(\.hexDigitValue)
        guard digits.count == text.count, digits.count.isMultiple(of: 2) else { return nil }
        self.init(stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
    }
}

extension HARNode {
    init(parsing data: Data) throws {
        do {
            self.init(value: try JSONLiteral(parsing: data), path: "")
        } catch DecodingError.dataCorrupted(let context) {
            let cause = (context.underlyingError as NSError?)?.userInfo[NSDebugDescriptionErrorKey] as? String
            let reason = TerminalEscaping.escaped(cause ?? context.debugDescription, limit: 200)
            throw HARError(path: "", problem: "is not JSON: \(reason)")
        }
    }
}
