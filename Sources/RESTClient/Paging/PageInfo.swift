public import Foundation
public import RESTClientHTTP

/// The information about a page from which a `Pagination` determines the next pages.
public struct PageInfo: Sendable {
    /// The request of the page.
    public var request: PageRequest
    /// The JSON object in the body of the request, or `nil` if the body is something else.
    public var requestBody: Envelope?
    /// The number of the page, beginning with 1 for the page that the request of the client names. A resumed listing
    /// continues the numbering.
    public var number: Int { didSet { number = Self.clamped(number, from: 1) } }
    /// The header fields of the response.
    public var headers: HTTPHeaders
    /// The small members of the document next to the list and around it.
    public var envelope: Envelope
    /// The number of items on the page.
    public var itemCount: Int { didSet { itemCount = Self.clamped(itemCount) } }
    /// The number of items on this page and the pages before it.
    public var itemsSoFar: Int { didSet { itemsSoFar = Self.clamped(itemsSoFar) } }
    /// The first item, or `nil` if it is not an object. Only a custom pagination, and a rule that uses the last item,
    /// receive it.
    public var firstItem: Envelope?
    /// The last item, or `nil` if it is not an object. Only a custom pagination, and a rule that uses the last item,
    /// receive it.
    public var lastItem: Envelope?

    /// The URL of the response, after redirects.
    var responseURL: URL
    /// The path of the list in the document.
    var path: MemberPath = "items"
    /// A Boolean value that indicates whether the response is partial content (206) although no range was requested.
    var isPartialContent = false
    /// A Boolean value that indicates whether the request has a `Range` header.
    var requestsRange = false
    /// A Boolean value that indicates whether the elements of the list are groups; see ``ItemListing/hasGroups``.
    var hasGroups = false
    /// The number of items of the list before the first page of the listing.
    var itemsSkipped = 0
    /// A Boolean value that indicates whether new parameters are query items although the request has a JSON body.
    var sendsQueryItems = false
    /// The maximum number of next pages that can currently be requested, at least 1.
    var maxNextPages = 2

    /// A Boolean value that indicates whether the page is after the end if it is empty although it names a next one: the page
    /// before it was empty, or the first short one. A server that hides items sends several short pages, or empty ones.
    var endsIfEmpty = false
    /// The total that the first page states, if it is that of the list.
    var totalOfFirstPage: Int?
    /// The members of the page before this one.
    var previousEnvelope: Envelope?
    /// A Boolean value that indicates whether no page before this one has shown how the list goes on, except by being full.
    var isFirstOrAfterFullPage = true

    /// Creates a page, to test a pagination. Numbers that are out of range become the nearest possible ones.
    public init(
        url: URL, number: Int = 1, headers: HTTPHeaders = [:], envelope: Envelope = "{}", itemCount: Int,
        itemsSoFar: Int? = nil
    ) {
        request = PageRequest(url)
        self.number = Self.clamped(number, from: 1)
        self.headers = headers
        self.envelope = envelope
        self.itemCount = Self.clamped(itemCount)
        self.itemsSoFar = Self.clamped(itemsSoFar ?? itemCount)
        responseURL = url
    }

    /// Returns a number of pages or items whose sums and differences do not overflow.
    private static func clamped(_ number: Int, from smallest: Int = 0) -> Int {
        min(max(number, smallest), ResumeToken.maxCount)
    }

    /// The URL of the page, as it was requested.
    public var url: URL { request.url }

    /// A Boolean value that indicates whether the response has a header field or a member that is related to pagination,
    /// such as `Link`, `total` or `next`.
    ///
    /// Without any, for example in a bare array, the response cannot show whether the list has more pages.
    public var hasPaginationFields: Bool {
        headers[.link] != nil || isPartialContent || !PageAnalysis(self).signs.isEmpty
    }

    /// The number of items on all pages, if the response names it, for example in a member `total` or in `X-Total-Count`.
    public var totalItems: Int? { PageAnalysis(self).total?.value }

    /// Returns the URL of the page with one query item replaced or added. The other query items do not change.
    public func url(setting name: String, to value: String) -> URL { url.setting(name, to: value) }

    /// Returns the request of the page with one parameter replaced or added.
    ///
    /// The parameter is a query item, or a member of the JSON body if the request has one: `"variables.after"` is a
    /// member of `variables`. A query item that the URL already has is replaced even if the request has a JSON body.
    public func request(setting parameter: String, to value: JSONLiteral) -> PageRequest {
        var request = request
        let isNew = sendsQueryItems && self.parameter(parameter) == nil
        if requestBody == nil || query(parameter) != nil || isNew {
            request.url = url.setting(parameter, to: value.text)
        } else {
            request.members[MemberPath(parameter)] = value
        }
        return request
    }

    func request(setting parameter: String, to number: Int) -> PageRequest {
        request(setting: parameter, to: JSONLiteral(.integer(number)))
    }

    func request(setting parameters: [(name: String, value: JSONLiteral)]) -> PageRequest {
        var page = self
        for (name, value) in parameters { page.request = page.request(setting: name, to: value) }
        return page.request
    }

    /// Returns the value of a parameter of the request: a query item, or a member of the JSON body.
    func parameter(_ name: String) -> String? {
        query(name) ?? requestBody.flatMap { $0.string(MemberPath(name)) ?? $0.number(MemberPath(name)) }
    }

    /// Returns the URL for a reference in the page. It can be relative to the URL of the response, after redirects (RFC
    /// 3986).
    public func url(_ reference: String) -> URL? { responseURL.resolving(reference) }

    /// Returns the value of a query item of the page's URL.
    func query(_ name: String) -> String? { QueryItems(of: url)[name] }
}

extension PageInfo {
    /// Returns the failure if a next page can be invisible: in an omitted member, or after partial content.
    func evidenceOfLoss() -> RESTClientError.PaginationFailure? {
        let omitted = envelope.omitted.first { path in
            let roles = PaginationNames.roles(of: path.names.last ?? "")
            return !roles.isDisjoint(with: [.next, .referenceContainer])
        }
        if let omitted { return .memberMayBeTooLarge(omitted) }
        return partialContent() ?? (envelope.isTruncated ? .envelopeTruncated : nil)
    }

    /// Returns the failure for a status 206 before the end of the list (RFC 9110, section 15.3.7).
    private func partialContent() -> RESTClientError.PaginationFailure? {
        guard isPartialContent else { return nil }
        let range = headers["Content-Range"] ?? ""
        // For example, `items 25-49/50`: the last position, and the total (RFC 9110, section 14.4).
        let numbers = range.split { !$0.isNumber && $0 != "*" }.suffix(3).compactMap { Int($0) }
        if numbers.count == 3, numbers[1] < .max, numbers[1] + 1 >= numbers[2] { return nil }
        return .partialContent(range: range)
    }
}
