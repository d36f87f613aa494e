import Foundation
import MockTransport
import RESTClientTestingSupport
import Testing

@testable import RESTClient

@Suite struct StatedRateLimitTests {
    private static func limit(_ status: HTTPStatus, _ body: String) throws -> StatedRateLimit? {
        let request = URLRequest(url: try #require(URL(string: "http://shop.example/items")))
        let headers: HTTPHeaders = [.contentType: "application/json", .contentLength: "\(body.utf8.count)"]
        let response = DataResponse(to: request, status: status, headers: headers, body: Data(body.utf8))
        return StatedRateLimit.isPossible(in: response) ? StatedRateLimit(response) : nil
    }

    @Test(
        arguments: [
            (#"{"ok": false, "error": "ratelimited", "retry_after": 30}"#, .seconds(30), "retry_after"),
            (#"{"error": {"code": "rate_limited", "retryAfter": "2.5"}}"#, .seconds(2.5), "retryAfter"),
            (
                #"{"errors": [{"message": "Throttled", "retry_after_ms": 1500}]}"#, .seconds(1.5),
                "retry_after_ms"
            ),
            (
                #"{"error": {"message": "Quota exceeded", "details": [{"retryDelay": "34.5s"}]}}"#,
                .seconds(34.5), "retryDelay"
            ),
            (#"{"error": "Rate limit reached. Please try again in 20s."}"#, .seconds(20), "message"),
            (#"{"error": "Too Many Requests: retry after 35"}"#, .seconds(35), "message"),
            (#"{"error": "too many requests; try again in 2 minutes"}"#, .seconds(120), "message"),
            (#"{"error": "Rate limit exceeded", "retry_after": 0}"#, nil, "retry_after"),
            (#"{"error": "Rate limit exceeded"}"#, nil, nil),
        ] as [(String, Duration?, String?)])
    func `a body states a rate limit, and the time to wait`(
        body: String, delay: Duration?, field: String?
    ) throws {
        for status in [200, 400, 403] as [HTTPStatus] {
            let limit = try #require(try Self.limit(status, body))
            #expect(limit.delay == delay)
            #expect(limit.field == field)
        }
    }

    @Test(
        arguments: [
            (200, #"{"items": ["rate limit"], "limit": 20}"#), (200, #"{"error": "not found"}"#),
            (403, #"{"message": "Forbidden", "limit": 1}"#), (403, ""), (400, "quot"),
            (404, #"{"error": "Rate limit exceeded"}"#), (500, #"{"error": "Rate limit exceeded"}"#),
        ] as [(Int, String)])
    func `another response states none`(status: Int, body: String) throws {
        #expect(try Self.limit(HTTPStatus(rawValue: status), body) == nil)
    }

    @Test(.hangLimit) func `a long text is searched in linear time`() throws {
        let blanks = String(repeating: " ", count: 64 << 10)
        let limit = try Self.limit(429, #"Rate limit. "retry_after": 1\#(blanks)x"#)
        #expect(limit?.delay == nil)
    }

    @Test func `a success of unknown or large size, or of another type, is not searched`() throws {
        let request = URLRequest(url: try #require(URL(string: "http://shop.example/items")))
        for headers in [
            [.contentType: "application/json"], [.contentType: "application/json", .contentLength: "8193"],
            [.contentType: "text/plain", .contentLength: "9"],
        ] as [HTTPHeaders] {
            let head = ResponseHead(to: request, status: 200, headers: headers, body: ())
            #expect(!StatedRateLimit.isPossible(in: head))
        }
    }
}
