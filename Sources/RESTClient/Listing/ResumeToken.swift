package import Foundation
import RESTClientHTTP

/// Where a listing that failed, or was left, can go on; text that survives a process.
///
/// ```swift
/// do {
///     for try await item in client.items(from: saved) { … }
/// } catch let error as RESTClientError {
///     saved = error.listing?.resume
/// }
/// ```
///
/// Its `rawValue` holds the URL of a page, as the server gave it, so keep it as you keep the URLs of the API. Values of
/// query items that look like secrets and that the client's own request has, too, are left out: the client that goes on
/// puts in its own. It goes on at its own origin only.
public struct ResumeToken: RawRepresentable, Hashable, Sendable {
    /// The page to go on with.
    package let url: URL
    /// Its number in the list.
    package let page: Int
    /// The items on the pages before it.
    package let items: Int
    /// The items at its beginning that were handed out before.
    package let skip: Int

    init(url: URL, page: Int, items: Int, skip: Int = 0) {
        self.url = url
        self.page = page
        self.items = items
        self.skip = skip
    }

    /// The place that a text names; `nil` where it is none that a listing wrote.
    public init?(rawValue: String) {
        let fields = rawValue.split(separator: ";", maxSplits: 4, omittingEmptySubsequences: false)
        guard fields.count == 5, fields[0] == "1", let page = Self.number(fields[1], "page="),
            page > 0, let items = Self.number(fields[2], "items="),
            let skip = Self.number(fields[3], "skip="),
            fields[4].hasPrefix("url="), let url = URL(string: String(fields[4].dropFirst(4))),
            Origin(url) != nil
        else { return nil }
        self.init(url: url, page: page, items: items, skip: skip)
    }

    /// One line of text.
    public var rawValue: String { text(url.absoluteString) }

    private func text(_ url: String) -> String { "1;page=\(page);items=\(items);skip=\(skip);url=\(url)" }

    private static func number(_ field: Substring, _ name: String) -> Int? {
        guard field.hasPrefix(name), let number = Int(field.dropFirst(name.count)), 0...most ~= number
        else { return nil }
        return number
    }

    /// The most pages or items there can be: what is added to them must not overflow.
    static let most = Int.max >> 2
}

extension ResumeToken: Codable {}

extension ResumeToken: CustomStringConvertible, CustomReflectable {
    /// The place, with the values of secret-looking query items masked: to be shown, not to be kept.
    public var description: String { text(Redaction.url(url)) }

    /// Shows to `dump` what `description` shows.
    public var customMirror: Mirror { Mirror(self, children: ["place": description]) }
}

extension ResumeToken {
    /// Without the secrets that `request` has, too.
    func leavingOutSecrets(of request: URL?) -> Self {
        guard let request else { return self }
        let own = QueryItems(of: request)
        return with(items: QueryItems(of: url)) { name, value in
            Redaction.isSecret(name) && !value.isEmpty && own[name] == value ? "" : nil
        }
    }

    /// With the secrets that `request` has in the place of those that were left out.
    func puttingInSecrets(of request: URL?) -> Self {
        guard let request else { return self }
        let own = QueryItems(of: request)
        return with(items: QueryItems(of: url)) { name, value in
            Redaction.isSecret(name) && value.isEmpty ? own[name] : nil
        }
    }

    private func with(items query: QueryItems, _ value: (String, String) -> String?) -> Self {
        var url = url
        for item in query {
            if let value = value(item.name, item.value ?? "") { url = url.setting(item.name, to: value) }
        }
        return Self(url: url, page: page, items: items, skip: skip)
    }
}
