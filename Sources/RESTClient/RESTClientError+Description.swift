public import Foundation
import RESTClientHTTP

/// Returns a text in double quotes, safe to show.
private func quoted(_ text: some CustomStringConvertible, limit: Int = 200) -> String {
    TerminalEscaping.quoted("\(text)", limit: limit)
}

/// Returns a text that is safe to show.
private func escaped(_ text: String, limit: Int = 200) -> String {
    TerminalEscaping.escaped(text, limit: limit)
}

extension RESTClientError: CustomStringConvertible {
    /// The message, the hint and the progress of the listing; safe to show.
    public var description: String {
        let text = hint.map { "\(message)\n  hint: \($0)" } ?? message
        guard let listingProgress, listingProgress.itemCount > 0 || listingProgress.pageCount > 0 else {
            return text
        }
        return "\(text)\n  \(listingProgress)"
    }

    /// The failure, the request, its attempts and the timeout that elapsed, on one line, except for the error of a mock server;
    /// safe to show.
    public var message: String {
        let remarks = [timeLimit.map { "limit: \($0.secondsText)" }, attemptsText, remark].compactMap(\.self)
        let text = namesRequest ? failure : "\(failure): \(requestText)"
        return remarks.isEmpty ? text : "\(text) (\(remarks.joined(separator: "; ")))"
    }

    /// The number and the time of several attempts.
    private var attemptsText: String? {
        guard attempts.count > 1, let last = attempts.last else { return nil }
        let time = last.start + last.duration
        let isLong = time >= .milliseconds(100)
        let tenths = Duration.milliseconds(100 * Int64((time / .milliseconds(100)).rounded()))
        return "after \(attempts.count) attempts\(isLong ? " in \(tenths.secondsText)" : "")"
    }

    private var location: String { url.map { Redaction.url($0) } ?? "(no URL)" }

    /// The method, the URL and, if it is unusual for the failure, the status.
    private var requestText: String {
        let status = response.flatMap { $0.status == 200 ? nil : " (HTTP \($0.status.rawValue))" } ?? ""
        return "\(method) \(location)\(status)"
    }

    /// `true` if `failure` contains the URL of the request.
    private var namesRequest: Bool {
        switch kind {
        case .notJSON, .malformedJSON, .wrongShape, .pagination, .limit, .file, .redirect(.tooMany): false
        default: true
        }
    }

    /// The failure on one line, without the circumstances of the request; safe to show.
    public var failure: String {
        switch kind {
        case .invalidRequest(let reason): "cannot send \(method) \(location): \(reason)"
        case .shutDown: "cannot send \(method) \(location): its session manager was shut down"
        case .connection(let failure): "\(failure): \(method) \(location)\(underlyingText)"
        case .timedOut(let timeout): "\(timeout): \(method) \(location)"
        case .redirect(.tooMany(let max, let target)):
            "too many redirects (\(max.groupedText)); the last target was \(escaped(target))"
        case .redirect(.refused(let reason, let target)):
            "refused redirect from \(location) to \(escaped(target)): \(reason)"
        case .status(let status):
            "HTTP \(status) from \(method == .get ? "" : "\(method) ")\(location)"
        case .authentication(.signedOut): "signed out, so there is no credential: \(requestText)"
        case .authentication(.missingOrigin): "the credential has no origin: \(requestText)"
        case .authentication(.refreshTimedOut(let limit)):
            "the refresh of the credential took longer than \(limit.secondsText): \(requestText)"
        case .authentication(.refreshFailed):
            "the credential could not be refreshed (\(cause)): \(requestText)"
        case .invalidResponse(let reason): "invalid response (\(reason)): \(requestText)"
        case .incompleteBody(let received, let expected):
            "the response ended early at byte \(received.groupedText)\(expected.map { " of \($0.groupedText)" } ?? ""): \(requestText)"
        case .notJSON(let found, _): notJSON(found)
        case .malformedJSON(let offset, let path, let error):
            "the response is \(ListScanner.Failure(reason: .malformed(error), offset: offset, path: path, itemCount: 0))"
        case .wrongShape(let path, let expected, let found):
            "expected \(expected) at \(quoted(path)), found \(found)"
        case .incompleteList(let text): "the server sent an incomplete list: \(quoted(text)): \(requestText)"
        case .pagination(let failure): "cannot follow the pages: \(failure)"
        case .limit(let limit): "limit exceeded: \(limit)"
        case .file(let path, let failure): "cannot use \(quoted(path)): \(failure)"
        }
    }

