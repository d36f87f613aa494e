public import Foundation

/// Masking of secrets in header fields, URLs, forms and JSON. A secret is recognized by its name.
public enum Redaction {
    /// The text that replaces a secret.
    package static let mask = "***"

    /// Returns the value of a header field: masked for a secret name, and with masked URLs for fields that contain URLs.
    public static func value(_ value: String, of name: HTTPHeaders.Name) -> String {
        if isSecret(header: name) { return mask }
        return headersWithURLs.contains(name) ? text(withURLs: value) : value
    }

    /// Returns `true` if the header field `name` contains a secret.
    package static func isSecret(header name: HTTPHeaders.Name) -> Bool {
        if secretHeaders.contains(name) || isSecret(name.rawValue) { return true }
        if name != .idempotencyKey, name.rawValue.lowercased().hasSuffix("key") { return true }
        return addedHeaders.withLock { $0.contains(name) }
    }

    /// Adds a header field whose values are masked from now on.
    ///
    /// The names are global to the process, because values such as `HTTPHeaders`, `URLRequest` and recordings print
    /// themselves without access to the session that knows the credential. Names are only ever added.
    package static func addSecretHeader(_ name: HTTPHeaders.Name) {
        guard !isSecret(header: name) else { return }
        addedHeaders.withLock { _ = $0.insert(name) }
    }

    /// Returns the text of `url` without user info and with the values of secret query items masked.
    public static func url(_ url: URL) -> String {
        text(ofURL: url.absoluteString)
    }

    /// Returns `url` without user info and with the values of secret query items masked.
    package static func masked(_ url: URL) -> URL? {
        let text = text(ofURL: url.absoluteString)
        return text == url.absoluteString ? url : URL(string: text)
    }

    /// Masks text that may not be a valid URL, such as a `Location`, like a URL.
    public static func text(ofURL text: String) -> String {
        var text = text
        let schemeEnd = text.range(of: "//")?.upperBound ?? text.startIndex
        let authorityEnd = text[schemeEnd...].firstIndex { "/?#\\".contains($0) } ?? text.endIndex
        if let at = text[schemeEnd..<authorityEnd].lastIndex(of: "@") {
            text.removeSubrange(schemeEnd...at)
        }
        // A fragment can contain a token, too (RFC 6749, section 4.2.2).
        guard let start = text.firstIndex(where: { "?#".contains($0) }) else { return text }
        var masked = String(text[..<start])
        for part in text[start...].split(separator: "#", omittingEmptySubsequences: false).enumerated() {
            let isQuery = part.element.hasPrefix("?")
            masked += part.offset == 0 ? "" : "#"
            masked += (isQuery ? "?" : "") + query(String(isQuery ? part.element.dropFirst() : part.element))
        }
        return masked
    }

    /// Masks text that contains URLs between spaces, quotes or angle brackets, such as a `Link`.
    package static func text(withURLs text: String) -> String {
        var masked = ""
        var url = ""
        for character in text {
            if " \t<>\"'".contains(character) {
                masked += self.text(ofURL: url)
                masked.append(character)
                url = ""
            } else {
                url.append(character)
            }
        }
        return masked + self.text(ofURL: url)
    }

    /// Returns a percent-encoded query with the values masked that have a secret name or are URLs with a secret.
    package static func query(_ query: String) -> String {
        query.split(separator: "&", omittingEmptySubsequences: false).map { item -> String in
            guard let equals = item.firstIndex(of: "=") else { return String(item) }
            let name = item[..<equals].removingPercentEncoding ?? String(item[..<equals])
            let isMasked = isSecret(name) || containsURLWithSecret(item[item.index(after: equals)...])
            return isMasked ? "\(item[...equals])\(mask)" : String(item)
        }.joined(separator: "&")
    }

