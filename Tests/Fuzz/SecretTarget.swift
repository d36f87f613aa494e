import Foundation
import RESTClientHTTP

extension FuzzTarget {
    /// Checks that a secret is masked at each of its places between other values, and so are its copies in each encoding; and
    /// that a second masking of a text changes nothing.
    static let secrets = Self(name: "secrets") { input in
        // Other names and values, and a part of the secret.
        let others = input.split(separator: 0, maxSplits: 2, omittingEmptySubsequences: false).map {
            Array($0).text
        }
        let token = "s3cr3tS3CR3T"
        // Encoders of JSON write the other control characters in different ways.
        let part = (others.count > 2 ? others[2] : "").unicodeScalars.filter {
            $0.value >= 0x20 || "\t\r\n".unicodeScalars.contains($0)
        }
        let secret = "s3cr3t\(String(String.UnicodeScalarView(part)))S3CR3T"
        guard !others[...min(1, others.count - 1)].contains(where: isShown),
            !others.dropFirst(2).contains(where: isShown)
        else { return }
        let places = SecretPlaces(other: others[0], last: others.count > 1 ? others[1] : "")
        for text in places.texts(secret) + places.words(token) {
            var scrubber = SecretScrubber()
            let masked = scrubber.masked(message: text)
            expect(!isShown(masked), "a secret of \(text.debugDescription) in \(masked.debugDescription)")
            // In JSON, masking can change the name of a member.
            var second = SecretScrubber()
            expect(
                text.hasPrefix("{") || text.hasPrefix("[") || second.masked(message: masked) == masked,
                "masked twice: \(masked.debugDescription)")
        }
        for text in places.texts(secret) {
            var scrubber = SecretScrubber()
            _ = scrubber.masked(message: text)
            expect(scrubber.collected.contains(secret), "not collected: \(text.debugDescription)")
        }
        for (name, value) in places.fields(secret) {
            var scrubber = SecretScrubber()
            let masked = scrubber.masked(value, of: .init(name))
            expect(!isShown(masked), "a secret in \(name): \(masked.debugDescription)")
        }
        for (type, body) in places.bodies(secret) {
            var scrubber = SecretScrubber()
            let masked = scrubber.masked(Data(body.utf8), [.contentType: type]).map(Array.init)?.text ?? ""
            expect(!isShown(masked), "a secret in \(type): \(masked.debugDescription)")
        }
        let values = SecretValues([secret])
        for copy in places.copies(secret) {
            let masked = values.masked(message: copy)
            expect(!isShown(masked), "a copy in \(copy.debugDescription): \(masked.debugDescription)")
        }
    }

    private static func isShown(_ text: String) -> Bool { text.contains("s3cr3t") || text.contains("S3CR3T") }
}

/// The places of a secret between other names and values.
private struct SecretPlaces {
    let other: String
    let last: String

    private func json(_ text: String) -> String { JSONLiteral.quoted(text) }
    private func form(_ text: String) -> String { QueryItems.encoded(text) }
    private func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }
    /// Text that does not end a word or a tag.
    private func markup(_ text: String) -> String {
        String(text.filter { !"<>\"'&".contains($0) && !$0.isWhitespace })
    }

    private func object(_ secret: String) -> String {
        "{\(json(other)): \(json(last)), \"a\": [{\"password\": \(json(secret))}], \"b\": \(json(other))}"
    }

    private func items(_ secret: String) -> String {
        "\(form(other))=\(form(last))&client_secret=\(form(secret))&\(form(last))"
    }

    /// Texts with any secret.
    func texts(_ secret: String) -> [String] {
        let (object, items) = (object(secret), items(secret))
        let url = "http://u:\(form(secret))@host/"
        let pair =
            "{\"a\": \(json(other)), \"name\": \"api_key\", \"value\": \(json(secret)), \"b\": \(json(last))}"
        return [
            object, pair, "[\(object), \(json(items))]", "{\"a\": \(json(object)), \"b\": \(json(items))}",
            "{\"a\": \(json("see \(url) or /?\(items)"))}", items, "\(url)?\(form(last))",
            "http://host/\(form(other))?\(items)#\(form(last))", "/?a=\(form(other))#\(items)",
            "a=\(form(object))", "b=\(form(items))", "c=\(form(url))", "{\"a\": \(json(form(items)))}",
            "a \(base64(object)) b", "a \(base64(items)) b", "{\"a\": \(json(base64(object)))}",
            "/?a=\(form(base64(object)))", "data:application/json;base64,\(base64(object))",
            "{\"authorization\": \(json("Basic \(base64("u:\(secret)"))"))}",
        ]
    }

    /// Texts with a secret of letters and digits.
    func words(_ token: String) -> [String] {
        let (other, last) = (markup(other), markup(last))
        return [
            "<p a=\"\(other)\"><input name=csrf-token x=\"\(last)\" value = \"\(token)\">",
            "<a x='\(other)'><Name>password</Name><Value>\(token)</Value></a>",
            "<p \(other)><token>\(token)</token>",
            "\(other) Bearer \(token) \(last)", "(Bearer: \(token))", "API key: \(token) \(last)",
            "Cookie: a=\(token); b=\(token)", "\(other)\npassword=\(token)\n\(last)",
        ]
    }

    /// Header fields.
    func fields(_ secret: String) -> [(name: String, value: String)] {
        [
            ("X-Api-Key", secret), ("Authorization", "Token \(secret)"),
            ("Cookie", "a=\(form(secret)); b=\(form(secret))"),
            ("Set-Cookie", "a=\(form(secret)); Path=/"),
            ("Link", "<http://u:\(form(secret))@h/>; rel=\(json(other))"),
            ("Location", "/\(form(other))?\(items(secret))"), ("X-State", base64(object(secret))),
        ]
    }

    func bodies(_ secret: String) -> [(type: String, body: String)] {
        let part = "Content-Disposition: form-data; name"
        // A part ends at its delimiter.
        let text = String(String.UnicodeScalarView(secret.unicodeScalars.filter { $0 != "\r" && $0 != "\n" }))
        return [
            ("application/json", object(secret)),
            ("application/json", "\(markup(other)) password=\(form(secret))"),
            ("application/x-www-form-urlencoded", items(secret)), ("text/plain", object(secret)),
            (
                "multipart/form-data; boundary=b",
                "--b\r\n\(part)=pwd\r\n\r\n\(text)\r\n--b\r\n\r\n\(object(secret))\r\n--b--"
            ),
            (
                "multipart/form-data; boundary=b",
                "--b\r\n\(part)=key\r\n\r\ntoken\r\n--b\r\n\(part)=value\r\nX-Api-Key: \(text)\r\n\r\n\(text)\r\n--b--"
            ),
        ]
    }

    /// Texts with the secret in the encodings of its copies.
    func copies(_ secret: String) -> [String] {
        let slashes = JSONEncoder()
        let plain = JSONEncoder()
        plain.outputFormatting = .withoutEscapingSlashes
        let encoders = [slashes, plain].compactMap { (try? $0.encode(secret)).map { Array($0).text } }
        let escapes: [Unicode.Scalar: String] = [
            "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;",
        ]
        let html = secret.unicodeScalars.map { escapes[$0] ?? "\($0)" }.joined()
        return
            ([secret, form(secret), form(secret).replacing("%20", with: "+"), json(secret), html] + encoders)
            .map {
                "\(other)\($0)\(last)"
            }
    }
}
