package import Foundation

/// Masks secrets: the one place that knows what one looks like.
package enum Redaction {
    /// What stands in place of a secret.
    package static let mask = "***"

    /// The value of a header, masked where the name says that it is a secret.
    package static func value(_ value: String, of name: HTTPHeaders.Name) -> String {
        isSecret(header: name) ? mask : value
    }

    /// Whether the header `name` carries a secret.
    package static func isSecret(header name: HTTPHeaders.Name) -> Bool {
        secretHeaders.contains(name) || isSecret(name.rawValue)
    }

    /// `url` without user info, the values of secret-looking query items masked.
    package static func url(_ url: URL) -> String {
        text(ofURL: url.absoluteString)
    }

    /// The same for something that may not even be a URL, such as a `Location`.
    package static func text(ofURL text: String) -> String {
        var text = text
        let schemeEnd = text.range(of: "//")?.upperBound ?? text.startIndex
        let authorityEnd = text[schemeEnd...].firstIndex { "/?#\\".contains($0) } ?? text.endIndex
        if let at = text[schemeEnd..<authorityEnd].lastIndex(of: "@") {
            text.removeSubrange(schemeEnd...at)
        }
        guard let question = text.firstIndex(of: "?") else { return text }
        let queryStart = text.index(after: question)
        let queryEnd = text[queryStart...].firstIndex(of: "#") ?? text.endIndex
        return text[..<queryStart] + query(String(text[queryStart..<queryEnd])) + text[queryEnd...]
    }

    /// A percent-encoded query, the values of secret-looking items masked.
    package static func query(_ query: String) -> String {
        query.split(separator: "&", omittingEmptySubsequences: false).map { item -> String in
            guard let equals = item.firstIndex(of: "=") else { return String(item) }
            let name = item[..<equals].removingPercentEncoding ?? String(item[..<equals])
            return isSecret(name) ? "\(item[...equals])\(mask)" : String(item)
        }.joined(separator: "&")
    }

    /// Whether something called `name` (a query item, a form field, a JSON member) is a secret.
    package static func isSecret(_ name: String) -> Bool {
        let plain = name.lowercased().filter { $0.isLetter || $0.isNumber }
        return secretNames.contains(plain) || secretParts.contains { plain.contains($0) }
    }

    private static let secretHeaders: Set<HTTPHeaders.Name> = [
        .authorization, "Proxy-Authorization", .cookie, .setCookie,
    ]
    private static let secretNames: Set<String> = [
        "apikey", "xapikey", "key", "auth", "authorization", "sig", "signature", "code", "jwt", "sid",
        "session", "sessionid", "pwd", "pass", "token", "bearer", "cookie",
    ]
    private static let secretParts = [
        "accesstoken", "refreshtoken", "idtoken", "authtoken", "apitoken", "csrftoken", "xsrftoken",
        "sessiontoken", "securitytoken", "bearertoken", "privatetoken", "usertoken", "xauth",
        "secret", "password", "passwd", "passphrase", "credential", "privatekey", "apikey", "accesskey",
        "signature",
    ]
}
