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

    /// Returns the body in the member `text`, or `nil` if there is none. `encoding` is the name of its encoding.
    func body(encodedBy encoding: String?) throws -> Data? {
        guard let node = try optional("text") else { return nil }
        let text = try node.string
        guard encoding?.lowercased() == "base64" else { return Data(text.utf8) }
        guard let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters) else {
            throw node.is("not base64")
        }
        return data
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
