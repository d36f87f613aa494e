import Foundation
import RESTClientHTTP
import RESTClient

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The request for a URL with the options and the environment applied.
struct ListRequest {
    let argument: URLArgument
    let options: Options
    let environment: Environment
    let messages: Messages

    /// The page that `--from` selects.
    var startToken: ResumeToken? {
        options.from.flatMap { options.pagination.value.page($0, of: argument.url) }
    }

    /// Returns a client that lists the URL over a session made from `configuration`.
    func client(over configuration: URLSessionConfiguration) throws -> MyRESTClient {
        let retry = RetryPolicy(
            maxAttempts: min(options.retries, .max - 1) + 1, budget: nil, maxElapsedTime: options.retryMaxTime
        )
        let logger = RequestLogger(messages: messages)
        var interceptors: [any RequestInterceptor] = [retry]
        if let credential = try credential() {
            interceptors.append(try credential.authenticator(for: argument.url))
        }
        if messages.isVerbose { interceptors.append(logger) }
        return try client(over: configuration, interceptors, monitor: logger.monitor)
    }

    /// Returns the request as it would be sent, without a network and without asking for a password.
    func preview(_ preview: Options.Preview) async throws -> String {
        switch preview {
        case .request: return try await previewRequest()
        case .curl:
            let request = try client(over: .ephemeral, [], monitor: nil).request
            return CURLCommand(request, options, credential: try credential()).text
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
        let url = startToken?.url ?? argument.url
        return MyRESTClient(manager.request(url, headers: try headers()), listing: options.listing)
    }

    private func headers() throws -> HTTPHeaders {
        let fields = try options.headers.flatMap { try HeaderField.fields($0) }
        var headers: HTTPHeaders = [.userAgent: "items/\(Version.current)"]
        if fields.contains(where: { HTTPHeaders.Name($0.name) == .userAgent }) { headers[.userAgent] = nil }
        for field in fields { headers.add(HTTPHeaders.Name(field.name), field.value) }
        return headers
    }

    private func credential() throws -> CredentialSource? {
        try CredentialSource(options, for: argument, environment: environment, messages: messages)
    }

    private func previewRequest() async throws -> String {
        let text = LockedState("")
        var interceptors: [any RequestInterceptor] = []
        if let credential = try credential() {
            interceptors.append(try credential.authenticator(for: argument.url))
        }
        interceptors.append(
            .intercept { request, _, _ in
                text.withLock { $0 = RedactedRequest(request).lines.joined(separator: "\n") + "\n" }
                throw PreviewComplete()
            })
        do {
            try await client(over: .ephemeral, interceptors, monitor: nil).scan { _, _ in }
        } catch is PreviewComplete {}
        return text.withLock(\.self)
    }

    /// Thrown instead of sending the request.
    private struct PreviewComplete: Error {}
}

extension Options {
    /// The listing options of the library.
    var listing: ItemListing {
        ItemListing(
            at: MemberPath(path), pagination: pagination.value, jobs: jobs, maxPages: maxPages,
            maxItemBytes: maxItemBytes, maxBytes: Int64(maxBytes ?? 4 << 30))
    }
}
