public import Foundation

/// Query or form items in order, with duplicates: the one place that knows how `+`, `&` and spaces are written.
///
/// Written, everything but the unreserved characters of RFC 3986 (section 2.3) is percent-encoded, so that a
/// `+` arrives as a plus and a space as a space wherever they are read. Read, a `+` is a space, as forms and
/// most servers have it.
///
/// ```swift
/// let query: QueryItems = ["q": "tea & milk", "page": "1"]
/// query.percentEncoded        // "q=tea%20%26%20milk&page=1"
/// ```
public struct QueryItems: Hashable, Sendable {
    private struct Item: Hashable, Sendable {
        let name: String
        /// `nil` is a name without `=`.
        let value: String?
    }

    private var items: [Item] = []

    /// No items.
    public init() {}

    /// The items of a query or of a form body, decoded.
    public init(percentEncoded text: String) {
        items = text.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return Item(name: Self.decoded(parts[0]), value: parts.count > 1 ? Self.decoded(parts[1]) : nil)
        }
    }

    /// The query of `url`, decoded.
    public init(of url: URL) {
        self.init(
            percentEncoded: URLComponents(url: url, resolvingAgainstBaseURL: true)?.percentEncodedQuery ?? "")
    }

    /// The first value of `name`, or `nil` where there is none; setting replaces all of them.
    public subscript(name: String) -> String? {
        get { self[all: name].first }
        set {
            let first = items.firstIndex { $0.name == name }
            items.removeAll { $0.name == name }
            guard let newValue else { return }
            items.insert(Item(name: name, value: newValue), at: first ?? items.endIndex)
        }
    }

    /// Every value of `name`, in order; a name without `=` has the empty value.
    public subscript(all name: String) -> [String] {
        items.filter { $0.name == name }.map { $0.value ?? "" }
    }

    /// Adds an item behind the others, beside any of the same name.
    public mutating func add(_ name: String, _ value: String) {
        items.append(Item(name: name, value: value))
    }

    /// The items as they stand in a URL or a form body.
    public var percentEncoded: String {
        items.map { item in
            guard let value = item.value else { return Self.encoded(item.name) }
            return "\(Self.encoded(item.name))=\(Self.encoded(value))"
        }.joined(separator: "&")
    }

    /// `url` with these items behind those that its query already has, which stay as they are written.
    public func appended(to url: URL) -> URL {
        guard !items.isEmpty, var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else {
            return url
        }
        let present = parts.percentEncodedQuery.map { $0.isEmpty ? "" : "\($0)&" } ?? ""
        parts.percentEncodedQuery = present + percentEncoded
        return parts.url ?? url
    }

    private static func decoded(_ text: some StringProtocol) -> String {
        let spaced = String(text.map { $0 == "+" ? " " : $0 })
        return spaced.removingPercentEncoding ?? spaced
    }

    /// `text` as it stands in a URL or a form body.
    package static func encoded(_ text: String) -> String {
        var result: [UInt8] = []
        for byte in text.utf8 {
            if unreserved.contains(byte) {
                result.append(byte)
            } else {
                result.append(UInt8(ascii: "%"))
                result.append(hexDigits[Int(byte >> 4)])
                result.append(hexDigits[Int(byte & 15)])
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static let hexDigits = Array("0123456789ABCDEF".utf8)
    private static let unreserved = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
}

extension QueryItems: RandomAccessCollection {
    /// The position of the first item.
    public var startIndex: Int { items.startIndex }

    /// The position behind the last item.
    public var endIndex: Int { items.endIndex }

    /// The item at a position; a name without `=` has the value `nil`.
    public subscript(position: Int) -> (name: String, value: String?) {
        (items[position].name, items[position].value)
    }
}

extension QueryItems: ExpressibleByDictionaryLiteral, CustomStringConvertible, CustomReflectable {
    /// Items in the order written; a name may come twice.
    public init(dictionaryLiteral elements: (String, String)...) {
        items = elements.map { Item(name: $0.0, value: $0.1) }
    }

    /// The items as in a URL, the values of secret-looking names masked.
    public var description: String { Redaction.query(percentEncoded) }

    /// Shows to `dump` what `description` shows.
    public var customMirror: Mirror { Mirror(self, children: ["items": description]) }
}
