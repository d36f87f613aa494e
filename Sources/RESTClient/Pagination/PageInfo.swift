public import Foundation
public import RESTClientHTTP

/// The page just read: all that a pagination decides from.
public struct PageInfo: Sendable {
    /// As it was asked for.
    public var url: URL
    /// Its place in the list: 1 is the first page, or the one that the request names.
    public var number: Int
    /// The header fields of the response.
    public var headers: HTTPHeaders
    /// The small members around the list.
    public var envelope: Envelope
    /// The items on the page.
    public var itemCount: Int
    /// The items of this page and of those before it.
    public var itemsSoFar: Int

    /// The URL that answered, after redirects.
    var answered: URL
    /// Where the list is in the document.
    var path: MemberPath = "items"
    /// Whether it says to be a part of what was asked for as a whole.
    var isPart = false
    /// How many pages are worth knowing ahead, one at least.
    var ahead = 2

    /// A page made by hand, to test a pagination.
    public init(
        url: URL, number: Int = 1, headers: HTTPHeaders = [:], envelope: Envelope = "{}", itemCount: Int,
        itemsSoFar: Int? = nil
    ) {
        self.url = url
        self.number = number
        self.headers = headers
        self.envelope = envelope
        self.itemCount = itemCount
        self.itemsSoFar = itemsSoFar ?? itemCount
        answered = url
    }

    /// The URL of the page with one query item replaced or added; the others stay as they are written.
    public func url(setting name: String, to value: String) -> URL { url.setting(name, to: value) }

    /// What a reference in the page means: a URL, or a part of one relative to the URL that answered (RFC 3986).
    public func url(_ reference: String) -> URL? { answered.resolving(reference) }

    /// The value of a query item of the page's URL.
    func query(_ name: String) -> String? { QueryItems(of: url)[name] }
}

extension URL {
    /// The URL with the query item `name` replaced or, at the end, added.
    func setting(_ name: String, to value: String) -> URL {
        guard var parts = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return self }
        var item = QueryItems()
        item.add(name, value)
        var isSet = false
        var items = (parts.percentEncodedQuery ?? "").split(separator: "&").compactMap { written -> String? in
            guard QueryItems(percentEncoded: String(written)).first?.name == name else {
                return String(written)
            }
            defer { isSet = true }
            return isSet ? nil : item.percentEncoded
        }
        if !isSet { items.append(item.percentEncoded) }
        parts.percentEncodedQuery = items.joined(separator: "&")
        return parts.url ?? self
    }
}
