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
}
