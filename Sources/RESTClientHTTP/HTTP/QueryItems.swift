public import Foundation

/// An ordered list of query or form items that can contain duplicates.
///
/// Encoding percent-encodes all characters except the unreserved ones of RFC 3986 (section 2.3), so that `+` and spaces
/// are read correctly by every server. Decoding treats `+` as a space, like forms and most servers.
///
/// ```swift
/// let query: QueryItems = ["q": "tea & milk", "page": "1"]
/// query.percentEncoded        // "q=tea%20%26%20milk&page=1"
/// ```
public struct QueryItems: Hashable, Sendable {
    private struct Item: Hashable, Sendable {
        let name: String
        /// The value, or `nil` for a name without `=`.
        let value: String?
    }

    private var items: [Item] = []

    /// Creates an empty list of items.
    public init() {}

    /// Creates items from a percent-encoded query or form body.
    public init(percentEncoded text: String) {
        items = text.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return Item(name: Self.decoded(parts[0]), value: parts.count > 1 ? Self.decoded(parts[1]) : nil)
        }
    }

    /// Creates the items of a dictionary, sorted by name. An item whose value is `nil` is omitted.
    public init(_ items: [String: (any LosslessStringConvertible)?]) {
        self.items = items.sorted { $0.key < $1.key }.compactMap { name, value in
            value.map { Item(name: name, value: $0.description) }
        }
    }

    /// Creates items from those of a `URLComponents`.
    public init(_ items: [URLQueryItem]) { self.items = items.map { Item(name: $0.name, value: $0.value) } }

    /// Creates items from the query of `url`.
    public init(of url: URL) {
        self.init(percentEncoded: url.query(percentEncoded: true) ?? "")
    }

    /// The first value of `name`, or `nil` if there is none. Setting a value replaces all of them.
    public subscript(name: String) -> String? {
        get { self[all: name].first }
        set {
            let first = items.firstIndex { $0.name == name }
            items.removeAll { $0.name == name }
            guard let newValue else { return }
            items.insert(Item(name: name, value: newValue), at: first ?? items.endIndex)
        }
    }

    /// The values of `name`, in order. The value of a name without `=` is an empty string.
    public subscript(all name: String) -> [String] { items.filter { $0.name == name }.map { $0.value ?? "" } }

    /// Appends an item and keeps existing items with the same name.
    public mutating func add(_ name: String, _ value: String) { items.append(Item(name: name, value: value)) }

    /// The items percent-encoded for a URL or a form body.
    public var percentEncoded: String {
        items.map { item in Self.encoded(item.name) + (item.value.map { "=\(Self.encoded($0))" } ?? "") }
            .joined(separator: "&")
    }

    /// Returns `url` with these items appended to its query, which is not changed otherwise.
    public func appended(to url: URL) -> URL {
        guard !items.isEmpty, var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else {
            return url
        }
        let present = parts.percentEncodedQuery.map { $0.isEmpty ? "" : "\($0)&" } ?? ""
        parts.percentEncodedQuery = present + percentEncoded
        return parts.url ?? url
    }

    /// Returns percent-decoded text, in which a plus sign is a space.
    package static func decoded(_ text: some StringProtocol) -> String {
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") })
        else { return String(text) }
        let spaced = String(text.map { $0 == "+" ? " " : $0 })
        return spaced.removingPercentEncoding ?? spaced
    }

    /// Returns `text` percent-encoded for a URL or a form body.
    package static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? text
    }

    private static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
}

extension QueryItems: RandomAccessCollection {
    /// The position of the first item.
    public var startIndex: Int { items.startIndex }

    /// The position after the last item.
    public var endIndex: Int { items.endIndex }

    /// The item at `position`. The value of a name without `=` is `nil`.
    public subscript(position: Int) -> (name: String, value: String?) {
        (items[position].name, items[position].value)
    }
}

extension QueryItems: ExpressibleByArrayLiteral {
    /// Creates items from those of Foundation: `[URLQueryItem(name: "q", value: "tea")]`.
    public init(arrayLiteral elements: URLQueryItem...) { self.init(elements) }
}

extension QueryItems: ExpressibleByDictionaryLiteral {
    /// Creates items in the given order. A name may occur more than once. An item whose value is `nil` is omitted.
    ///
    /// Values are strings, numbers and Booleans: `["q": "tea", "page": 2, "archived": false]`.
    public init(dictionaryLiteral elements: (String, (any LosslessStringConvertible)?)...) {
        items = elements.compactMap { name, value in value.map { Item(name: name, value: $0.description) } }
    }
}

extension QueryItems {
    /// Creates items from the members of an object, in the given order, with nested names for nested values.
    ///
    /// There is no standard for nested names; these are the defaults of Rails, PHP and Alamofire. A member of an object
    /// becomes `user[name]`, and each element of an array `tags[]`. Booleans are `true` and `false`. `nil`, empty arrays
    /// and empty objects are omitted.
    ///
    /// ```swift
    /// let form = try QueryItems(nesting: ["user": ["name": "tea", "tags": ["a", "b"]], "old": nil])
    /// form.percentEncoded     // user[name]=tea&user[tags][]=a&user[tags][]=b, the brackets percent-encoded
    /// ```
    ///
    /// - Throws: `EncodingError` if `value` is not an object, cannot be encoded or contains a number that is not finite.
    public init(nesting value: JSONLiteral) throws {
        guard case .object(let members) = value.node else {
            if case .invalid(let error) = value.node { throw error }
            throw EncodingError.invalidValue(
                value, .init(codingPath: [], debugDescription: "only an object can be encoded as form items")
            )
        }
        self.init()
        for member in members { try add(member.value, under: member.key) }
    }

    private mutating func add(_ value: JSONLiteral, under name: String) throws {
        switch value.node {
        case .null: break
        case .string(let text): add(name, text)
        case .array(let elements): for element in elements { try add(element, under: "\(name)[]") }
        case .object(let members):
            for member in members { try add(member.value, under: "\(name)[\(member.key)]") }
        case .bool, .integer, .number, .invalid:
            add(name, String(decoding: try value.encoded(), as: UTF8.self))
        }
    }
}

extension URL {
    /// Returns the URL with the query item `name` replaced, or added at the end.
    package func setting(_ name: String, to value: String) -> URL {
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
