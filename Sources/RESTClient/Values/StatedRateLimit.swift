import Foundation
import RESTClientHTTP

/// A rate limit that a response states only in its body, such as `{"error": "ratelimited", "retry_after": 30}`.
struct StatedRateLimit: Equatable {
    /// The time to wait, if the body contains one.
    let delay: Duration?
    /// The name of the member that contains the time, or `message`.
    let field: String?

    /// The size up to which a body is searched. One that states a rate limit is small.
    static let maxBytes = 8 << 10

    /// The statuses of errors whose body can state a rate limit. With the others, the reason is the status.
    private static let statuses: Set<HTTPStatus> = [400, 403, 429]

    /// A Boolean value that indicates whether the head of a response allows a body with a rate limit. The body of a success must
    /// have a small length, because a larger one is a list, and one of unknown length can take any time.
    static func isPossible(in head: Response<some Sendable>) -> Bool {
        guard head.status.isSuccess else { return statuses.contains(head.status) }
        let length = head.headers[.contentLength].flatMap { Int($0) }
        return length.map { $0 > 0 && $0 <= maxBytes } == true && head.mediaType?.isJSON == true
    }

    /// Returns `nil` if the body does not name a rate limit as the reason of a failure.
    init?(_ response: DataResponse) {
        guard Self.hasWord(in: response.body), let message = ServerMessage(response),
            !response.status.isSuccess || message.isFailure, Self.isNamed(in: message.text)
        else { return nil }
        let text = String(decoding: response.body, as: UTF8.self)
        let member =
            /"(retry[_-]?(?:after|in|delay)(?:[_-]?seconds|[_-]?ms)?)"\s*:\s*"?(\d+(?:\.\d+)?)(?>\s*)(ms|s|)"?\s*[,}\]]/
            .ignoresCase()
        let words = /(?:\b(?:in|after|for)|available in)\s+(\d+(?:\.\d+)?)\s*(ms|s\b|sec|m\b|min|h\b|hour|$)/
            .ignoresCase()
        if let match = text.firstMatch(of: member) {
            let isMilliseconds = match.3.lowercased() == "ms" || match.1.lowercased().hasSuffix("ms")
            (field, delay) = (String(match.1), Self.time(match.2, isMilliseconds ? "ms" : "s"))
        } else if let match = message.text.firstMatch(of: words) {
            (field, delay) = ("message", Self.time(match.1, match.2.lowercased()))
        } else {
            (field, delay) = (nil, nil)
        }
    }

    private static func time(_ number: Substring, _ unit: String) -> Duration? {
        let units = ["ms": 0.001, "m": 60, "min": 60, "h": 3_600, "hour": 3_600]
        let seconds = (Double(number) ?? 0) * (units[unit] ?? 1)
        return seconds > 0 ? .seconds(min(seconds, 1e9)) : nil
    }

    /// A Boolean value that indicates whether the message of a server names a rate limit, as GitHub does with the status 403 for
    /// its secondary limits.
    static func isNamed(in message: String) -> Bool {
        message.lowercased().contains(/rate.?limit|quota|too many requests|throttl/)
    }

    /// Returns `false` for a body that cannot name a rate limit, without parsing it.
    private static func hasWord(in body: Data) -> Bool {
        let words = ["limit", "quota", "too many", "throttl"].map { Array($0.utf8) }
        return body.withUnsafeBytes { bytes in
            bytes.indices.contains { index in
                let first = bytes[index] | 0x20
                return words.contains { word in
                    first == word[0] && index + word.count <= bytes.count
                        && word.indices.allSatisfy { bytes[index + $0] | 0x20 == word[$0] }
                }
            }
        }
    }
}
