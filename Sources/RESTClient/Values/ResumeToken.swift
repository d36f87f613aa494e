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
/// The `rawValue` contains the URL of a page, as sent by the server. Store it as carefully as other URLs of the API.
/// Query items with secret names are removed from a URL at the origin of the client if its request has the same value;
/// the resuming client adds its own values. They are never added to a URL at another origin. A token is accepted only
/// for the origin of the client, and for the allowed origins of its ``ItemListing``.
public struct ResumeToken: Hashable, Sendable {
    /// The URL of the page to continue with.
    public let url: URL
    /// The number of the page in the list.
    public let pageNumber: Int
    /// The number of items on the pages before it.
    public let itemsBefore: Int
    /// The number of items at the start of the page that were delivered before.
    public private(set) var skip = 0
}

extension ResumeToken: RawRepresentable, Codable {
    /// Creates a token from its text, or returns `nil` if the text is not a token.
    public init?(rawValue: String) {
        let fields = rawValue.split(separator: ";", maxSplits: 4, omittingEmptySubsequences: false)
        guard fields.count == 5, fields[0] == "1", let pageNumber = Self.number(fields[1], "page="),
            pageNumber > 0, let itemsBefore = Self.number(fields[2], "items="),
            let skip = Self.number(fields[3], "skip="), fields[4].hasPrefix("url="),
            let url = URL(string: String(fields[4].dropFirst(4))), Origin(url) != nil
        else { return nil }
        self.init(url: url, pageNumber: pageNumber, itemsBefore: itemsBefore, skip: skip)
    }

    /// The token as one line of text.
    public var rawValue: String { text(url.absoluteString) }

    private func text(_ url: String) -> String {
        "1;page=\(pageNumber);items=\(itemsBefore);skip=\(skip);url=\(url)"
    }

    private static func number(_ field: Substring, _ name: String) -> Int? {
        guard field.hasPrefix(name), let number = Int(field.dropFirst(name.count)), 0...maxCount ~= number
        else { return nil }
        return number
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
        var url = url
        for item in QueryItems(of: url) where Redaction.isSecret(item.name) {
            if let value = value(item.value ?? "", own[item.name]) { url = url.setting(item.name, to: value) }
        }
        return Self(url: url, pageNumber: pageNumber, itemsBefore: itemsBefore, skip: skip)
    }
}
