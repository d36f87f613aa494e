import Foundation
import MockTransport
import RESTClientTestSupport
import RESTClientTestingSupport
import Testing

@testable import RESTClient

/// Checks that a secret at any place of a request or a response is in no description, event or dump.
@Suite(.hangLimit) struct SecretsTests {
    static let secret = "s3cr3t-Qm9v"
    private static let login = "u:\(secret)"

    /// The place of the secret.
    enum Place: String, CaseIterable, CustomTestStringConvertible {
        case bearer, basic, apiKeyHeader, customHeader, authorizationHeader, cookie, query, userInfo, fragment
        case formBody, jsonBody, setCookie, location, link, netrc
        /// The response repeats the token of the request.
        case echo, echoInJSON, echoInHeader, echoInPath
        /// The response contains a secret of its own.
        case tokenInJSON, tokenInForm, tokenInProblem, tokenInText, jsonInJSON, linkInJSON

        var testDescription: String { rawValue }
    }

    /// The outcome of the request.
    enum End: String, CaseIterable, CustomTestStringConvertible {
        case success, status, connection, timeout, redirectRefused, redirectFollowed, notJSON, refreshFails

        var testDescription: String { rawValue }
    }

    /// The secret as text, and as the numbers of its bytes; as bytes, in which a search is much faster than in a text.
    private static let forms = [secret, Data(login.utf8).base64EncodedString()].flatMap { form in
        [Data(form.utf8), Data(form.utf8.map { "\($0)" }.joined().utf8)]
    }

    /// Every third pair, so that each place has several ends, and each end several places.
    private static let pairs = Place.allCases.enumerated().flatMap { number, place in
        End.allCases.enumerated().filter { (number + $0.offset) % 3 == 0 }.map { (place, $0.element) }
    }

    @Test(arguments: pairs)
    func `no output shows a secret`(place: Place, end: End) async throws {
        let clock = VirtualClock(.stepped)
        let server = server(place, end, clock)
        let events = EventLog()
        let dumps = LockedState("")
        var interceptors = try interceptors(place)
        if end == .refreshFails {
            let api = try #require(URL(string: "http://shop.example"))
            interceptors.append(
                Authenticator(for: api, credential: .bearer(Self.secret)) { _, manager in
                    let login = try #require(
                        URL(string: "http://u:\(Self.secret)@shop.example/login?token=\(Self.secret)"))
                    return .bearer(try await manager.request(login).string())
                })
        }
        let monitor = EventMonitor { event in
            events.monitor.receive(event)
            dumps.withLock { _ = dump(event, to: &$0) }
        }
        let manager = SessionManager(
            configuration: server.configuration, interceptors: [.retry(maxAttempts: 1)] + interceptors,
            monitor: monitor, clock: clock)
        let request = try request(place, manager).timeout(.seconds(5))

        let call = Task { try await request.decode([String].self) }
        let response = Task { try await request.validation(.none).response() }
        // Repeated, because the second request can be created after the first has timed out.
        let timeout = Task {
            while end == .timeout, !Task.isCancelled {
                try? await clock.advance(by: .seconds(6), within: .seconds(1))
            }
        }
        defer { timeout.cancel() }
        var shown = [
            request.cURLDescription, "\(request)", String(reflecting: request), Self.dumped(request),
        ]
        if case .failure(let error) = await call.result { shown += Self.everything(about: error) }
        switch await response.result {
        case .failure(let error): shown += Self.everything(about: error)
        // The headers of a response are not changed.
        case .success where place == .echoInHeader: break
        case .success(let response):
            shown += ["\(response)", String(reflecting: response), Self.dumped(response)]
            shown += [
                "\(response.headers)", String(reflecting: response.headers), Self.dumped(response.headers),
            ]
            shown += response.redirects.flatMap { ["\($0)", Self.dumped($0)] }
        }
        shown += events.lines
        shown.append(dumps.withLock { $0 })
        shown.append("\(interceptors)")
        shown.append(Self.dumped(interceptors))

