import Foundation
import RESTClientHTTP

extension FuzzTarget {
    /// No link has a target or a relation that the field does not spell out.
    static let link = Self(name: "link") { input in
        let text = input.text
        // As bytes: a mark that combines with the bracket before it is no character of its own.
        let bytes = Data(text.utf8)
        for link in Link.links(in: text) where !link.target.isEmpty {
            expect(bytes.range(of: Data(link.target.utf8)) != nil, "a target from nowhere")
        }
        _ = Link.target(of: "next", in: [.link: text])
    }

    /// A delay is never negative, and a date is none without digits.
    static let retryAfter = Self(name: "retry-after") { input in
        let parts = input.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false).map {
            Array($0).text
        }
        var headers: HTTPHeaders = [.retryAfter: parts[0]]
        if parts.count > 1 { headers["Date"] = parts[1] }
        let now = Date(timeIntervalSince1970: 1_700_000_000)
        if let delay = RetryAfter.delay(in: headers, now: now) {
            expect(delay >= .zero, "a delay of \(delay)")
        }
        if let date = HTTPDate.date(parts[0], now: now) {
            expect(
                date.timeIntervalSince1970.isFinite && parts[0].contains(where: \.isNumber), "a date: \(date)"
            )
        }
    }

    /// What was escaped does nothing, what was masked is not there, what is written is read back.
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
            QueryItems(percentEncoded: items.percentEncoded) == items, "a query is not read as it is written")
        let masked = Redaction.text(ofURL: "http://host/?token=s3cr3ts3cr3t&" + text)
        expect(!masked.contains("s3cr3ts3cr3t"), "a secret in \(masked)")
        _ = Redaction.text(withURLs: text)
    }
}
