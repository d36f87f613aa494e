import Foundation
@testable import RESTClient
import Testing

/// The decision of the policy, without a server and a clock.
@Suite struct RetryPolicyTests {
    private let policy = RetryPolicy(backoff: .exponential(initialDelay: .seconds(1), random: { 1 }))

    private static func request(
        _ method: HTTPMethod = .get, headers: [String: String] = [:]
    ) throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: "http://shop.example/items")))
        request.httpMethod = method.rawValue
        request.allHTTPHeaderFields = headers
        return request
    }

    private static func head(
        _ status: HTTPStatus, _ headers: HTTPHeaders = [:]
    ) throws -> Result<ResponseHead, any Error> {
        .success(ResponseHead(to: try request(), status: status, headers: headers, body: ()))
    }

    @Test func `the maximum of Retry-After does not limit the backoff`() throws {
        let policy = RetryPolicy(backoff: .constant(.seconds(700)), maxRetryAfter: .seconds(600))
        #expect(try policy.delay(after: Self.head(503), to: Self.request(), attempt: 1) == .seconds(700))
        let late = try Self.head(503, [.retryAfter: "601"])
        #expect(try policy.delay(after: late, to: Self.request(), attempt: 1) == nil)
        let exact = try Self.head(503, [.retryAfter: "600"])
        #expect(try policy.delay(after: exact, to: Self.request(), attempt: 1) == .seconds(600))
    }

    @Test(arguments: [
        (200, false), (204, false), (301, false), (400, false), (401, false), (403, false), (404, false),
        (408, true), (409, false), (425, false), (429, true), (500, true), (501, false), (502, true),
        (503, true), (504, true), (505, false), (599, false),
    ])
    func `only transient status codes are retried`(status: Int, again: Bool) throws {
        let delay = policy.delay(
            after: try Self.head(HTTPStatus(rawValue: status)), to: try Self.request(), attempt: 1)
        #expect(delay == (again ? .seconds(1) : nil))
    }

    @Test(
        arguments: [
            (.connection(.hostNotFound), true), (.connection(.refused), true), (.connection(.reset), true),
            (.connection(.emptyReply), true), (.connection(.tls), false), (.connection(.other), false),
            (.timedOut(.idle), true), (.timedOut(.total), false),
            (.incompleteBody(received: 1, expected: 2), true), (.invalidRequest(.missingURL), false),
            (.shutDown, false), (.redirect(.tooMany(max: 1, to: "")), false), (.status(503), false),
            (.authentication(.refreshFailed), false), (.invalidResponse(.notHTTP), false),
            (.notJSON(found: ""), false), (.malformedJSON(offset: 0, path: "$", .leadingZero), false),
            (.wrongShape(path: "", expected: .list, found: .null), false), (.pagination(.missingNext), false),
            (.limit(.pages(1)), false), (.file(path: "", .inUse), false),
        ] as [(RESTClientError.Kind, Bool)])
    func `only transient errors are retried`(kind: RESTClientError.Kind, again: Bool) throws {
        let request = try Self.request()
        let delay = policy.delay(after: .failure(RESTClientError(kind, request)), to: request, attempt: 1)
        #expect(delay == (again ? .seconds(1) : nil))
    }

    @Test func `another connection failure is retried if the underlying error is a URLError`() throws {
        let request = try Self.request()
        let error = RESTClientError(.connection(.other), request, underlying: URLError(.unknown))
        #expect(policy.delay(after: .failure(error), to: request, attempt: 1) == .seconds(1))
    }

    @Test(arguments: [(407, false), (403, false), (502, true), (503, true)])
    func `a proxy that opens no tunnel is asked again only after a transient status`(
        status: Int, again: Bool
    ) throws {
        let request = try Self.request()
        let response = DataResponse(to: request, status: HTTPStatus(rawValue: status), body: Data())
        let error = RESTClientError(
            .connection(.other), request, response: response, underlying: URLError(.unknown))
        let delay = policy.delay(after: .failure(error), to: request, attempt: 1)
        #expect(delay == (again ? .seconds(1) : nil))
    }

    @Test func `cancellation and unknown errors are not retried`() throws {
        struct CustomError: Error {}
        let request = try Self.request()
        for error in [CancellationError(), CustomError(), URLError(.cancelled)] as [any Error] {
            #expect(policy.delay(after: .failure(error), to: request, attempt: 1) == nil)
        }
    }

    @Test(arguments: [
        (HTTPMethod.get, true), (.head, true), (.put, true), (.delete, true), (.options, true),
        (.trace, true), (.post, false), (.patch, false), ("PURGE", false),
    ])
    func `only idempotent methods are retried, unless there is a key or all methods are chosen`(
        method: HTTPMethod, again: Bool
    ) throws {
        let (head, request) = (try Self.head(503), try Self.request(method))
        #expect((policy.delay(after: head, to: request, attempt: 1) != nil) == again)
        let keyed = try Self.request(method, headers: ["idempotency-key": "7"])
        #expect(policy.delay(after: head, to: keyed, attempt: 1) != nil)
        #expect(RetryPolicy(methods: .all).delay(after: head, to: request, attempt: 1) != nil)
    }

    @Test func `a request with a body stream is not retried`() throws {
        var request = try Self.request(.put)
        request.httpBodyStream = InputStream(data: Data("tea".utf8))
        for methods in [RetryPolicy.Methods.idempotent, .idempotencyKeyed, .all] {
            let policy = RetryPolicy(methods: methods)
            #expect(policy.delay(after: try Self.head(503), to: request, attempt: 1) == nil)
        }
    }

    @Test(arguments: [(3, [true, true, false, false]), (1, [false]), (0, [false]), (-1, [false])])
    func `the first attempt counts towards the maximum`(attempts: Int, again: [Bool]) throws {
        let policy = RetryPolicy(maxAttempts: attempts)
        for (index, again) in again.enumerated() {
            let delay = policy.delay(after: try Self.head(503), to: try Self.request(), attempt: index + 1)
            #expect((delay != nil) == again)
        }
    }

    @Test(arguments: [
        ("30", Duration.seconds(30)), ("600", .seconds(600)),
        // Ignored values: the backoff of a second is used.
        ("0", .seconds(1)), ("-1", .seconds(1)), ("abc", .seconds(1)), ("1.5", .seconds(1)),
        ("Sun, 06 Nov 1994 08:49:37 GMT", .seconds(1)), ("Sunday, 06-Nov-94 08:49:37 GMT", .seconds(1)),
        // Longer than maxRetryAfter.
        ("601", nil), ("1000000000", nil), ("99999999999999999999999", nil),
        ("Fri, 31 Dec 9999 23:59:59 GMT", nil),
    ])
    func `Retry-After replaces the backoff`(value: String, delay: Duration?) throws {
        let outcome = try Self.head(429, [.retryAfter: value])
        #expect(policy.delay(after: outcome, to: try Self.request(), attempt: 1) == delay)
    }

    @Test func `Retry-After is ignored on a status that is not retried`() throws {
        let outcome = try Self.head(404, [.retryAfter: "30"])
        #expect(policy.delay(after: outcome, to: try Self.request(), attempt: 1) == nil)
    }
}

