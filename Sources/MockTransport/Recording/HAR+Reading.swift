public import Foundation

extension HAR {
    /// Reads an archive from a file.
    /// - Throws: ``HARError`` if the file is not a valid archive, or the error of reading it.
    public init(contentsOf file: URL) throws {
        do {
            try self.init(parsing: Data(contentsOf: file))
        } catch var error as HARError {
            error.file = file.lastPathComponent
            throw error
        }
    }

    /// Parses an archive from JSON text.
    /// - Throws: ``HARError`` if it is not a valid archive.
    public init(parsing data: Data) throws {
        let log = try HARNode(parsing: data)["log"]
        entries = try log["entries"].elements.map { try Entry($0) }
        // Other programs do not always sort entries by time. The sort is stable.
        let order = entries.indices.sorted { (entries[$0].start, $0) < (entries[$1].start, $1) }
        entries = order.map { entries[$0] }
    }
}

extension HAR.Entry {
    fileprivate init(_ node: HARNode) throws {
        let time = try node["startedDateTime"]
        guard let start = HARTime.date(try time.string) else { throw time.is("not an ISO 8601 date") }
        self.start = start
        request = try HAR.Request(node["request"])
        response = try HAR.Response(node["response"], node.optional("timings"))
    }
}

extension HAR.Request {
    fileprivate init(_ node: HARNode) throws {
        let name = try node["method"]
        method = HTTPMethod(rawValue: try name.string)
        guard method.rawValue.isToken else { throw name.is("not a valid HTTP method") }
        let text = try node["url"]
        guard let url = URL(string: try text.string), url.scheme != nil else {
            throw text.is("not a valid URL")
        }
        self.url = url
        headers = try node.headers("headers")
        body = try node.optional("postData").map { try Self.body($0) } ?? Data()
    }

    private static func body(_ node: HARNode) throws -> Data {
        // HAR 1.2 has no binary request bodies. Custom fields begin with an underscore.
        if let body = try node.body(encodedBy: "_encoding") { return body }
        var items: QueryItems = [:]
        for item in try node.optional("params")?.elements ?? [] {
            items.add(try item["name"].string, try item.optional("value")?.string ?? "")
        }
        return Data(items.percentEncoded.utf8)
    }
}

extension HAR.Response {
    fileprivate init(_ node: HARNode, _ timings: HARNode?) throws {
        let number = try node["status"]
        let code = try number.integer
        guard code == 0 || (100...999).contains(code) else { throw number.is("not a valid status") }
        status = HTTPStatus(rawValue: code)
        headers = try node.headers("headers")
        let target = try node.optional("redirectURL")?.string ?? ""
        if !target.isEmpty, headers[.location] == nil, status.isRedirect { headers[.location] = target }
        wait = try timings?.optional("wait")?.milliseconds ?? .zero
        let text = try node.optional("_error")?.string
        if code == 0 || text != nil {
            failure = HAR.Failure(
                code: try node.optional("_errorCode")?.integer, text: text ?? "no response was recorded")
        }
        let content = try node.optional("content")
        let body = try content?.body(encodedBy: "encoding") ?? Data()
        if let pieces = try content?.optional("_chunks") {
            chunks = try Self.chunks(of: body, pieces)
        } else {
            let receive = try timings?.optional("receive")?.milliseconds ?? .zero
            chunks = body.isEmpty ? [] : [HAR.Chunk(time: receive, data: body)]
        }
    }

    private static func chunks(of body: Data, _ node: HARNode) throws -> [HAR.Chunk] {
        var chunks: [HAR.Chunk] = []
        var rest = body
        var last = Duration.zero
        for piece in try node.elements {
            let size = try piece["size"]
            let count = try size.integer
            guard count > 0, count <= rest.count else {
                throw size.is("zero or larger than the rest of the body")
            }
            let moment = try piece["time"]
            let time = try moment.milliseconds
            guard time >= last else { throw moment.is("before the time of the previous chunk") }
            chunks.append(HAR.Chunk(time: time, data: Data(rest.prefix(count))))
            rest = rest.dropFirst(count)
            last = time
        }
        guard rest.isEmpty else { throw node.is("\(rest.count) bytes shorter than the body") }
        return chunks
    }
}

extension HARNode {
    /// Returns the header fields under `key`, without HTTP/2 pseudo-headers.
    fileprivate func headers(_ key: String) throws -> HTTPHeaders {
        var headers = HTTPHeaders()
        for field in try self[key].elements {
            let name = try field["name"]
            let text = try name.string
            if text.hasPrefix(":") { continue }
            guard text.isToken else { throw name.is("not a valid header name") }
            let value = try field["value"]
            // Some browsers join header fields of the same name with line breaks.
            for line in try value.string.split(separator: "\n", omittingEmptySubsequences: false) {
                guard line.utf8.allSatisfy(\.isFieldByte) else {
                    throw value.is("not a valid header value: it contains control characters")
                }
                headers.add(HTTPHeaders.Name(text), String(line))
            }
        }
        return headers
    }
}

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

    /// Returns the body in the member `text`, or `nil` if there is none. The member `key` is its encoding.
    func body(encodedBy key: String) throws -> Data? {
        guard let node = try optional("text") else { return nil }
        let text = try node.string
        guard try optional(key)?.string.lowercased() == "base64" else { return Data(text.utf8) }
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