    /// Returns `true` if `name` is the name of a secret query item, form field or JSON member.
    package static func isSecret(_ name: String) -> Bool {
        let plain = name.lowercased().filter { $0.isLetter || $0.isNumber }
        if secretNames.contains(plain) || secretParts.contains(where: { plain.contains($0) }) { return true }
        return plain.hasSuffix("token") && !pagingParts.contains { plain.contains($0) }
    }

    /// Returns `true` for the name of a secret that is also a common name of other values.
    private static func isAmbiguous(_ name: String) -> Bool {
        ["code", "key", "auth", "session", "pass", "cookie"].contains(name.lowercased())
    }

    /// Returns `true` if a number with this name may be a secret. Most numbers with a secret name are lifetimes.
    private static func canBeNumeric(_ name: String) -> Bool {
        let plain = name.lowercased()
        return ["password", "passwd", "pwd", "secret", "token"].contains { plain.hasSuffix($0) }
    }

    /// Returns `true` if `text` looks like a generated key: at least 16 bytes, letters and digits, no white space.
    package static func looksSecret(_ text: String) -> Bool {
        text.utf8.count >= 16 && !text.contains(where: \.isWhitespace) && text.contains(where: \.isNumber)
            && text.contains(where: \.isLetter)
    }

    private static func containsURLWithSecret(_ value: Substring) -> Bool {
        guard value.contains("%"), let decoded = value.removingPercentEncoding, decoded.contains("/") else {
            return false
        }
        return text(ofURL: decoded) != decoded
    }

    private static let addedHeaders = LockedState<Set<HTTPHeaders.Name>>([])

    private static let secretHeaders: Set<HTTPHeaders.Name> = [
        .authorization, "Proxy-Authorization", .cookie, .setCookie,
    ]
    private static let headersWithURLs: Set<HTTPHeaders.Name> = [
        .location, .link, "Content-Location", "Referer", "Refresh",
    ]
    private static let secretNames: Set<String> = [
        "apikey", "key", "auth", "xauth", "authorization", "sig", "code", "jwt", "sid", "session",
        "sessionid", "pwd", "pass", "bearer", "cookie",
    ]
    private static let secretParts = [
        "accesstoken", "refreshtoken", "secret", "password", "passwd", "passphrase", "credential",
        "privatekey", "apikey", "accesskey", "authkey", "signature", "xauthorization",
    ]
    /// Parts of the names of tokens that select a page of a list and are not secret.
    private static let pagingParts = ["page", "next", "prev", "continu", "cursor", "sync", "resum"]
}

// MARK: JSON

extension Redaction {
    /// Returns JSON text with the values of secret members masked.
    ///
    /// The rest of the text is not changed. Text that is not JSON is returned as it is, except for such members.
    package static func json(_ text: String) -> String {
        var masker = JSONMasker(bytes: Array(text.utf8), keepsTypes: false)
        masker.run()
        return String(decoding: masker.masked, as: UTF8.self)
    }

    /// Returns JSON text with secrets masked that is still valid input for its reader: values keep their type, and
    /// values with an ambiguous name, such as `code` or `key`, are masked only if they look like a secret.
    ///
    /// - Parameter found: Called with each masked text.
    package static func readableJSON(_ text: String, found: (String) -> Void) -> String {
        var masker = JSONMasker(bytes: Array(text.utf8), keepsTypes: true)
        masker.run()
        masker.found.forEach(found)
        return String(decoding: masker.masked, as: UTF8.self)
    }

    /// Copies JSON text and masks the values of secret members.
    ///
    /// This is a scanner instead of a JSON parser, because the unmasked text must stay as it is, and may be incomplete
    /// or not JSON at all.
    private struct JSONMasker {
        let bytes: [UInt8]
        /// `true` if only strings and numbers are masked, and remain strings and numbers.
        let keepsTypes: Bool
        var masked: [UInt8] = []
        var found: [String] = []
        private var position = 0

        init(bytes: [UInt8], keepsTypes: Bool) {
            self.bytes = bytes
            self.keepsTypes = keepsTypes
        }

