import Foundation
import RESTClient

/// A cookie as a server has set it (RFC 6265), or as a line of a file in the format of Netscape.
struct Cookie: Equatable, Sendable {
    var name: String
    var value: String
    /// The host, or the domain whose hosts get the cookie, in lower case.
    var domain: String
    var isHostOnly = true
    var path = "/"
    var isSecure = false
    var isHTTPOnly = false
    /// The port to which it is sent, or `nil` for any.
    var port: Int?
    /// The time from which it is not sent; `nil` for a cookie of the session.
    var expiry: Date?

    func isExpired(at now: Date) -> Bool { expiry.map { $0 <= now } ?? false }

    func isSent(to url: URL) -> Bool {
        let host = Self.host(of: url)
        guard port == nil || port == url.portOrDefault,
            host == domain || !isHostOnly && Self.domain(domain, includes: host)
        else { return false }
        let target = url.path(percentEncoded: true)
        let isBelow =
            target.hasPrefix(path) && (path.hasSuffix("/") || target.dropFirst(path.count).first == "/")
        return (target == path || isBelow || path == "/") && (!isSecure || url.scheme == "https")
    }

    static func host(of url: URL) -> String { url.host(percentEncoded: false)?.lowercased() ?? "" }

    private static func domain(_ domain: String, includes host: String) -> Bool {
        // An address has no domain.
        host.hasSuffix(".\(domain)") && !host.contains(":") && !host.allSatisfy { $0.isNumber || $0 == "." }
    }
}

// MARK: Set-Cookie

extension Cookie {
    /// Returns the cookies of the `Set-Cookie` fields of a response from `url`, which URLSession joins with commas.
    static func cookies(in fields: HTTPHeaders, from url: URL, now: Date) -> [Cookie] {
        fields[all: .setCookie].flatMap { field in
            // The comma in a date is not followed by a name and an equals sign.
            field.split(separator: /, *(?=[^=;,\s]+=)/).compactMap { Cookie(String($0), from: url, now: now) }
        }
    }

    /// Parses a cookie (RFC 6265, section 5.2). Returns `nil` if it must be ignored: without a name, or for a domain that does not
    /// include the host.
    private init?(_ text: String, from url: URL, now: Date) {
        let parts = text.unicodeScalars.split(separator: ";").map { part in
            let (name, value) = String(part).divided(at: "=")
            return (name.trimmed, value?.trimmed)
        }
        guard let name = parts.first?.0, let value = parts.first?.1, !name.isEmpty,
            text.isFieldValue
        else { return nil }
        let host = Self.host(of: url)
        self.init(name: name, value: value, domain: host)
        let folder = url.path(percentEncoded: true).split(separator: "/", omittingEmptySubsequences: false)
            .dropLast()
        if folder.count > 1 { path = folder.joined(separator: "/") }
        for case (let name, let value) in parts.dropFirst() {
            let value = value ?? ""
            switch name.lowercased() {
            case "secure": isSecure = true
            case "httponly": isHTTPOnly = true
            case "path" where value.hasPrefix("/"): path = value
            case "domain" where !value.isEmpty:
                let domain = (value.hasPrefix(".") ? String(value.dropFirst()) : value).lowercased()
                // A cookie for all hosts of a domain such as com is refused.
                guard domain == host || Self.domain(domain, includes: host) && domain.contains(".") else {
                    return nil
                }
                (self.domain, isHostOnly) = (domain, !domain.contains("."))
            default: break
            }
        }
        func attribute(_ wanted: String) -> String? {
            parts.dropFirst().last { $0.0.lowercased() == wanted }?.1
        }
        // A number of seconds has precedence over a date.
        let seconds = attribute("max-age").flatMap { Double($0) }
        expiry =
            seconds.map { now.addingTimeInterval(min(max($0, 0), 1e10)) }
            ?? attribute("expires").flatMap { Self.date($0) }
    }

    /// Parses a date such as `Wed, 09 Jun 2027 10:18:14 GMT`, also with dashes or a year of two digits.
    private static func date(_ text: String) -> Date? {
        let form = /(\d{1,2})[ -]([A-Za-z]{3})[ -](\d{4}|\d{2}) (\d\d):(\d\d):(\d\d)/
        let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
        guard let match = text.firstMatch(of: form), let year = Int(match.3),
            let month = months.firstIndex(of: match.2.lowercased())
        else { return nil }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar.date(
            from: DateComponents(
                year: match.3.count == 4 ? year : year + (year < 70 ? 2000 : 1900), month: month + 1,
                day: Int(match.1), hour: Int(match.4), minute: Int(match.5), second: Int(match.6)))
    }
}

extension String {
    fileprivate var trimmed: String { trimmingCharacters(in: .whitespaces) }
}

// MARK: Files

extension Cookie {
    private static let httpOnlyMark = "#HttpOnly_"

    /// The cookies of a line of a file: domain, `TRUE` if it includes the hosts below it, path, `TRUE` for https only, expiry in
    /// seconds or 0, name and value. A comment and an empty line have none; for any other text, the result is `nil`.
    static func cookies(inLine line: String) -> [Cookie]? {
        let isHTTPOnly = line.hasPrefix(httpOnlyMark)
        let text = isHTTPOnly ? String(line.dropFirst(httpOnlyMark.count)) : line
        if text.trimmed.isEmpty || text.hasPrefix("#") { return [] }
        let fields = text.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        // Without a value, some programs omit the last field.
        guard fields.count == 7 || fields.count == 6, let seconds = Double(fields[4]), !fields[5].isEmpty
        else {
            return nil
        }
        let domain = fields[0].hasPrefix(".") ? String(fields[0].dropFirst()) : fields[0]
        return [
            Cookie(
                name: fields[5], value: fields.count == 7 ? fields[6] : "", domain: domain.lowercased(),
                isHostOnly: fields[1].uppercased() != "TRUE", path: fields[2],
                isSecure: fields[3].uppercased() == "TRUE", isHTTPOnly: isHTTPOnly,
                expiry: seconds == 0 ? nil : Date(timeIntervalSince1970: seconds))
        ]
    }

    /// The line of a file.
    var line: String {
        func flag(_ isSet: Bool) -> String { isSet ? "TRUE" : "FALSE" }
        let fields = [
            (isHostOnly ? "" : ".") + domain, flag(!isHostOnly), path, flag(isSecure),
            "\(Int64(expiry?.timeIntervalSince1970 ?? 0))", name, value,
        ]
        return (isHTTPOnly ? Self.httpOnlyMark : "") + fields.joined(separator: "\t")
    }
}