    /// A suggested fix, if there is one; safe to show.
    public var hint: String? {
        switch kind {
        case .shutDown: "call shutdown() after the last request, or create another manager"
        case .connection(.hostNotFound): "check the host name and the network connection"
        case .connection(.refused): "check the port, and that the server is running"
        case .connection(.tls): tlsHint
        case .authentication(.missingOrigin): "set SessionManager.baseURL, or pass for: to the credential"
        case .authentication(.refreshTimedOut):
            "send the requests of the refresh with the manager that its closure receives, or increase the timeout of the Authenticator"
        case .timedOut(.idle): "increase Timeouts.idle"
        case .timedOut(.connect): "increase ConnectionOptions.connectTimeout"
        case .timedOut(.total): "increase Timeouts.total"
        case .status(403) where retryAfter != nil, .status(429) where retryAfter != nil:
            retryAfter.map { "the rate limit is exhausted; try again in \($0.components.seconds) s" }
        case .status(403) where isRateLimit: serverHint.map { "a rate limit is exhausted; \($0)" }
        case .status(400) where isHTTPForHTTPS: "the port expects TLS; use https"
        case .status(401): serverHint ?? "the request requires a valid credential"
        case .status(406):
            serverHint ?? "set the Accept header to a type of the server, such as application/vnd.api+json"
        case .status(403): serverHint ?? "the credential lacks permission"
        case .status(let status) where status.isRedirect:
            response?.headers[.location].map { "the redirect to \(quoted($0)) was not followed" }
        case .status: serverHint
        case .notJSON: webPageHint
        case .invalidResponse(.undecodableText): "use data() to get the bytes"
        case .wrongShape:
            serverHint ?? suggestedDecoding.map { "\($0)" }
                ?? otherLists.first { !$0.isOfErrors }.map {
                    "\(quoted($0)) is a list; use ItemListing(at:) to select it"
                }
        case .incompleteList: "set ItemListing.allowsIncomplete to accept it"
        case .pagination(let failure):
            suggestedPagination.map { "specify the pagination, most likely \($0)" } ?? failure.hint
        case .limit(let limit): limit.setting.map { "increase \($0) if this size is expected" }
        default: nil
        }
    }

    private var tlsHint: String {
        switch (underlying as? URLError)?.code {
        case .clientCertificateRequired: "set ConnectionOptions.clientCertificate"
        case .clientCertificateRejected: "check ConnectionOptions.clientCertificate, its key and its password"
        case .serverCertificateHasBadDate:
            "the certificate of the server has expired, or the system clock is wrong"
        case .serverCertificateNotYetValid:
            "the certificate of the server is not valid yet, or the system clock is wrong"
        case .serverCertificateUntrusted where underlyingText.contains("pinned public key"):
            "check the server, and ConnectionOptions.pinnedPublicKeys"
        case .serverCertificateUntrusted where underlyingText.contains("subject name"):
            "the certificate is for another host; check the host name"
        case .serverCertificateUntrusted:
            "check the certificate of the server; if an authority of your own has issued it, set ConnectionOptions.caFile; if the system trusts no authority, install ca-certificates"
        case .secureConnectionFailed where underlyingText.contains("verify locations"):
            "the certificates of the authorities cannot be read; install ca-certificates, or set ConnectionOptions.caFile"
        case .secureConnectionFailed
        where ["wrong version number", "packet length too long", "http request"]
            .contains { underlyingText.contains($0) }:
            "the port does not expect TLS; use http, or the port for https"
        case .secureConnectionFailed where underlyingText.contains("SSL_ERROR_SYSCALL"):
            "the server ended the handshake; check the port, and that it expects TLS"
        default: "check the certificate of the server and the system clock"
        }
    }

    /// A Boolean value that indicates whether a server that expects TLS has answered a request without it.
    public var isHTTPForHTTPS: Bool {
        guard url?.scheme?.lowercased() == "http", let body = response?.body else { return false }
        let text = String(decoding: body.prefix(1 << 10), as: UTF8.self).lowercased()
        return text.contains("http request") && text.contains("https")
    }

    /// A Boolean value that indicates whether the server names a rate limit as the reason of a 403, as GitHub does for its secondary limits.
    public var isRateLimit: Bool {
        serverMessage?.lowercased().contains(/rate.?limit|quota|too many requests/) ?? false
    }

