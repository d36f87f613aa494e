import Foundation

/// A value of an archive that is being read, and where it stands.
struct HARNode {
    /// What is wrong, and where.
    struct Complaint: Error {
        let text: String
    }

    private let value: JSONLiteral
    private let path: String

    private init(_ value: JSONLiteral, _ path: String) {
        self.value = value
        self.path = path
    }

    init(parsing data: Data) throws {
        do {
            value = try JSONLiteral(parsing: data)
        } catch DecodingError.dataCorrupted(let context) {
            let cause = (context.underlyingError as NSError?)?.userInfo[NSDebugDescriptionErrorKey] as? String
            throw Complaint(
                text:
                    "it is not JSON: \(TerminalEscaping.escaped(cause ?? context.debugDescription, limit: 200))"
            )
        }
        path = ""
    }

    /// A complaint about this value: `log.entries[3].response.status is no status`.
    func `is`(_ what: String) -> Complaint {
        Complaint(text: "\(path.isEmpty ? "the document" : path) is \(what)")
    }

    /// What must be there below `key`.
    subscript(key: String) -> HARNode {
        get throws {
            guard case .object = value.node else { throw self.is("\(kind), not an object") }
            guard let node = try optional(key) else { throw Complaint(text: "\(below(key)) is missing") }
            return node
        }
    }

    /// What may be there below `key`; `null` is nothing.
    func optional(_ key: String) throws -> HARNode? {
        guard case .object(let members) = value.node else { throw self.is("\(kind), not an object") }
        guard let member = members.last(where: { $0.key == key }) else { return nil }
        if case .null = member.value.node { return nil }
        return HARNode(member.value, below(key))
    }

    var elements: [HARNode] {
        get throws {
            guard case .array(let elements) = value.node else { throw self.is("\(kind), not an array") }
            return elements.enumerated().map { HARNode($1, "\(path)[\($0)]") }
        }
    }

    var string: String {
        get throws {
            guard case .string(let text) = value.node else { throw self.is("\(kind), not a string") }
            return text
        }
    }

    var base64: Data {
        get throws {
            guard let data = Data(base64Encoded: try string, options: .ignoreUnknownCharacters) else {
                throw self.is("not base64")
            }
            return data
        }
    }

    var integer: Int {
        get throws {
            switch value.node {
            case .integer(let number): return number
            case .number(let number):
                if let number = Int(exactly: number) { return number }
                throw self.is("not a whole number")
            default: throw self.is("\(kind), not a whole number")
            }
        }
    }

    /// A time; what is not known is written as -1, and takes none.
    var milliseconds: Duration {
        get throws {
            let number: Double
            switch value.node {
            case .integer(let integer): number = Double(integer)
            case .number(let double): number = double
            default: throw self.is("\(kind), not a number of milliseconds")
            }
            guard number <= HARTime.longest else { throw self.is("longer than a year") }
            return HARTime.duration(milliseconds: number)
        }
    }

    private func below(_ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

    private var kind: String {
        switch value.node {
        case .null, .invalid: "null"
        case .bool: "a truth value"
        case .integer, .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
