public import Foundation

/// Masking of secrets in header fields, URLs, forms, JSON and other texts.
///
/// A secret is recognized by its name, or as a credential after its scheme (`Bearer abc123`), or as a JSON Web Token.
public enum Redaction {
    /// The text that replaces a secret.
    package static let mask = "***"

    /// Returns the value of a header field: masked for a secret name, otherwise with the secrets in its text masked.
    public static func value(_ value: String, of name: HTTPHeaders.Name) -> String {
        isSecret(header: name) ? mask : text(value)
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
    public static func url(_ url: URL) -> String { text(ofURL: url.absoluteString) }

    /// Returns `url` without user info and with the values of secret query items masked.
    package static func masked(_ url: URL) -> URL? {
        let text = text(ofURL: url.absoluteString)
        return text == url.absoluteString ? url : URL(string: text)
    }

    /// Masks text that may not be a valid URL, such as a `Location`, like a URL.
    public static func text(ofURL text: String) -> String { self.text(ofURL: text) { _ in } }

    /// Masks the text of a URL; `found` is called with each masked text.
    ///
    /// - Parameter names: The names of the values to mask, or `nil` for those of secrets.
    package static func text(
        ofURL text: String, names: Set<String>? = nil, depth: Int = 0, found: (String) -> Void
    ) -> String {
        var text = text
        let schemeEnd = text.range(of: "//")?.upperBound ?? text.startIndex
        let authorityEnd = text[schemeEnd...].firstIndex { "/?#\\".contains($0) } ?? text.endIndex
        if let at = text[schemeEnd..<authorityEnd].lastIndex(of: "@") { text.removeSubrange(schemeEnd...at) }
        // The path can have parameters. A fragment can contain a token, too (RFC 6749, section 4.2.2).
        let start = text.firstIndex { "?#".contains($0) } ?? text.endIndex
        var masked = String(text[..<start])
        if masked.contains(";") { masked = query(masked, names: names, depth: depth, found: found) }
        let parts = text[start...].split(separator: "#", omittingEmptySubsequences: false).map { part in
            let mark = part.hasPrefix("?") ? "?" : ""
            return mark + query(String(part.dropFirst(mark.count)), names: names, depth: depth, found: found)
        }
        return maskingWebTokens(masked, found: found) + parts.joined(separator: "#")
    }

    /// Returns text with its secrets masked: those in URLs and form items between white space, quotes or angle brackets,
    /// credentials after their scheme, and JSON Web Tokens. `found` is called with each masked text.
    ///
    /// - Parameter names: The names of the values to mask, or `nil` for those of secrets.
    package static func text(
        _ text: String, names: Set<String>? = nil, depth: Int = 0, found: (String) -> Void = { _ in }
    ) -> String {
        var masked = ""
        var previous: Substring = ""
        var rest = text[...]
        while !rest.isEmpty {
            let word = rest[..<(rest.utf8.firstIndex { " \t\r\n<>\"'".utf8.contains($0) } ?? rest.endIndex)]
            masked += self.word(word, after: previous, names: names, depth: depth, found: found)
            if !word.isEmpty { previous = word }
            let next = rest.utf8[word.endIndex...].firstIndex { !" \t\r\n<>\"'".utf8.contains($0) }
            masked += rest[word.endIndex..<(next ?? rest.endIndex)]
            rest = rest[(next ?? rest.endIndex)...]
        }
        return masked
    }

    private static func word(
        _ word: Substring, after previous: Substring, names: Set<String>?, depth: Int,
        found: (String) -> Void
    ) -> String {
        let token = word.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "-._~+/=".contains($0)) }
        if ["bearer", "basic", "dpop"].contains(previous.lowercased()), token.utf8.count >= 6,
            token.dropFirst().contains(where: { $0.isNumber || $0.isUppercase })
        {
            found(String(token))
            return mask + word[token.endIndex...]
        }
        let text =
            word.contains { "?#".contains($0) } || word.contains("//")
            ? self.text(ofURL: String(word), names: names, depth: depth, found: found)
            : query(String(word), names: names, inText: true, depth: depth, found: found)
        return maskingWebTokens(text, found: found)
    }

    /// Masks JSON Web Tokens (RFC 7519): several parts in base64url, of which the first is a JSON object.
    private static func maskingWebTokens(_ text: String, found: (String) -> Void) -> String {
        var masked = ""
        var rest = text[...]
        while let start = rest.firstRange(of: "eyJ")?.lowerBound {
            let token = rest[start...].prefix {
                $0.isASCII && ($0.isLetter || $0.isNumber || "-_.=".contains($0))
            }
            let isToken = token.utf8.count >= 16 && token.contains(".")
            if isToken { found(String(token)) }
            masked += rest[..<start] + (isToken ? mask[...] : token)
            rest = rest[token.endIndex...]
        }
        return masked + rest
    }

    /// Returns a percent-encoded query with the values masked that have a secret name or contain a secret.
    ///
    /// - Parameters:
    ///   - names: The names of the values to mask, or `nil` for those of secrets.
    ///   - inText: A Boolean value that indicates whether the query is part of a text. There, ambiguous names are ignored.
    package static func query(
        _ query: String, names: Set<String>? = nil, inText: Bool = false, depth: Int = 0,
        found: (String) -> Void = { _ in }
    ) -> String {
        var masked = ""
        var rest = query[...]
        while true {
            let item = rest.prefix { $0 != "&" && $0 != ";" }
            masked += self.item(item, names: names, inText: inText, depth: depth, found: found)
            guard item.endIndex < rest.endIndex else { return masked }
            masked.append(rest[item.endIndex])
            rest = rest[item.endIndex...].dropFirst()
        }
    }

    private static func item(
        _ item: Substring, names: Set<String>?, inText: Bool, depth: Int, found: (String) -> Void
    ) -> String {
        guard let equals = item.firstIndex(of: "=") else { return String(item) }
        let encoded = item[item.index(after: equals)...]
        let value = QueryItems.decoded(encoded)
        // A URL is masked as a whole if it contains a secret, or another URL in another URL.
        let containsSecret =
            encoded.contains("%")
            && (depth == maxDepth || text(value, names: names, depth: depth + 1) != value)
            || maskingWebTokens(value, found: { _ in }) != value
        let name = QueryItems.decoded(item[..<equals])
        let isMasked = names?.contains(name) ?? (isSecret(name) && !(inText && isAmbiguous(name)))
        guard isMasked || containsSecret else { return String(item) }
        found(value)
        return item[...equals] + mask
    }

    /// Returns `true` if `name` is the name of a secret query item, form field or JSON member.
    package static func isSecret(_ name: String) -> Bool {
        let plain = name.lowercased().filter { $0.isLetter || $0.isNumber }
        if secretNames.contains(plain) || secretParts.contains(where: { plain.contains($0) }) { return true }
        if plain.hasSuffix("authorization") || plain.hasSuffix("otp") { return true }
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

    /// The number of URLs in other URLs that are searched.
    private static let maxDepth = 3

    private static let addedHeaders = LockedState<Set<HTTPHeaders.Name>>([])

    private static let secretHeaders: Set<HTTPHeaders.Name> = [
        .authorization, "Proxy-Authorization", .cookie, .setCookie,
    ]
    private static let secretNames: Set<String> = [
        "apikey", "key", "auth", "xauth", "sig", "code", "jwt", "sid", "session", "pwd", "pass", "bearer",
        "cookie", "dpop", "assertion", "clientassertion", "samlresponse", "codeverifier", "idtokenhint",
    ]
    private static let secretParts = [
        "accesstoken", "refreshtoken", "secret", "password", "passwd", "passphrase", "credential",
        "privatekey", "apikey", "accesskey", "authkey", "subscriptionkey", "signature", "sessionid", "sessid",
    ]
    /// Parts of the names of tokens that select a page of a list and are not secret.
    private static let pagingParts = ["page", "next", "prev", "continu", "cursor", "sync", "resum"]
}