    private var webPageHint: String? {
        guard isHTML else { return nil }
        if let response, let last = response.redirects.last, let target = response.url,
            Origin(response.redirects.first?.from) != Origin(last.proposed.url)
        {
            return
                "the request was redirected to \(Redaction.url(target)), perhaps a login page or the portal of a network"
        }
        return isLoginPage
            ? "this looks like a login page; the request may need a credential"
            : "this is a web page; pass the URL of its data"
    }

    /// A Boolean value that indicates whether the response is a page that asks for a password: by its title, by a field, or by
    /// the URL to which the request was redirected.
    public var isLoginPage: Bool {
        guard isHTML, let response else { return false }
        let text = String(decoding: response.body.prefix(8 << 10), as: UTF8.self).lowercased()
        let title = text.firstMatch(of: /<(title|h1)[^>]*>([^<]*)/)?.output.2 ?? ""
        let target = response.redirects.isEmpty ? "" : response.url?.path().lowercased() ?? ""
        let names: [String] = [
            String(title).replacing(" ", with: ""), target.replacing("-", with: "").replacing("_", with: ""),
        ]
        return ["signin", "login", "logon", "authenticat"].contains { word in
            names.contains { $0.contains(word) }
        } || text.contains(/type\s*=\s*\W?password/)
    }

    /// `true` if the response is an HTML page, such as a login page.
    public var isHTML: Bool {
        if case .notJSON(_, isHTML: true) = kind { return true }
        return response?.mediaType?.essence == "text/html"
    }

    /// The message of the server on one line; safe to show.
    ///
    /// It is the description of a ``RequestOptions/errorType``, or what the body says: the members of JSON in which APIs send
    /// their messages, the detail or title of a problem (RFC 9457), the fault or title of a document, or a short text; and the
    /// error of a challenge in `WWW-Authenticate`. After an accepted status, it is `nil` unless the body says that the request failed.
    public var serverMessage: String? {
        guard let response else { return nil }
        let message = ServerMessage(response)
        if case .status = kind {
            let description = bodyMessage ?? (underlying as? any LocalizedError)?.errorDescription
            return description.map { quoted($0) } ?? message?.shownText
        }
        return isHTML || message?.isFailure != true ? nil : message?.shownText
    }

    /// The message of the server as a hint; safe to show.
    public var serverHint: String? { serverMessage.map { "message of the server: \($0)" } }

    private func notJSON(_ found: String) -> String {
        guard !found.isEmpty else {
            return response?.status.hasNoBody == true
                ? "the response has no content" : "the response is empty, not JSON"
        }
        let type = response?.mediaType.map { "\(escaped($0.essence, limit: 80)), " } ?? ""
        let start = quoted(found, limit: 40)
        return "the response is \(isHTML ? "HTML, " : "")not JSON (\(type)starts \(start))"
    }

    private var otherLists: [MemberPath] {
        let reason = (underlying as? ListScanner.Failure)?.reason
        return if case .wrongShape(_, _, _, let lists)? = reason { lists } else { [] }
    }

    /// The text of an error of another module may contain a secret.
    private var cause: String {
        (underlying as? RESTClientError)?.message ?? (underlying as? any DiagnosticError)?
            .localizedDescription
            ?? underlying.map { "\(type(of: $0))" } ?? "no cause"
    }

    private var underlyingText: String {
        if let error = underlying as? any DiagnosticError { return "\n\(error.localizedDescription)" }
        return underlying.map { " (\(escaped($0.localizedDescription)))" } ?? ""
    }
}

extension RESTClientError: LocalizedError {
    /// The message.
    public var errorDescription: String? { message }

    /// The hint.
    public var recoverySuggestion: String? { hint }
}

extension RESTClientError: CustomReflectable {
    /// The properties with secrets masked, for `dump`.
    public var customMirror: Mirror {
        let children: KeyValuePairs<String, Any?> = [
            "kind": kind, "method": method, "url": url, "response": response,
            "isBodyTruncated": isBodyTruncated,
            "attempts": attempts,
            "underlying": bodyMessage == nil ? underlying : underlying.map { "\(type(of: $0))" },
            "listingProgress": listingProgress, "suggestedPagination": suggestedPagination,
            "suggestedDecoding": suggestedDecoding,
        ]
        return Mirror(self, children: children.map { (label: $0.key, value: $0.value as Any) })
    }
}

extension RESTClientError.ListingProgress: CustomStringConvertible {
    /// The progress on one line; safe to show.
    public var description: String {
        let items = itemCount.text(of: "item")
        let pages = pageCount.text(of: "complete page")
        return
            "received \(items) (\(pages))\(resume.map { "; the listing can be resumed at page \($0.pageNumber.groupedText)" } ?? "")"
    }
}