        mutating func run() {
            while position < bytes.count {
                guard bytes[position] == UInt8(ascii: "\"") else {
                    copy(to: position + 1)
                    continue
                }
                let string = position..<endOfString(from: position)
                copy(to: string.upperBound)
                guard let value = startOfValue(after: position) else { continue }
                let name = text(string)
                guard Redaction.isSecret(name) else { continue }
                copy(to: value)
                if keepsTypes {
                    maskStrings(of: name)
                } else {
                    replace(to: endOfValue(from: value), with: "\"\(Redaction.mask)\"")
                }
            }
        }

        private mutating func copy(to end: Int) {
            masked += bytes[position..<end]
            position = end
        }

        private mutating func replace(to end: Int, with text: String) {
            masked += text.utf8
            position = end
        }

        /// Masks the strings in the value at the position, at any depth, or the value itself if it is a number.
        private mutating func maskStrings(of name: String) {
            let isAmbiguous = Redaction.isAmbiguous(name)
            // The members of an object have names of their own, which are more specific than an ambiguous one.
            if isAmbiguous, position < bytes.count, bytes[position] != UInt8(ascii: "\"") { return }
            let end = endOfValue(from: position)
            if position < end, bytes[position] == UInt8(ascii: "-") || bytes[position].isASCIIDigit {
                if Redaction.canBeNumeric(name) { replace(to: end, with: "0") } else { copy(to: end) }
                return
            }
            while position < end {
                guard bytes[position] == UInt8(ascii: "\"") else {
                    copy(to: position + 1)
                    continue
                }
                let string = position..<min(endOfString(from: position), end)
                let text = text(string)
                if startOfValue(after: string.upperBound) != nil
                    || isAmbiguous && !Redaction.looksSecret(text)
                {
                    copy(to: string.upperBound)
                } else {
                    replace(to: string.upperBound, with: "\"\(Redaction.mask)\"")
                    found.append(text)
                }
            }
        }

        /// Returns the decoded text of a JSON string, or its undecoded text if it is not valid.
        private func text(_ string: Range<Int>) -> String {
            let literal = bytes[string]
            if literal.contains(UInt8(ascii: "\\")),
                let text = try? JSONDecoder().decode(String.self, from: Data(literal))
            {
                return text
            }
            let content = literal.dropFirst()
            return String(
                decoding: content.last == UInt8(ascii: "\"") ? content.dropLast() : content, as: UTF8.self)
        }

        /// Returns the start of the value after a colon, or `nil` if there is no colon.
        private func startOfValue(after end: Int) -> Int? {
            let colon = endOfSpace(from: end)
            guard colon < bytes.count, bytes[colon] == UInt8(ascii: ":") else { return nil }
            return endOfSpace(from: colon + 1)
        }

        private func endOfSpace(from start: Int) -> Int {
            bytes[start...].firstIndex { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } ?? bytes.count
        }

        private func endOfString(from start: Int) -> Int {
            var end = start + 1
            while end < bytes.count, bytes[end] != UInt8(ascii: "\"") {
                end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1
            }
            return min(end + 1, bytes.count)
        }

        /// Returns the end of a string, an array or an object, or of any other text before the next comma or bracket.
        private func endOfValue(from start: Int) -> Int {
            var end = start
            var depth = 0
            while end < bytes.count {
                switch bytes[end] {
                case UInt8(ascii: "\""): end = endOfString(from: end)
                case UInt8(ascii: "["), UInt8(ascii: "{"):
                    depth += 1
                    end += 1
                case UInt8(ascii: "]"), UInt8(ascii: "}"):
                    if depth == 0 { return end }
                    depth -= 1
                    end += 1
                case UInt8(ascii: ",") where depth == 0: return end
                default:
                    end += 1
                    continue
                }
                if depth == 0 { return end }
            }
            return end
        }
    }
}