        #expect(events.lines.count > 2)
        for text in shown {
            let bytes = Data(text.utf8)
            for form in Self.forms where bytes.contains(bytes: form) {
                Issue.record("\(place) is visible: \(text)")
            }
        }
    }

    private static func everything(about error: any Error) -> [String] {
        var shown = ["\(error)", String(reflecting: error), error.localizedDescription, dumped(error)]
        shown.append("\(error as NSError)")
        guard let error = error as? RESTClientError else { return shown }
        shown += [
            error.errorDescription ?? "", error.recoverySuggestion ?? "", error.url?.absoluteString ?? "",
            "\(error.kind)",
        ]
        shown += error.attempts.map { dumped($0) }
        if let underlying = error.underlying {
            shown += [
                "\(underlying)", String(reflecting: underlying), dumped(underlying),
                "\(underlying as NSError)",
            ]
            shown.append("\((underlying as NSError).userInfo)")
        }
        if let response = error.response {
            shown += [
                "\(response.request.allHTTPHeaderFields ?? [:])", "\(response.headers)",
                dumped(response.request),
            ]
            shown += response.headers.map { "\($0.value)" }
            shown += [String(decoding: response.body, as: UTF8.self), error.serverMessage ?? ""]
            shown += response.redirects.map { dumped($0.proposed) }
            shown.append(response.request.url?.absoluteString ?? "")
        }
        return shown
    }

    private static func dumped(_ value: Any) -> String {
        var text = ""
        dump(value, to: &text)
        return text
    }

    private func interceptors(_ place: Place) throws -> [any RequestInterceptor] {
        let api = try #require(URL(string: "http://shop.example"))
        switch place {
        case .bearer, .echo, .echoInJSON, .echoInHeader, .echoInPath: return [.bearer(Self.secret, for: api)]
        case .basic: return [.basic(user: "u", password: Self.secret, for: api)]
        case .apiKeyHeader: return [.credential(.header("X-Api-Key", Self.secret), for: api)]
        case .customHeader: return [.credential(.header("X-Shop-Licence", Self.secret), for: api)]
        case .netrc: return [Authenticator(try Netrc("machine shop.example login u password \(Self.secret)"))]
        default: return []
        }
    }

    private func request(_ place: Place, _ manager: SessionManager) throws -> DataRequest {
        let url = try #require(URL(string: "http://shop.example/items?page=2"))
        let secret = Self.secret
        switch place {
        case .authorizationHeader: return manager.request(url, headers: [.authorization: "Bearer \(secret)"])
        case .cookie: return manager.request(url, headers: [.cookie: "session=\(secret)"])
        case .query: return manager.request(url, query: ["access_token": secret])
        case .userInfo: return manager.request("http://u:\(secret)@shop.example/items")
        case .fragment: return manager.request("http://shop.example/items#access_token=\(secret)")
        case .formBody: return manager.request(url, method: .put, body: .form(["password": secret]))
        case .jsonBody:
            return manager.request(
                url, method: .put, body: .json(["a": ["password": .value(secret)]] as JSONLiteral))
        default: return manager.request(url)
        }
    }

    private func server(_ place: Place, _ end: End, _ clock: VirtualClock) -> MockServer {
        let secret = Self.secret
        let ending: Reply =
            switch end {
            case .success: .json(["tea"])
            case .status: .text("no", status: 404)
            case .connection:
                .error(
                    URLError(
                        .cannotConnectToHost,
                        userInfo: [
                            NSURLErrorFailingURLErrorKey: URL(filePath: "/"),
                            "NSErrorFailingURLStringKey": "http://u:\(secret)@shop.example/?token=\(secret)",
                        ]))
            case .timeout: .text("late").delay(.seconds(6))
            case .redirectRefused: .redirect(to: "ftp://u:\(secret)@shop.example/items?token=\(secret)")
            case .redirectFollowed: .redirect(to: "/moved?access_token=\(secret)")
            case .notJSON: .text("GARBAGE")
            case .refreshFails: .status(401)
            }
        let json: MediaType = .json
        let own: Reply? =
            switch place {
            case .echo: .text("the token \(secret) is not valid", status: 401)
            case .echoInJSON: .text(#"{"you": "\#(secret)"}"#, as: json, status: 401)
            case .echoInHeader: .status(401).header("X-You", secret)
            case .echoInPath: .redirect(to: "ftp://shop.example/\(secret)")
            case .tokenInJSON: .text(#"{"access_token": "\#(secret)"}"#, as: json, status: 401)
            case .tokenInForm: .text("access_token=\(secret)", as: .form, status: 401)
            case .tokenInProblem:
                .text(#"{"detail": "no", "token": "\#(secret)"}"#, as: .problemJSON, status: 401)
            case .tokenInText: .text("Bearer \(secret)", status: 401)
            case .jsonInJSON: .text(#"{"a": "{\"token\": \"\#(secret)\"}"}"#, as: json, status: 401)
            case .linkInJSON: .text(#"{"next": "/?token=\#(secret)"}"#, as: json, status: 401)
            default: nil
            }
        let reply: Reply =
            switch place {
            case .setCookie: ending.header(.setCookie, "session=\(secret); HttpOnly")
            case .location where end == .status || end == .notJSON:
                ending.header(.location, "http://u:\(secret)@shop.example/?access_token=\(secret)")
            case .link: ending.header(.link, "<http://shop.example/?token=\(secret)>; rel=\"next\"")
            default: ending
            }
        return MockServer(clock: clock) {
            Route("/moved") { Reply.status(404) }
            Route("/login") { Reply.status(500) }
            Route(.any) { end == .timeout ? reply : own ?? reply }
        }
    }

    @Test func `the message of a decoder contains no secret of the response`() async throws {
        enum Kind: String, Decodable { case tea }
        struct Login: Decodable { var token: Kind }
        let server = MockServer { Route(.any) { Reply.json(["token": .value(Self.secret)]) } }
        let request = server.manager().request("http://shop.example/")
        let error = try await failure { try await request.decode(Login.self) }
        #expect(Self.everything(about: error).allSatisfy { !$0.contains(Self.secret) })
    }

    @Test func `secrets of which one begins like the other are masked completely`() async throws {
        let (short, long) = ("tea4shop2", "tea4shop2-and-milk9")
        let server = MockServer { Route(.any) { Reply.text("no \(long), \(short)", status: 401) } }
        let request = server.manager().request(
            "http://shop.example/", headers: [.authorization: "Bearer \(short)", "X-Api-Key": "\(long)"])
        let error = try await failure { try await request.response() }
        #expect(error.response.map { String(decoding: $0.body, as: UTF8.self) } == "no ***, ***")
    }

    @Test func `a note of an interceptor contains no secret`() async throws {
        let events = EventLog()
        let server = MockServer { Route(.any) { Reply.status(204) } }
        let manager = server.manager(
            .intercept { request, context, next in
                context.note("sending Bearer \(Self.secret) to http://h/?token=\(Self.secret)")
                return try await next(request)
            }, monitor: events.monitor)
        _ = try await manager.request("http://shop.example/").response()
        #expect(events.lines.contains("sending Bearer *** to http://h/?token=***"))
    }
}