extension RESTClientError.InvalidRequest: CustomStringConvertible {
    /// The reason on one line; safe to show.
    public var description: String {
        switch self {
        case .missingURL: "the URL is not absolute"
        case .unsupportedScheme(let scheme): "the scheme \(quoted(scheme)) is neither http nor https"
        case .missingHost: "the URL has no host"
        case .invalidPort(let port): "\(escaped(port, limit: 20)) is not a valid port"
        case .invalidMethod(let method): "\(quoted(method)) is not a valid method"
        case .bodyNotAllowed(let method):
            "a \(method) request cannot have a body; use the query or another method"
        case .invalidHeaderName(let name): "\(quoted(name)) is not a valid header name"
        case .invalidHeaderValue(let name): "the value of \(name) contains a control character"
        case .reservedHeader(let name): "the \(name) header is set automatically and cannot be overridden"
        case .bodyEncodingFailed: "the body cannot be encoded"
        case .bodyFileUnreadable: "the file of the body cannot be read"
        case .bodyFileChanged: "the file of the body has changed since its length was read"
        case .rejected(let text): escaped(text)
        }
    }
}

extension RESTClientError.ConnectionFailure: CustomStringConvertible {
    /// The failure on one line.
    public var description: String {
        switch self {
        case .hostNotFound: "the host was not found"
        case .refused: "the connection was refused"
        case .tls: "the TLS connection failed"
        case .reset: "the connection was reset"
        case .emptyReply: "the connection was closed without a response"
        case .other: "the connection failed"
        }
    }
}

extension RESTClientError.Timeout: CustomStringConvertible {
    /// The timeout on one line.
    public var description: String {
        switch self {
        case .idle: "timed out waiting for data"
        case .connect: "timed out connecting"
        case .total: "the total timeout elapsed"
        }
    }
}

extension RESTClientError.RefusedRedirect: CustomStringConvertible {
    /// The reason on one line; safe to show.
    public var description: String {
        switch self {
        case .invalidURL: "the target is not a URL"
        case .userInfo: "the target contains a user name or password"
        case .notHTTP: "the target is not an HTTP URL"
        case .missingHost: "the target has no host"
        case .insecure: "it leads from https to http"
        case .bodyToOtherOrigin: "the body must not be sent to an origin that the server did not specify"
        case .dropsPage: "the request would lose the header fields or the body that name the page of the list"
        case .invalidRequest(let reason): "\(reason)"
        }
    }
}

extension RESTClientError.InvalidResponse: CustomStringConvertible {
    /// The reason on one line; safe to show.
    public var description: String {
        switch self {
        case .notHTTP: "not an HTTP response"
        case .invalidContentLength(let text): "invalid Content-Length \(quoted(text, limit: 40))"
        case .invalidContentEncoding: "the compressed body is damaged or incomplete"
        case .unexpectedRange: "the Content-Range does not match the requested range"
        case .undecodableText(let charset):
            "the body is not text in the encoding \(quoted(charset, limit: 40))"
        case .unparsable(let text): escaped(text)
        }
    }
}

extension RESTClientError.Limit: CustomStringConvertible {
    /// The limit on one line; safe to show.
    public var description: String {
        switch self {
        case .bodyBytes(let limit): "the body is larger than \(limit.text(of: "byte"))"
        case .errorBodyBytes(let limit):
            "the body is larger than the \(limit.text(of: "byte")) that an error keeps"
        case .streamBytes(let limit): "the streamed body is larger than \(limit.text(of: "byte"))"
        case .unreadBytes(let limit): "more than \(limit.text(of: "byte")) of the streamed body were not read"
        case .itemBytes(let limit, let path):
            "\(escaped(path, limit: 80)) is larger than \(limit.text(of: "byte"))"
        case .listingBytes(let limit): "all pages together are larger than \(limit.text(of: "byte"))"
        case .pages(let limit): "the list has more than \(limit.text(of: "page"))"
        }
    }

    /// The name of the option that sets the limit, if there is one.
    var setting: String? {
        switch self {
        case .bodyBytes: "maxBodyBytes"
        case .errorBodyBytes, .unreadBytes: nil
        case .streamBytes: "maxStreamBytes"
        case .itemBytes: "maxItemBytes"
        case .listingBytes: "maxBytes"
        case .pages: "maxPages"
        }
    }
}

