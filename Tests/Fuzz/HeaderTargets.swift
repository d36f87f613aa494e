import Foundation
import RESTClientHTTP

extension FuzzTarget {
    /// Checks that each link target is part of the field value.
    static let link = Self(name: "link") { input in
        let text = input.text
        // Bytes are compared, because a combining mark would join the character before it.
        let bytes = Data(text.utf8)
        for link in Link.links(in: text) where !link.target.isEmpty {
            expect(bytes.range(of: Data(link.target.utf8)) != nil, "a target that is not in the field")
        }
        _ = Link.first("next", in: [.link: text])
    }

    /// Checks that delays are positive, and that dates without digits are rejected.
    static let retryAfter = Self(name: "retry-after") { input in
        let parts = input.split(separator: 0, maxSplits: 3, omittingEmptySubsequences: false).map {
            Array($0).text
        }
        var headers: HTTPHeaders = [.retryAfter: parts[0]]
        if parts.count > 1 { headers["Date"] = parts[1] }
        let now = Date(timeIntervalSince1970: 1_700_000_000)
        if parts.count > 2 { headers["RateLimit"] = parts[2] }
        if parts.count > 3 { headers["X-RateLimit-Reset"] = parts[3] }
        if let time = RetryAfter(429, headers, now: now) {
            expect(time.delay >= .zero && time.delay + time.delay > time.delay, "a delay of \(time.delay)")
        }
        if let date = HTTPDate.date(parts[0], now: now) {
            expect(
                date.timeIntervalSince1970.isFinite && parts[0].contains(where: \.isNumber),
                "a date without digits: \(date)"
            )
        }
    }

    /// Checks terminal escaping, redaction, and that a query survives encoding and decoding.
    static let text = Self(name: "text") { input in
        let text = input.text
        for shown in [
            TerminalEscaping.escaped(text), TerminalEscaping.quoted(text),
            TerminalEscaping.escaped(text, limit: 20),
        ] {
            expect(
                !shown.unicodeScalars.contains(where: TerminalEscaping.isUnsafe),
                "unsafe text: \(shown.debugDescription)")
        }
        _ = MediaType(rawValue: text)
        let items = QueryItems(percentEncoded: text)
        expect(
            QueryItems(percentEncoded: items.percentEncoded) == items,
            "a query changes when it is encoded and decoded")
        _ = Redaction.text(text)
    }

    /// Checks that a secret is masked at each of its places between other values, in each of its encodings, and that a second
    /// masking of a text changes nothing.
    static let secrets = Self(name: "secrets") { input in
        let secret = "s3cr3ts3cr3t"
        guard !input.text.contains(secret) else { return }
        // Other names and values, and other texts that do not end the text around them.
        let others = input.split(separator: 0, omittingEmptySubsequences: false).map { Array($0).text }
        let other = others[0]
        let last = others.last ?? ""
        let json = { JSONLiteral.quoted($0) }
        let form = { QueryItems.encoded($0) }
        let markup = { (text: String) in String(text.filter { !"<>\"'&".contains($0) && !$0.isWhitespace }) }
        let object =
            "{\(json(other)): \(json(last)), \"a\": [{\"password\": \"\(secret)\"}], \"b\": \(json(other))}"
        let pair =
            "{\"a\": \(json(other)), \"name\": \"api_key\", \"value\": \"\(secret)\", \"b\": \(json(last))}"
        let items = "\(form(other))=\(form(last))&client_secret=\(secret)&\(form(last))"
        let html =
            "<p a=\"\(markup(other))\"><input name=csrf-token x=\"\(markup(last))\" value=\"\(secret)\">"
        let texts = [
            object, pair, "[\(object), \(json(items))]", "{\"a\": \(json(object)), \"b\": \(json(items))}",
            items,
            "http://host/\(form(other))?\(items)#\(form(last))", "http://u:\(secret)@host/?\(items)",
            "a=\(form(object))&b=\(form(items))&c=\(form("http://u:\(secret)@host/"))", html,
            "a \(Data(object.utf8).base64EncodedString()) \(Data(items.utf8).base64EncodedString())",
            "\(markup(other)) Bearer \(secret) \(markup(last))",
        ]
        for text in texts {
            var scrubber = SecretScrubber()
            let masked = scrubber.masked(message: text)
            expect(
                !masked.contains(secret), "a secret of \(text.debugDescription) in \(masked.debugDescription)"
            )
            // In JSON, masking can change the name of a member.
            var second = SecretScrubber()
            expect(
                text.hasPrefix("{") || text.hasPrefix("[") || second.masked(message: masked) == masked,
                "masked twice: \(masked.debugDescription)")
            let echo = other + secret + last
            let values = SecretValues(scrubber.collected)
            for copy in [echo, form(echo), json(echo)] {
                expect(!values.masked(message: copy).contains(secret), "a copy in \(copy.debugDescription)")
            }
        }
        for (name, value) in [
            ("X-Api-Key", other + secret), ("Cookie", "a=\(secret)"), ("Link", "<http://u:\(secret)@h/>"),
        ] {
            var scrubber = SecretScrubber()
            expect(!scrubber.masked(value, of: .init(name)).contains(secret), "a secret in \(name)")
        }
        let body =
            "--b\r\nContent-Disposition: form-data; name=pwd\r\n\r\n\(secret)\r\n--b\r\n\r\n\(object)\r\n--b--"
        var scrubber = SecretScrubber()
        let part = scrubber.masked(Data(body.utf8), [.contentType: "multipart/form-data; boundary=b"])
        expect(part?.range(of: Data(secret.utf8)) == nil, "a secret in a part")
    }
}
