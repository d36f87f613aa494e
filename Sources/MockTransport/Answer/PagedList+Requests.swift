import Foundation

extension PagedList {
    struct InvalidParameter: Error { let name: String }

    struct Page {
        let index: Int
        let items: Range<Int>
    }

    /// A token for a page: the index of its first item, or of the page if the pages differ in size.
    struct PageToken {
        let number: Int
        let isPage: Bool

        init(_ number: Int, isPage: Bool) { (self.number, self.isPage) = (number, isPage) }

        init?(_ text: String) {
            guard let kind = text.first, "ip".contains(kind), text.hasSuffix(Self.suffix),
                let number = Int(text.dropFirst().dropLast(Self.suffix.count)), number >= 0
            else { return nil }
            self.init(number, isPage: kind == "p")
        }

        var text: String { "\(isPage ? "p" : "i")\(number)\(Self.suffix)" }

        /// Characters that a query must escape.
        private static let suffix = "+/=&%"
    }

    /// The query item in the links to pages.
    static let linkParameter = "page"
    /// The text for the asterisk in the name of a header field with a token, and in its parameter.
    static let fieldEnd = "NextKey"

    /// Returns the index of the page that a request names.
    package func pageIndex(of request: ReceivedRequest) throws -> Int {
        let parameters = PageParameters(request, convention)
        return try page(for: parameters, items.get(), size(for: parameters)).index
    }

    func check(_ query: QueryItems) throws {
        guard let parameters else { return }
        let own: [String?] = [convention.parameter ?? Self.linkParameter, convention.pageSizeParameter]
        for (name, _) in query where !parameters.contains(name) && !own.contains(name) {
            throw InvalidParameter(name: name)
        }
    }

    /// Returns the page size of a request: that of its parameter, or the default.
    func size(for request: PageParameters) throws -> Int {
        let limit = max(1, maxSize ?? max(100, size))
        guard let (name, text) = request.size else { return min(max(1, size), limit) }
        guard let size = Int(text), size > 0 else { throw InvalidParameter(name: name) }
        return min(size, limit)
    }

    func pageCount(of count: Int, _ size: Int) -> Int {
        deviations.bounds.map { $0.count - 1 } ?? count.pages(of: size)
    }

    /// The number of the first page, or the offset of the first item.
    var first: Int {
        switch convention.kind {
        case .number(_, _, let first): first ?? 1
        case .offset(_, _, let first): first ?? 0
        case .link, .url, .token: 1
        }
    }

    /// The member of an item that requests the page after it, or `nil` if the convention uses another token.
    var itemMember: MemberPath? {
        switch convention.token?.source {
        case .lastItem(let member): member
        case .member(let path) where MemberPath.normalized(path.names.last ?? "") == "lastid": "id"
        default: nil
        }
    }

    func page(for request: PageParameters, _ items: [String], _ size: Int) throws -> Page {
        guard let value = request.page, !value.isEmpty else { return page(0, items.count, size) }
        switch convention.kind {
        case .link, .url, .number:
            if let number = Int(value), number >= first {
                return page(number.subtractingReportingOverflow(first).partialValue, items.count, size)
            }
        case .offset:
            if let offset = Int(value), offset >= first {
                return page(from: offset.subtractingReportingOverflow(first).partialValue, items.count, size)
            }
        case .token:
            if let member = itemMember, let last = position(of: value, at: member, in: items) {
                return page(from: last + 1, items.count, size)
            }
            if convention.sendsOffset, let start = Int(value), start >= 0 {
                return page(from: start, items.count, size)
            }
            if let token = PageToken(value), convention.lastItemMember == nil {
                return token.isPage
                    ? page(token.number, items.count, size) : page(from: token.number, items.count, size)
            }
        }
        throw InvalidParameter(name: convention.parameter ?? Self.linkParameter)
    }

    func page(_ index: Int, _ count: Int, _ size: Int) -> Page {
        let index = min(max(0, index), Int(Int32.max))
        if let bounds = deviations.bounds {
            let items = index < bounds.count - 1 ? bounds[index]..<bounds[index + 1] : count..<count
            return Page(index: index, items: items)
        }
        let (start, isTooFar) = index.multipliedReportingOverflow(by: size)
        guard !isTooFar, start < count else { return Page(index: index, items: count..<count) }
        return Page(index: index, items: start..<start + min(size, count - start))
    }

    private func page(from start: Int, _ count: Int, _ size: Int) -> Page {
        if let bounds = deviations.bounds {
            return page(bounds.firstIndex(of: start) ?? bounds.count - 1, count, size)
        }
        let start = min(max(0, start), count)
        return Page(index: start.pages(of: size), items: start..<start + min(size, count - start))
    }
}

/// The parameters of a request for a page: query items, header fields, and members of a JSON body.
struct PageParameters {
    let request: ReceivedRequest
    /// The value that names the page, or `nil` in a request for the first page.
    private(set) var page: String?
    private(set) var size: (name: String, value: String)?

    init(_ request: ReceivedRequest, _ convention: PaginationConvention) {
        self.request = request
        let body = request.body.isEmpty ? nil : try? JSONLiteral(parsing: request.body)
        let query = request.query
        func value(_ name: String) -> JSONLiteral? {
            if let text = query[name] { return JSONLiteral(.string(text)) }
            let member = body?[MemberPath(name)]
            return member == JSONLiteral(.null) ? nil : member
        }
        if let name = convention.pageSizeParameter, let value = value(name) { size = (name, value.text) }
        if case .header(let field) = convention.token?.destination {
            page = request.headers[HTTPHeaders.Name(field)]
            if field == "Range", let range = page { setRange(range) }
        } else if let value = value(
            convention.parameter?.replacing("*", with: PagedList.fieldEnd) ?? PagedList.linkParameter)
        {
            page = Self.key(in: value) ?? value.text
        }
    }

    /// Reads a range of Heroku: `id ..; max=10`, or `id ]token..; max=10`.
    private mutating func setRange(_ range: String) {
        if let maximum = range.range(of: "max=") { size = ("Range", String(range[maximum.upperBound...])) }
        guard let dots = range.range(of: "..") else { return }
        let start = range[..<dots.lowerBound]
        page = start.firstIndex(of: "]").map { String(start[start.index(after: $0)...]) }
    }

    /// Returns the token in a key of DynamoDB, which can also be the text of a query item.
    private static func key(in value: JSONLiteral) -> String? {
        var key = value
        if case .string(let text) = value.node, text.first == "{" {
            key = (try? JSONLiteral(parsing: Data(text.utf8))) ?? value
        }
        return key["id.S"]?.text
    }
}

extension PagedList {
    private func position(of text: String, at member: MemberPath, in items: [String]) -> Int? {
        positions.withLock { positions in
            if let known = positions[member] { return known[text] }
            let values = items.enumerated().compactMap { index, item in
                Self.value(at: member, in: item).map { ($0.text, index) }
            }
            let found = Dictionary(values, uniquingKeysWith: { first, _ in first })
            positions[member] = found
            return found[text]
        }
    }

    static func value(at member: MemberPath, in item: String) -> JSONLiteral? {
        (try? JSONLiteral(parsing: Data(item.utf8)))?[member]
    }
}
