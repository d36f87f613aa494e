public import Foundation
import RESTClientHTTP

/// A position in a list from which a listing can be resumed, even in another process.
///
/// ```swift
/// do {
///     for try await item in client.items(from: saved) { … }
/// } catch let error as RESTClientError {
///     saved = error.listingProgress?.resume
/// }
/// ```
///
/// Each position but the first is that after an item. The resuming listing reads the page of this item again. If the item is
/// elsewhere, and the total does not explain why, the listing throws an error of kind `pagination(.positionMoved)`, because
/// other items may be missing; ``ItemListing/allowsIncomplete`` accepts the list if the item is found.
///
/// The `rawValue` contains the URL of a page, as sent by the server. Store it as carefully as other URLs of the API.
/// Query items with secret names are removed from a URL at the origin of the client if its request has the same value;
/// the resuming client adds its own values. They are never added to a URL at another origin. A token is accepted only
/// for the origin of the client, and for the allowed origins of its ``ItemListing``.
public struct ResumeToken: Hashable, Sendable {
    /// The URL of the page to continue with.
    public private(set) var url: URL
    /// The number of the page in the list.
    public let pageNumber: Int
    /// The number of items on the pages before it.
    public let itemsBefore: Int
    /// The number of items at the start of the page that were delivered before.
    public private(set) var skip = 0
    /// A checksum that identifies the last one of them, so that a list that has changed is noticed.
    private(set) var lastItem: String?
    /// The total of the list, if a page has stated one.
    private(set) var total: Int?
}

extension ResumeToken: RawRepresentable, Codable {
    /// Creates a token from its text, or returns `nil` if the text is not a token.
    public init?(rawValue: String) {
        var fields = Fields(rest: rawValue[...])
        guard fields.next() == "1", let pageNumber = fields.number("page"), pageNumber > 0,
            let itemsBefore = fields.number("items"), let skip = fields.number("skip")
        else { return nil }
        let lastItem = fields.value("last")
        let total = fields.number("total")
        guard (skip > 0) == (lastItem != nil), let text = fields.value("url", isLast: true),
            let url = URL(string: text), Origin(url) != nil
        else { return nil }
        self.init(
            url: url, pageNumber: pageNumber, itemsBefore: itemsBefore, skip: skip, lastItem: lastItem,
            total: total)
    }

    /// The token as one line of text.
    public var rawValue: String { text(url.absoluteString) }

    private func text(_ url: String) -> String {
        let last = (lastItem.map { ";last=\($0)" } ?? "") + (total.map { ";total=\($0)" } ?? "")
        return "1;page=\(pageNumber);items=\(itemsBefore);skip=\(skip)\(last);url=\(url)"
    }

    /// The fields of a text, in their order.
    private struct Fields {
        var rest: Substring

        mutating func next() -> Substring {
            let field = rest.prefix { $0 != ";" }
            rest = rest[field.endIndex...].dropFirst()
            return field
        }

        /// Removes the next field if it has this name, and returns its value. The last one can contain semicolons.
        mutating func value(_ name: String, isLast: Bool = false) -> String? {
            guard rest.hasPrefix(name + "=") else { return nil }
            return String((isLast ? rest : next()).dropFirst(name.count + 1))
        }

        mutating func number(_ name: String) -> Int? {
            value(name).flatMap { Int($0) }.flatMap { 0...maxCount ~= $0 ? $0 : nil }
        }
    }

    /// The maximum number of pages or items, so that the sum of two numbers does not overflow.
    static let maxCount = Int.max >> 2
}

extension ResumeToken: CustomStringConvertible, CustomReflectable {
    /// The position with masked secrets, for display only.
    public var description: String { text(Redaction.url(url)) }

    /// A mirror with the masked position.
    public var customMirror: Mirror { Mirror(self, children: ["position": description]) }
}

extension ResumeToken {
    /// Returns the token without query items that are secrets and have the same value in `request`.
    func removingSecrets(of request: URL?) -> Self {
        replacingSecrets(of: request) { value, own in !value.isEmpty && value == own ? "" : nil }
    }

    /// Returns the token with the removed secrets set to the values in `request`.
    func addingSecrets(of request: URL?) -> Self {
        replacingSecrets(of: request) { value, own in value.isEmpty ? own : nil }
    }

    /// Returns the token with other values of secret query items: those that `value` returns for the current value and
    /// that in `request`. A token for another origin, which must not receive the secrets, does not change.
    private func replacingSecrets(of request: URL?, _ value: (String, String?) -> String?) -> Self {
        guard let request, let other = Origin(url), Origin(request)?.includes(other) == true else {
            return self
        }
        let own = QueryItems(of: request)
        var token = self
        for item in QueryItems(of: url) where Redaction.isSecret(item.name) {
            guard let value = value(item.value ?? "", own[item.name]) else { continue }
            token.url = token.url.setting(item.name, to: value)
        }
        return token
    }
}
