public import Foundation

extension HAR {
    /// An archive from a file.
    /// - Throws: ``HARError``, which says where in the file what is wrong, or the error of reading it.
    public init(contentsOf file: URL) throws {
        try self.init(parsing: Data(contentsOf: file), name: file.lastPathComponent)
    }

    /// An archive from its JSON text.
    /// - Throws: ``HARError``, which says where in it what is wrong.
    public init(parsing data: Data) throws { try self.init(parsing: data, name: "the archive") }

    private init(parsing data: Data, name: String) throws {
        do {
            let log = try HARNode(parsing: data)["log"]
            entries = try log["entries"].elements.map { try Entry($0) }
            // What others write is not always in order (HAR 1.2, entries); those of the same time stay as they are.
            let order = entries.indices.sorted { (entries[$0].start, $0) < (entries[$1].start, $1) }
            entries = order.map { entries[$0] }
        } catch let error as HARNode.Complaint {
            throw HARError(description: "\(name): \(error.text)")
        }
    }
}

extension HAR.Entry {
    fileprivate init(_ node: HARNode) throws {
        let time = try node["startedDateTime"]
        guard let start = HARTime.date(try time.string) else { throw time.is("not a date of ISO 8601") }
        self.start = start
        request = try HAR.Request(node["request"])
        response = try HAR.Response(node["response"], node.optional("timings"))
    }
}

extension HAR.Request {
    fileprivate init(_ node: HARNode) throws {
        let name = try node["method"]
        method = HTTPMethod(rawValue: try name.string)
        guard !method.rawValue.isEmpty, method.rawValue.utf8.allSatisfy(\.isTokenByte) else {
            throw name.is("no method")
        }
        let place = try node["url"]
        guard let url = URL(string: try place.string), url.scheme != nil else { throw place.is("no URL") }
        self.url = url
        headers = try node.headers("headers")
        body = try node.optional("postData").map { try Self.body($0) } ?? Data()
    }

    private static func body(_ node: HARNode) throws -> Data {
        if let text = try node.optional("text") {
            // HAR 1.2 has no binary request bodies; fields of one's own begin with an underscore.
            let isCoded = try node.optional("_encoding")?.string == "base64"
            return isCoded ? try text.base64 : Data(try text.string.utf8)
        }
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
        guard code == 0 || (100...999).contains(code) else { throw number.is("no status") }
        status = HTTPStatus(rawValue: code)
        headers = try node.headers("headers")
        let target = try node.optional("redirectURL")?.string ?? ""
        if !target.isEmpty, headers[.location] == nil, status.isRedirect { headers[.location] = target }
        wait = try timings?.optional("wait")?.milliseconds ?? .zero
        let text = try node.optional("_error")?.string
        if code == 0 || text != nil {
            failure = HAR.Failure(
                code: try node.optional("_errorCode")?.integer, text: text ?? "no answer was recorded")
        }
        let content = try node.optional("content")
        let coded = try content?.optional("text")
        let isBase64 = try content?.optional("encoding")?.string.lowercased() == "base64"
        let body = try coded.map { isBase64 ? try $0.base64 : Data(try $0.string.utf8) } ?? Data()
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
            guard count > 0, count <= rest.count else { throw size.is("more than there is, or nothing") }
            let moment = try piece["time"]
            let time = try moment.milliseconds
            guard time >= last else { throw moment.is("before that of the piece before") }
            chunks.append(HAR.Chunk(time: time, data: Data(rest.prefix(count))))
            rest = rest.dropFirst(count)
            last = time
        }
        guard rest.isEmpty else { throw node.is("less than the body, by \(rest.count) bytes") }
        return chunks
    }
}

extension HARNode {
    /// The header fields below `key`. Those of HTTP/2 that begin with a colon are none.
    fileprivate func headers(_ key: String) throws -> HTTPHeaders {
        var headers = HTTPHeaders()
        for field in try self[key].elements {
            let name = try field["name"]
            let text = try name.string
            if text.hasPrefix(":") { continue }
            guard !text.isEmpty, text.utf8.allSatisfy(\.isTokenByte) else { throw name.is("no field name") }
            let value = try field["value"]
            // Some browsers write fields of one name as one, a line each.
            for line in try value.string.split(separator: "\n", omittingEmptySubsequences: false) {
                guard line.utf8.allSatisfy({ $0 >= 32 && $0 != 127 || $0 == 9 }) else {
                    throw value.is("no field value: it has control characters")
                }
                headers.add(HTTPHeaders.Name(text), String(line))
            }
        }
        return headers
    }
}