@Suite struct BackoffTests {
    private func delays(_ backoff: RetryPolicy.Backoff, _ count: Int) throws -> [Duration] {
        let url = try #require(URL(string: "http://shop.example"))
        let policy = RetryPolicy(maxAttempts: .max, backoff: backoff)
        let head = ResponseHead(to: URLRequest(url: url), status: 503, body: ())
        return try (1...count).map {
            try #require(policy.delay(after: .success(head), to: URLRequest(url: url), attempt: $0))
        }
    }

    @Test func `the exponential backoff doubles up to the maximum delay`() throws {
        let delays = try delays(.exponential(random: { 1 }), 8)
        #expect(delays == [0.5, 1, 2, 4, 8, 16, 20, 20].map { .seconds($0) })
    }

    @Test func `the jitter ranges from zero to the full delay`() throws {
        #expect(try delays(.exponential(random: { 0 }), 3) == [.zero, .zero, .zero])
        #expect(
            try delays(.exponential(random: { 0.25 }), 3) == [
                .milliseconds(125), .milliseconds(250), .milliseconds(500),
            ])
        let drawn = try delays(.exponential(initialDelay: .seconds(20)), 1_000)
        #expect(drawn.allSatisfy { (.zero ... .seconds(20)).contains($0) })
        // A thousand random numbers miss a tenth of the range once in 10⁴⁵ runs.
        #expect(drawn.contains { $0 < .seconds(2) } && drawn.contains { $0 > .seconds(18) })
    }

    @Test func `the backoff of a very large attempt number is computed quickly`() throws {
        let url = try #require(URL(string: "http://shop.example"))
        let head = ResponseHead(to: URLRequest(url: url), status: 503, body: ())
        for first in [Duration.zero, .seconds(-1), .nanoseconds(1)] {
            let policy = RetryPolicy(
                maxAttempts: .max, backoff: .exponential(initialDelay: first, random: { 1 }))
            let delay = policy.delay(after: .success(head), to: URLRequest(url: url), attempt: .max - 1)
            #expect(delay == (first > .zero ? .seconds(20) : .zero))
        }
    }

    @Test(arguments: [(-1.0, 0.0), (2, 0.5), (.nan, 0), (.infinity, 0.5)])
    func `a random number outside 0 to 1 is clamped`(random: Double, seconds: Double) throws {
        #expect(try delays(.exponential(random: { random }), 1) == [.seconds(seconds)])
    }

    @Test func `the backoff can be constant or custom`() throws {
        #expect(try delays(.constant(.seconds(3)), 2) == [.seconds(3), .seconds(3)])
        #expect(
            try delays(RetryPolicy.Backoff { .seconds($0 * $0) }, 3) == [
                .seconds(1), .seconds(4), .seconds(9),
            ])
        #expect(try delays(.constant(.seconds(-3)), 1) == [.zero])
    }
}

@Suite struct RetryBudgetTests {
    @Test func `a new budget is full and runs out`() {
        let budget = RetryBudget(capacity: 3)
        #expect((0..<5).map { _ in budget.withdraw() } == [true, true, true, false, false])
    }

    @Test func `ten requests deposit one retry`() {
        let budget = RetryBudget(capacity: 1)
        #expect(budget.withdraw())
        for _ in 0..<9 { budget.deposit() }
        #expect(!budget.withdraw())
        budget.deposit()
        #expect(budget.withdraw())
        #expect(!budget.withdraw())
    }

    @Test func `a budget holds no more tokens than its capacity`() {
        let budget = RetryBudget(capacity: 2)
        for _ in 0..<1_000 { budget.deposit() }
        #expect((0..<3).map { _ in budget.withdraw() } == [true, true, false])
    }

    @Test(arguments: [(0, 0.0), (-5, -1), (0, .nan), (0, .infinity)])
    func `a budget without capacity allows no retry`(capacity: Int, tokensPerRequest: Double) {
        let budget = RetryBudget(capacity: capacity, tokensPerRequest: tokensPerRequest)
        for _ in 0..<10 { budget.deposit() }
        #expect(!budget.withdraw())
    }

    @Test func `concurrent withdrawals never exceed the tokens`() async {
        let budget = RetryBudget(capacity: 100, tokensPerRequest: 0)
        let spent = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<1_000 { group.addTask { budget.withdraw() } }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(spent == 100)
    }
}