extension RESTClientError.FileFailure: CustomStringConvertible {
    /// The failure on one line.
    public var description: String {
        switch self {
        case .system(let operation, let code): "\(operation) failed: \(String(cString: strerror(code)))"
        case .notRegularFile: "not a regular file"
        case .inUse: "another download to the file is in progress"
        }
    }
}

extension RESTClientError.PaginationFailure: CustomStringConvertible {
    /// The reason on one line; safe to show.
    public var description: String {
        switch self {
        case .notHTTP(let url): "\(Self.shown(url)) is not an HTTP URL"
        case .userInfo(let url): "\(Self.shown(url)) contains a user name or password"
        case .otherOrigin(let url, let expected):
            "\(Self.shown(url)) is at another origin than \(escaped(expected))"
        case .loop(let url): "\(Self.shown(url)) was requested before: the pages form a loop"
        case .unresolvableURL(let member, let text):
            "\(member.map { quoted($0) } ?? "the Link header") is not a URL: \(quoted(text, limit: 80))"
        case .numberInsteadOfURL(let member): "\(quoted(member)) is a number, not a URL"
        case .invalidCount(let member, let text):
            "\(quoted(member)) is \(escaped(text, limit: 64)), which is not a count"
        case .invalidFlag(let member, let json):
            "\(quoted(member)) is \(escaped(json, limit: 40)), which is not a flag"
        case .oppositeFlag(let member):
            "\(quoted(member)) has the opposite sense: exchange \"more\" and \"last\""
        case .memberTooLarge(let member):
            "\(quoted(member)) is too large to be used as a reference to the next page"
        case .memberMayBeTooLarge(let member):
            "\(quoted(member)) may exist, but it or an object around it is too large to be kept"
        case .envelopeTruncated:
            "the members next to the list are too large to determine whether another page follows"
        case .invalidPage(let number): "\(number.groupedText) is not a valid page number"
        case .invalidOffset(let offset): "\(offset.groupedText) is not a valid offset"
        case .emptyPage(let offset, let total):
            "the page at offset \(offset.groupedText) is empty, but the total is \(total.groupedText)"
        case .emptyLastPage(let number, let count):
            "page \(number.groupedText) of \(count.groupedText) is empty: the pages may have numbers from 0"
        case .pageShrank(let number, let items):
            "page \(number.groupedText) has changed: it has only \(items.text(of: "item")), fewer than were already delivered"
        case .listMoved(let total, let newTotal):
            "the list has shrunk from \(total.text(of: "item")) to \(newTotal.groupedText) while it was read, and items may be missing"
        case .missingNext:
            "the page indicates that more items follow, but contains no reference to the next page"
        case .unknownToken(let member, let token):
            "\(quoted(member)) is \(quoted(token, limit: 40)), a token for an unknown parameter"
        case .unknownNext(let member, let json):
            "\(quoted(member)) is \(escaped(json, limit: 40)), an unknown reference to the next page"
        case .incompleteTotal(let received, let total):
            "\(received.groupedText) of \(total.text(of: "item")) were received, and the page contains no reference to the rest"
        case .moreThanTotal(let received, let total):
            "\(received.text(of: "item")) received, more than the total of \(total.groupedText) in the response"
        case .missingItemMember(let member):
            "the last item has no \(quoted(member)), whose value is needed to request the next page"
        case .ignoredParameter(let name):
            "the server sent the same page again: it ignores the parameter \(quoted(name))"
        case .bodyNotObject: "the body of the request has no JSON object for the parameter of the next page"
        case .nextRequiresMethod(let member):
            "the link to the next page in \(quoted(member)) requires a method other than GET"
        case .partialContent(let range):
            "the response is a part of the list (206\(range.isEmpty ? "" : ", \(quoted(range, limit: 40))")), "
                + "and contains no reference to the next part"
        }
    }

    var hint: String? {
        switch self {
        case .numberInsteadOfURL(let member), .unknownToken(let member, _):
            "specify the parameter for it: .token(at: \(quoted(member)), parameter: …)"
        case .unknownNext, .incompleteTotal, .memberMayBeTooLarge, .partialContent, .missingNext,
            .nextRequiresMethod, .missingItemMember, .ignoredParameter, .envelopeTruncated:
            "specify the pagination with ItemListing(pagination:)"
        case .emptyLastPage: "specify the number of the first page with first: 0"
        case .otherOrigin: "all pages must have the same origin"
        case .listMoved: "list it again, or accept such a list with ItemListing.allowsIncomplete"
        default: nil
        }
    }

    private static func shown(_ url: URL?) -> String {
        escaped(url.map { Redaction.url($0) } ?? "the next page")
    }
}
