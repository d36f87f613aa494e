import Foundation
import RESTClientHTTP
import Testing

@Suite struct RetryAfterTests {
    /// 1994-11-06T08:49:37Z
    private let now = Date(timeIntervalSince1970: 784_111_777)

    @Test(arguments: [
        ("30", Duration.seconds(30)), (" 7 ", .seconds(7)), ("1000000000", .seconds(1_000_000_000)),
        ("Sun, 06 Nov 1994 08:50:07 GMT", .seconds(30)), ("Sunday, 06-Nov-94 08:50:07 GMT", .seconds(30)),
        ("Sun Nov  6 08:50:07 1994", .seconds(30)),
    ])
    func `Retry-After is a number of seconds or a date`(value: String, delay: Duration) {
        #expect(RetryAfter.delay(in: [.retryAfter: value], now: now) == delay)
    }

    @Test(arguments: [
        "", "0", "-1", "+5", "1.5", "abc", "30 s", "30, 30", "0x10", "٣",
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sat, 05 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994",
    ])
    func `an invalid or past Retry-After is no delay`(value: String) {
        #expect(RetryAfter.delay(in: [.retryAfter: value], now: now) == nil)
    }

    @Test func `a number with too many digits is a very long delay`() throws {
        let digits = String(repeating: "9", count: 100)
        let delay = try #require(RetryAfter.delay(in: [.retryAfter: digits], now: now))
        #expect(delay > .seconds(86_400 * 365))
        // Sums with it must not overflow.
        #expect(delay + delay > delay)
    }

    @Test func `a Retry-After date is compared with the Date of the response`() {
        let headers: HTTPHeaders = [
            .retryAfter: "Sun, 06 Nov 1994 12:00:30 GMT", .date: "Sun, 06 Nov 1994 12:00:00 GMT",
        ]
        #expect(RetryAfter.delay(in: headers, now: now) == .seconds(30))
        #expect(RetryAfter.delay(in: headers, now: now + 1e9) == .seconds(30))
    }

    @Test func `without a valid Date the client's clock is used`() {
        let headers: HTTPHeaders = [.retryAfter: "Sun, 06 Nov 1994 08:50:07 GMT", .date: "today"]
        #expect(RetryAfter.delay(in: headers, now: now) == .seconds(30))
    }

    @Test func `a missing Retry-After is no delay`() {
        #expect(RetryAfter.delay(in: [:], now: now) == nil)
    }
}