// MARK: JSON

extension Redaction {
    /// Returns JSON text with the values of secret members masked.
    ///
    /// The rest of the text is not changed. Text that is not JSON is returned as it is, except for such members.
    package static func json(_ text: String) -> String { JSONMasker(text, keepsTypes: false).text }

    /// Returns JSON text with secrets masked that is still valid input for its reader: values keep their type, and
    /// values with an ambiguous name, such as `code` or `key`, are masked only if they look like a secret.
    ///
    /// - Parameter found: Called with each masked text.
    package static func readableJSON(_ text: String, found: (String) -> Void) -> String {
        let masker = JSONMasker(text, keepsTypes: true)
        masker.found.forEach(found)
        return masker.text
    }

    /// Returns JSON text with the values of the given members masked, which keep their type. The rest is not changed.
    ///
    /// - Parameter found: Called with each masked text.
    package static func readableJSON(
        _ text: String, members: Set<String>, found: (String) -> Void
    ) -> String {
        let masker = JSONMasker(text, keepsTypes: true, members: members)
        masker.found.forEach(found)
        return masker.text
    }

    /// Copies JSON text and masks the values of secret members.
    ///
    /// This is a scanner instead of a JSON parser, because the unmasked text must stay as it is, and may be incomplete
    /// or not JSON at all.
    private struct JSONMasker {
        private let bytes: [UInt8]
        /// `true` if only strings and numbers are masked, and remain strings and numbers.
        private let keepsTypes: Bool
        /// The number of strings around the text that contain JSON themselves.
        private let depth: Int
        private static let maxDepth = 3
        /// The names of the members to mask, or `nil` for those of secrets.
        private let members: Set<String>?
        private var masked: [UInt8] = []
        private(set) var found: [String] = []
        private var position = 0

