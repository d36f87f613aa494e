import Foundation
import RESTClientHTTP
import RESTClient

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What the options and the environment make of a URL.
struct ListRequest {
    let argument: URLArgument
    let options: Options
    let environment: Environment
    let messages: Messages

    /// The page that `--from` begins at.
    var beginning: ResumeToken? {
        options.from.flatMap { options.paging.pagination.page($0, of: argument.url) }
    }

    /// A client that lists the URL over a session made from `configuration`.
    func client(over configuration: URLSessionConfiguration) throws -> MyRESTClient {
        let retry = RetryPolicy(
            maxAttempts: min(options.retries, .max - 1) + 1, budget: nil, maxElapsedTime: options.retryMaxTime
        )
        let trace = Trace(messages: messages)
        var interceptors: [any RequestInterceptor] = [retry]
        if let signIn = try signIn() { interceptors.append(try signIn.authenticator(for: argument.url)) }
        if messages.isVerbose { interceptors.append(trace) }
        return try client(over: configuration, interceptors, monitor: trace.monitor)
    }

    /// Shows the request as it would be sent, without a network and without asking for a password.
    func preview(_ preview: Options.Preview) async throws -> String {
        switch preview {
        case .request: return try await shownRequest()
        case .curl:
            let request = try client(over: .ephemeral, [], monitor: nil).request
            return CURLLine(request, options, signIn: try signIn()).text
        }
    }

    private func client(
        over configuration: URLSessionConfiguration, _ interceptors: [any RequestInterceptor],
        monitor: EventMonitor?
    ) throws -> MyRESTClient {
        let timeouts = Timeouts(idle: options.idleTimeout, total: options.maxTime)
        let redirects: RedirectPolicy =
            options.maxRedirects == 0 ? .refuse : .follow(max: options.maxRedirects)
        let manager = SessionManager(
            configuration: configuration, interceptors: interceptors,
            options: RequestOptions(timeouts: timeouts, redirects: redirects), monitor: monitor,
            clock: environment.clock)
        let url = beginning?.url ?? argument.url
        return MyRESTClient(manager.request(url, headers: try headers()), listing: options.listing)
    }

    private func headers() throws -> HTTPHeaders {
        let fields = try options.headers.flatMap { try HeaderField.fields($0) }
        var headers: HTTPHeaders = [.userAgent: "items/\(Version.current)"]
        if fields.contains(where: { HTTPHeaders.Name($0.name) == .userAgent }) { headers[.userAgent] = nil }
        for field in fields { headers.add(HTTPHeaders.Name(field.name), field.value) }
        return headers
    }

    private func signIn() throws -> SignIn? {
        try SignIn(options, for: argument, environment: environment, messages: messages)
    }

    private func shownRequest() async throws -> String {
        let shown = LockedState("")
        var interceptors: [any RequestInterceptor] = []
        if let signIn = try signIn() { interceptors.append(try signIn.authenticator(for: argument.url)) }
        interceptors.append(
            .intercept { request, _, _ in
                shown.withLock { $0 = ShownRequest(request).lines.joined(separator: "\n") + "\n" }
                throw Stopped()
            })
        do {
            for try await _ in try client(over: .ephemeral, interceptors, monitor: nil).elements() {}
        } catch is Stopped {}
        return shown.withLock(\.self)
    }

    /// The request went as far as it should.
    private struct Stopped: Error {}
}

extension Options {
    /// Where the list is, how it is paged, and how much is too much.
    var listing: ItemListing {
        ItemListing(
            at: MemberPath(path), pagination: paging.pagination, jobs: jobs, maxPages: maxPages,
            maxItemBytes: maxItemBytes, maxBytes: Int64(maxBytes ?? 4 << 30))
    }
}
