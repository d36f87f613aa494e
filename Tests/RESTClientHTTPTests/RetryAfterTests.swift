import Foundation
import RESTClientHTTP
import Testing

@Suite struct RetryAfterTests {
    /// 1994-11-06T08:49:37Z
    private let now = Date(timeIntervalSince1970: 784_111_777)

    @Test(arguments: [
        ("30", Duration.seconds(30)), (" 7 ", .seconds(7)), ("1000000000", .seconds(1_000_000_000)),
        ("Sun, 06 Nov 1994 08:50:07 GMT", .seconds(30)), ("Sunday, 06-Nov-94 08:50:07 GMT", .seconds(30)),
        ("Sun Nov  6 08:50:07 1994", .seconds(30)), ("30, 30", .seconds(30)),
        ("Sun, 06 Nov 1994 08:50:07 GMT, Sun, 06 Nov 1994 08:50:07 GMT", .seconds(30)),
    ])
    func `Retry-After is a number of seconds or a date`(value: String, delay: Duration) {
        #expect(RetryAfter(503, [.retryAfter: value], now: now)?.delay == delay)
    }

    @Test(arguments: [
        "", "0", "-1", "+5", "1.5", "abc", "30 s", "30, 31", "30, 31, 30", "0x10", "٣",
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sat, 05 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994",
    ])
    func `an invalid or past Retry-After means no delay`(value: String) {
        #expect(RetryAfter(503, [.retryAfter: value], now: now) == nil)
    }

    @Test func `a number with too many digits is a very long delay`() throws {
        let digits = String(repeating: "9", count: 100)
        let delay = try #require(RetryAfter(503, [.retryAfter: digits], now: now)?.delay)
        #expect(delay > .seconds(86_400 * 365))
        // Sums with it must not overflow.
        #expect(delay + delay > delay)
    }

    @Test func `a Retry-After date is compared with the Date of the response`() {
        let headers: HTTPHeaders = [
            .retryAfter: "Sun, 06 Nov 1994 12:00:30 GMT", .date: "Sun, 06 Nov 1994 12:00:00 GMT",
        ]
        #expect(RetryAfter(503, headers, now: now)?.delay == .seconds(30))
        #expect(RetryAfter(503, headers, now: now + 1e9)?.delay == .seconds(30))
    }

    @Test func `without a valid Date the client's clock is used`() {
        let headers: HTTPHeaders = [.retryAfter: "Sun, 06 Nov 1994 08:50:07 GMT", .date: "today"]
        #expect(RetryAfter(503, headers, now: now)?.delay == .seconds(30))
    }

    @Test func `a missing Retry-After means no delay`() {
        #expect(RetryAfter(503, [:], now: now) == nil)
    }

    private static let exhausted = [
        (403, ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "784111807"], "X-RateLimit-Reset"),
        (429, ["X-RateLimit-Reset": "784111807000"], "X-RateLimit-Reset"),
        (429, ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "30"], "X-RateLimit-Reset"),
        (429, ["x-rate-limit-remaining": "0", "x-rate-limit-reset": "784111807"], "X-Rate-Limit-Reset"),
        (
            429,
            [
                "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "784111900",
                "X-RateLimit-Reset-After": "30.0",
            ], "X-RateLimit-Reset-After"
        ),
        (503, ["RateLimit-Remaining": "0", "RateLimit-Reset": "30"], "RateLimit-Reset"),
        (429, ["RateLimit": #""default";r=0;t=30"#], "RateLimit"),
        (429, ["RateLimit": #""burst";r=7;t=90, "day";r=0;t=30, "hour";r=0;t=9"#], "RateLimit"),
        (403, ["RateLimit": "limit=100, remaining=0, reset=30"], "RateLimit"),
        (403, ["Retry-After": "30", "X-RateLimit-Remaining": "55"], "Retry-After"),
        (429, ["Retry-After": "soon", "RateLimit": "r=0;t=30"], "RateLimit"),
        (403, ["X-RateLimit-Remaining": "-1", "X-RateLimit-Reset": "30"], "X-RateLimit-Reset"),
    ]

    @Test(arguments: exhausted)
    func `the reset of an exhausted rate limit is a delay`(
        status: Int, fields: [String: String], name: String
    ) throws {
        let time = try #require(RetryAfter(HTTPStatus(rawValue: status), HTTPHeaders(fields), now: now))
        #expect(time.delay == .seconds(30))
        #expect(time.field == name)
    }

    @Test(arguments: [
        (403, ["X-RateLimit-Remaining": "12", "X-RateLimit-Reset": "784111807"]),
        (403, ["X-RateLimit-Reset": "784111807"]), (429, ["X-RateLimit-Reset": "784111777"]),
        (429, ["X-RateLimit-Remaining": "3", "X-RateLimit-Reset": "30"]), (429, ["X-RateLimit-Reset": "nan"]),
        (429, ["RateLimit": #""default";r=7;t=30"#]), (429, ["RateLimit": "r=0;t=;,=,;;t=x"]),
        (429, ["Retry-After": "0", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "30"]),
        (200, ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "30"]),
        (500, ["RateLimit": #""default";r=0;t=30"#]),
    ])
    func `a rate limit that is not exhausted or a response that is not limited has no delay`(
        status: Int, fields: [String: String]
    ) {
        #expect(RetryAfter(HTTPStatus(rawValue: status), HTTPHeaders(fields), now: now) == nil)
    }
}