        init(_ text: String, keepsTypes: Bool, members: Set<String>? = nil, depth: Int = 0) {
            (bytes, self.keepsTypes, self.depth) = (Array(text.utf8), keepsTypes, depth)
            self.members = members
            while position < bytes.count {
                guard bytes[position] == UInt8(ascii: "\"") else {
                    copy(to: position + 1)
                    continue
                }
                let string = position..<endOfString(from: position)
                guard let value = startOfValue(after: string.upperBound) else {
                    maskText(of: string)
                    continue
                }
                copy(to: string.upperBound)
                let name = decoded(string)
                guard members?.contains(name) ?? Redaction.isSecret(name) else { continue }
                copy(to: value)
                if keepsTypes {
                    maskStrings(of: name)
                } else {
                    replace(to: endOfValue(from: value), with: "\"\(Redaction.mask)\"")
                }
            }
        }

        /// The text with its secrets masked.
        var text: String { String(decoding: masked, as: UTF8.self) }

        private mutating func copy(to end: Int) {
            masked += bytes[position..<end]
            position = end
        }

        private mutating func replace(to end: Int, with text: String) {
            masked += text.utf8
            position = end
        }

        /// Copies the string at the position, with the secrets in its text masked, which can be JSON itself.
        private mutating func maskText(of string: Range<Int>) {
            guard bytes[string].contains(where: { "?#= .{[/".utf8.contains($0) }) else {
                return copy(to: string.upperBound)
            }
            let text = decoded(string)
            var masked = text
            if depth == Self.maxDepth {
                masked = Redaction.mask
            } else if text.first.map({ "{[".contains($0) }) == true {
                let inner = JSONMasker(
                    text, keepsTypes: keepsTypes, members: members, depth: depth + 1)
                found += inner.found
                masked = inner.text
            } else {
                masked = Redaction.text(text, names: members) { found.append($0) }
            }
            if masked == text {
                copy(to: string.upperBound)
            } else {
                replace(to: string.upperBound, with: JSONLiteral.quoted(masked))
            }
        }

        /// Masks the strings in the value at the position, at any depth, or the value itself if it is a number.
        private mutating func maskStrings(of name: String) {
            let isAmbiguous = members == nil && Redaction.isAmbiguous(name)
            // The members of an object are masked by their names, which are more specific than an ambiguous one.
            if isAmbiguous, position < bytes.count, bytes[position] != UInt8(ascii: "\"") { return }
            let end = endOfValue(from: position)
            if position < end, bytes[position] == UInt8(ascii: "-") || bytes[position].isASCIIDigit {
                if members != nil || Redaction.canBeNumeric(name) {
                    replace(to: end, with: "0")
                } else {
                    copy(to: end)
                }
                return
            }
            while position < end {
                guard bytes[position] == UInt8(ascii: "\"") else {
                    copy(to: position + 1)
                    continue
                }
                let string = position..<min(endOfString(from: position), end)
                let text = decoded(string)
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
        private func decoded(_ string: Range<Int>) -> String {
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
