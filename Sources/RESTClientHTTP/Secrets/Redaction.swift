public import Foundation

/// Masking of secrets in header fields, URLs and other texts.
///
/// A secret is recognized by its name, as a credential after its scheme (`Bearer abc123`), or by its form.
public enum Redaction {
    /// The text that replaces a secret.
    package static let mask = "***"

    /// Returns the value of a header field: masked for a secret name, otherwise with the secrets in its text masked.
    public static func value(_ value: String, of name: HTTPHeaders.Name) -> String {
        var scrubber = SecretScrubber()
        return scrubber.masked(value, of: name)
    }

    /// Returns the text of `url` without user info and with the values of secret query items masked.
    public static func url(_ url: URL) -> String { text(ofURL: url.absoluteString) }

    /// Returns `url` without user info and with the values of secret query items masked.
    package static func masked(_ url: URL) -> URL? {
        let text = text(ofURL: url.absoluteString)
        return text == url.absoluteString ? url : URL(string: text)
    }

    /// Masks text that may not be a valid URL, such as a `Location`, like a URL.
    public static func text(ofURL text: String) -> String {
        var scrubber = SecretScrubber()
        return scrubber.masked(url: text)
    }

    /// Returns text with its secrets masked.
    package static func text(_ text: String) -> String {
        var scrubber = SecretScrubber()
        return scrubber.masked(message: text)
    }

    /// Returns `true` if `name` is the name of a secret query item, form field or JSON member.
    package static func isSecret(_ name: String) -> Bool { SecretRule.standard.isSecret(name) }

    /// Returns `true` if the header field `name` contains a secret.
    package static func isSecret(header name: HTTPHeaders.Name) -> Bool {
        SecretRule.standard.isSecret(header: name)
    }

    /// Adds a header field whose values are masked from now on.
    ///
    /// The names are global to the process, because values such as `HTTPHeaders`, `URLRequest` and recordings print
    /// themselves without access to the session that knows the credential. Names are only ever added.
    package static func addSecretHeader(_ name: HTTPHeaders.Name) {
        guard !isSecret(header: name) else { return }
        addedHeaders.withLock { _ = $0.insert(name) }
    }

    static func isAdded(_ name: HTTPHeaders.Name) -> Bool { addedHeaders.withLock { $0.contains(name) } }

    /// Returns `true` if `text` looks like a generated key: at least 16 bytes, letters and digits, no white space.
    static func looksSecret(_ text: String) -> Bool {
        text.utf8.count >= 16 && !text.contains(where: \.isWhitespace) && text.contains(where: \.isNumber)
            && text.contains(where: \.isLetter)
    }

    private static let addedHeaders = LockedState<Set<HTTPHeaders.Name>>([])
}
