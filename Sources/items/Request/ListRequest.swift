import Foundation
import RESTClient

/// The request for a URL with the options and the environment applied.
struct ListRequest {
    let argument: URLArgument
    let options: Options
    let environment: Environment
    let messages: Messages
    var repair: TextRepair?
    let cookies: CookieJar?
    /// The header fields of `-H`.
    let fields: HTTPHeaders

    init(
        argument: URLArgument, options: Options, environment: Environment, messages: Messages,
        repair: TextRepair? = nil
    ) throws {
        (self.argument, self.options, self.environment) = (argument, options, environment)
        (self.messages, self.repair) = (messages, repair)
        fields = try HTTPHeaders(arguments: options.headers)
        cookies = try CookieJar(options, for: argument.url, own: fields[all: .cookie], environment)
    }

    /// Returns a client that lists the URL over a session made from `configuration`.
    func client(over configuration: URLSessionConfiguration, _ pages: PageSaver? = nil) throws -> MyRESTClient
    {
        let retry = RetryPolicy(
            maxAttempts: min(options.retries, .max - 1) + 1, budget: nil,
            maxRetryAfter: options.retryMaxTime ?? .seconds(86_400), maxElapsedTime: options.retryMaxTime)
        let logger = RequestLogger(
            messages: messages, reportsRate: (options.requestsPerSecond ?? 1) < 0.2)
        let limiter = options.requestsPerSecond.map { RequestLimiter.limiting(perSecond: $0) }
        // The bodies of attempts that are repeated are neither repaired nor saved.
        let interceptors: [(any RequestInterceptor)?] = [
            repair, pages, Self.patience.outer, retry, limiter, try authenticator, Self.patience.inner,
            cookies,
            messages.isVerbose ? logger : nil,
        ]
        let connection = options.connection
        let files: KeyValuePairs = [
            "cacert": connection.caFile, "capath": connection.caFolder, "cert": connection.clientCertificate,
            "key": connection.clientKey,
        ]
        for case (let option, let path?) in files where access(path, R_OK) != 0 {
            throw CommandError(reading: path.escaped(), errno, hint: "check the path of --\(option)")
        }
        if let path = connection.unixSocket, access(path, W_OK) != 0 {
            throw CommandError(
                .noConnection, "cannot connect to \(path.escaped()): \(String(cString: strerror(errno)))",
                hint: "check the path of --unix-socket, and that its server is running")
        }
        try checkAddress(connection)
        let request = try request(over: configuration, interceptors, monitor: logger.monitor)
        return MyRESTClient(request, listing: options.listing)
    }

    /// Throws if the host of the URL is an address of the version that `-4` or `-6` excludes, or the port of the proxy is none.
    private func checkAddress(_ connection: ConnectionOptions) throws(CommandError) {
        let host = argument.url.host(percentEncoded: false) ?? ""
        let isV6 = host.contains(":")
        let isV4 = !isV6 && host.wholeMatch(of: #/\d+\.\d+\.\d+\.\d+/#) != nil
        if connection.ipVersion == .v6 && isV4 || connection.ipVersion == .v4 && isV6 {
            let option = isV4 ? "-6" : "-4"
            throw .usage(
                "\(option) excludes the address \(host.escaped(80))",
                hint: "omit \(option), or use the name of the host")
        }
        let port = Proxy.hostAndPort(of: connection.proxy ?? "").firstMatch(of: #/:(\d+)$/#)?.output.1
        if let port, Int(port).map({ $0 > 65_535 }) ?? true {
            throw .usage("--proxy has the port \(port), which is larger than 65535")
        }
    }

    /// Returns the request as it would be sent, without a network and without asking for a password.
    func preview() async throws -> String {
        let stop = ClosureInterceptor.intercept { request, _, _ in throw UnsentRequest(request: request) }
        let request = try request(
            over: .ephemeral, [try authenticator, cookies, stop], monitor: nil)
        do {
            for try await _ in MyRESTClient(request).elements() {}
            return ""
        } catch let preview as UnsentRequest {
            return preview.request.maskedLines.joined(separator: "\n") + "\n"
        }
    }

    private func request(
        over configuration: URLSessionConfiguration, _ interceptors: [(any RequestInterceptor)?],
        monitor: EventMonitor?
    ) throws -> DataRequest {
        let timeouts = Timeouts(idle: options.idleTimeout, total: options.maxTime)
        let redirects =
            options.maxRedirects == 0
            ? RedirectPolicy.doNotFollow
            : RedirectPolicy(max: options.maxRedirects) { [cookies] redirect in
                redirect.bodyLeavesOrigin ? nil : cookies?.following(redirect) ?? redirect.proposed
            }
        let manager = SessionManager(
            configuration: configuration, connection: options.connection,
            interceptors: interceptors.compactMap(\.self),
            options: RequestOptions(timeouts: timeouts, redirects: redirects), monitor: monitor,
            clock: environment.clock)
        let hasBody = !options.data.isEmpty && !options.putsDataIntoQuery
        let body = hasBody ? try BodyPart.bytes(of: options.data, environment) : nil
        let isSequence = headers[.contentType]?.contains(/ndjson|jsonl/) == true
        if let body, BodyPart.type(of: body) == .json, isSequence || headers[.contentType] == nil,
            (isSequence ? body.split(separator: UInt8(ascii: "\n")) : [body]).contains(where: {
                (try? JSONSerialization.jsonObject(with: $0)) == nil
            })
        {
            messages.info("warning: the body is not valid JSON, in which names and texts have double quotes")
        }
        return manager.request(
            argument.url,
            method: HTTPMethod(rawValue: options.method ?? (body == nil ? "GET" : "POST")),
            headers: headers, body: body.map { .data($0, type: BodyPart.type(of: $0)) })
    }

    private var headers: HTTPHeaders {
        var headers = fields
        // Without the second range, strict servers answer 406 if they send another type, such as application/hal+json.
        if headers[.accept] == nil { headers[.accept] = "application/json, */*;q=0.1" }
        if headers[.userAgent] == nil { headers[.userAgent] = "items/\(Version.current)" }
        return headers
    }

    /// Interceptors around the retries that end them after an idle timeout. The second attempt would take as long.
    private static let patience = (
        outer: ClosureInterceptor.intercept { request, _, next in
            do { return try await next(request) } catch let timeout as IdleTimeout { throw timeout.error }
        },
        inner: ClosureInterceptor.intercept { request, _, next in
            do { return try await next(request) } catch let error as RESTClientError {
                guard case .timedOut(.idle) = error.kind else { throw error }
                throw IdleTimeout(error: error)
            }
        }
    )

    private struct IdleTimeout: Error { let error: RESTClientError }

    private struct UnsentRequest: Error { let request: URLRequest }
}

extension Options {
    var listing: ItemListing {
        var listing = ItemListing(
            at: list.member, pagination: pagination.value, maxConcurrentPages: jobs, maxPages: maxPages,
            maxItemBytes: maxItemBytes, maxBytes: Int64(maxBytes ?? 4 << 30))
        listing.layout = list.layout
        listing.hasGroups = list.inner != nil
        listing.allowedOrigins = allowedOrigins
        listing.maxPageRestarts = retries
        listing.allowsIncomplete = allowsIncomplete
        listing.findsMembers = format.hasColumns || !fields.isEmpty
        return listing
    }
}
