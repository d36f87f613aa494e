package import Foundation
package import MockTransport
package import RESTClient

/// A list that is served in the convention of an API.
package struct TemplateList: Sendable {
    package enum Order: CaseIterable { case sorted, reversed, listFirst, listLast }

    package let api: APITemplate
    package var size = 3
    package private(set) var items: [JSONLiteral]
    /// A Boolean value that indicates whether the items are those of the API, with their ids.
    package private(set) var hasOwnItems = true
    package var ids: [String]
    /// Changes the names of all members.
    package var rename: (@Sendable (String) -> String)?
    package var order = Order.sorted

    package init(_ api: APITemplate, count: Int = 7, size: Int = 3) {
        self.api = api
        self.size = size
        items = Array(api.items().prefix(count))
        ids = Array(api.ids.prefix(count))
    }

    /// Returns the list with its first items only, on pages of a size.
    func first(_ count: Int, size: Int) -> Self {
        var list = self
        list.size = size
        list.items = Array(items.prefix(count))
        list.ids = Array(ids.prefix(count))
        return list
    }

    package mutating func setItems(_ items: [JSONLiteral]) { (self.items, hasOwnItems) = (items, false) }

    package var pageCount: Int { (items.count + size - 1) / size }

    /// The path of the list in the document.
    package var path: MemberPath {
        let path = api.path == "." ? MemberPath.root : MemberPath(api.path)
        return rename.map { MemberPath(names: path.names.map($0)) } ?? path
    }

    /// The URL of the first page, with the page size of the list.
    package var url: URL? {
        let target = api.request.drop { $0 != " " }.dropFirst()
        let parts = target.split(separator: "&", omittingEmptySubsequences: false).map { part in
            part.hasSuffix("=3") ? "\(part.dropLast())\(size)" : String(part)
        }
        return URL(string: "https://api.example\(parts.joined(separator: "&"))")
    }

    /// The JSON body of the request for the first page.
    package var body: JSONLiteral? { api.send.flatMap { TemplatePage(self, from: 0).fill($0) } }

    /// Returns the page that a request names.
    package func reply(to request: ReceivedRequest) -> Reply { reply(to: request, from: offset(in: request)) }

    private func reply(to request: ReceivedRequest, from offset: Int?) -> Reply {
        guard let offset else { return .status(400) }
        if api.send != nil, request.method != .post { return .status(405) }
        let page = TemplatePage(self, from: offset)
        var body = page.fill(api.body) ?? [:]
        if let rename { body = body.renamingMembers(at: path.names[...], rename) }
        body = body.ordered(order, path.names[...])
        guard let data = try? body.encoded() else { return .status(500) }
        let status = api.status.flatMap(page.fill).flatMap { Int("\($0)") } ?? 200
        let reply = Reply.data(data, as: .json, status: HTTPStatus(rawValue: status))
        return page.headers.reduce(reply) { $0.header(HTTPHeaders.Name($1.key), $1.value) }
    }

    /// Returns a server of the list. The same token can request one page after another.
    package func server() -> MockServer {
        let requests = LockedState(0)
        return MockServer {
            Route(.any) { request in
                guard api.parameter.hasPrefix("scroll:") else { return reply(to: request) }
                let page = requests.withLock { count in
                    count += 1
                    return count - 1
                }
                return reply(to: request, from: page * size)
            }
        }
    }

    /// The offset that a request names, 0 without one.
    private func offset(in request: ReceivedRequest) -> Int? {
        let parts = api.parameter.split(separator: ":", maxSplits: 1).map(String.init)
        guard let value = value(of: parts[1], in: request) else { return 0 }
        let number = Int(value)
        switch parts[0] {
        case "page": return number.flatMap { $0 > 0 ? ($0 - 1) * size : nil }
        case "page0": return number.map { $0 * size }
        case "offset1": return number.map { $0 - 1 }
        case "after":
            let words = value.split { !($0.isLetter || $0.isNumber || "-_/.".contains($0)) }
                .map { $0.hasSuffix("..") ? $0.dropLast(2) : $0 }
            let index = ids.firstIndex { id in words.contains(id[...]) || value.hasSuffix(id) }
            return index.map { $0 + 1 } ?? (ids.isEmpty ? 0 : nil)
        case "date": return (0...items.count + size).first { TemplatePage.date($0) == value }
        case "digits": return number.map { $0 - TemplatePage.firstDigits }
        case "cursor":
            if value == "*" { return 0 }
            return Data(base64Encoded: value).flatMap {
                Int(String(decoding: $0, as: UTF8.self).dropFirst("offset:".count))
            }
        default: return number
        }
    }

    /// The value of a parameter in the part of the request that has it.
    private func value(of parameter: String, in request: ReceivedRequest) -> String? {
        switch api.parameterPlace {
        case .query:
            QueryItems(of: request.url).first { isSame($0.name, parameter) }?.value
        case .body:
            (try? JSONLiteral(parsing: request.body))?.member(at: MemberPath(parameter).names[...], isSame)?
                .plainText
        case .header: request.headers[HTTPHeaders.Name(parameter)]
        case .path:
            request.url.path().hasPrefix(parameter)
                ? String(request.url.path().dropFirst(parameter.count)) : nil
        }
    }

    /// Returns `true` for the name of a parameter, which is accepted in any case if the names of members are changed.
    private func isSame(_ name: String, _ other: String) -> Bool {
        name == other
            || rename != nil && name.lowercased().filter(\.isLetter) == other.lowercased().filter(\.isLetter)
    }
}

/// The result of a listing.
package struct TemplateListing: Sendable {
    package var items: [String] = []
    package var requests: [URL] = []
    package var error: RESTClientError?
}

extension TemplateList {
    /// Lists all pages.
    package func list(by pagination: StandardPagination = .automatic) async -> TemplateListing {
        var listing = TemplateListing()
        guard let url else { return listing }
        let server = server()
        let manager = SessionManager(configuration: server.configuration)
        let request = manager.request(
            url, method: body == nil ? .get : .post, body: body.map { .json($0) } ?? nil)
        let client = MyRESTClient(request, listing: ItemListing(at: path, pagination: pagination))
        do {
            for try await batch in client.elements() {
                batch.forEach { element in
                    listing.items.append(element.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
                }
            }
        } catch {
            listing.error = error as? RESTClientError
        }
        listing.requests = server.requests.map(\.url)
        return listing
    }
}
