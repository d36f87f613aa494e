public import Foundation
import RESTClientHTTP

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
    public var message: String { namesRequest ? withCircumstances(failure) : message(failure) }

    /// Returns the message with other words for the failure, to which the request, its attempts and the timeout that elapsed
    /// are added.
    public func message(_ failure: String) -> String { withCircumstances("\(failure): \(requestText)") }

    private func withCircumstances(_ text: String) -> String {
        let remarks = [timeLimit.map { "limit: \($0.secondsText)" }, attemptsText, remark].compactMap(\.self)
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
        case .invalidRequest, .shutDown, .connection, .timedOut, .redirect(.refused), .status: true
        default: false
        }
    }

    /// The failure on one line, without the circumstances of the request; safe to show.
    var failure: String {
        switch kind {
        case .invalidRequest(.bodyEncodingFailed):
            "cannot send \(method) \(location): the body cannot be encoded\(encodingText)"
        case .invalidRequest(let reason): "cannot send \(method) \(location): \(reason)"
        case .shutDown: "cannot send \(method) \(location): its session manager was shut down"
        case .connection(let failure): "\(failure): \(method) \(location)\(underlyingText)"
        case .timedOut(let timeout): "\(timeout): \(method) \(location)"
        case .redirect(.tooMany(let max, let target)):
            "too many redirects (\(max.groupedText)); the last target was \(escaped(target))"
        case .redirect(.refused(let reason, let target)):
            "refused redirect from \(location) to \(escaped(target)): \(reason)"
        case .status(let status): "HTTP \(status): \(method) \(location)"
        case .authentication(.signedOut): "signed out, so there is no credential"
        case .authentication(.missingOrigin): "the credential has no origin"
        case .authentication(.refreshTimedOut(let limit)):
            "the refresh of the credential took longer than \(limit.secondsText)"
        case .authentication(.refreshFailed):
            "the credential could not be refreshed (\(cause))"
        case .invalidResponse(.invalidContentEncoding) where isUnsupportedCoding:
            "invalid response\(underlyingText)"
        case .invalidResponse(let reason): "invalid response (\(reason))"
        case .incompleteBody(let received, let expected):
            "the response ended early at byte \(received.groupedText)\(expected.map { " of \($0.groupedText)" } ?? "")"
        case .notJSON(let found, _): notJSON(found)
        case .malformedJSON(let offset, let path, let error):
            "the response is \(ListScanner.Failure(reason: .malformed(error), offset: offset, path: path, itemCount: 0))"
        case .wrongShape(let path, let expected, let found):
            "expected \(expected) at \(quoted(path)), found \(found)"
        case .incompleteList(let text): "the server sent an incomplete list: \(quoted(text))"
        case .pagination(let failure): "cannot follow the pages: \(failure)"
        case .limit(let limit): "limit exceeded: \(limit)"
        case .file(let path, let failure): "cannot use \(quoted(path)): \(failure)"
        }
    }

    /// A hint at a remedy, if one is known, and the message of the server; safe to show.
    public var hint: String? {
        let parts = [advice, serverHint].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }

    /// A hint at a remedy, if one is known, without the message of the server; safe to show.
    public var advice: String? {
        switch kind {
        case .shutDown: "call shutdown() after the last request, or create another manager"
        case .invalidRequest(.missingURL): "begin it with https://, or set SessionManager.baseURL"
        case .invalidRequest(.bodyFileChanged):
            "send the file again when it is complete, or send a copy of it"
        case .connection where underlying is any DiagnosticError: nil
        case .connection(.hostNotFound), .connection(.refused): addressAdvice
        case .connection(.tls): tlsHint
        case .connection: "try again later, and check that the port is that of the service"
        case .authentication(.missingOrigin): "set SessionManager.baseURL, or pass for: to the credential"
        case .authentication(.refreshTimedOut):
            "send the requests of the refresh with the manager that its closure receives, or increase the timeout of the Authenticator"
        case .authentication(.refreshFailed):
            (underlying as? RESTClientError)?.hint ?? "correct the refresh closure of the Authenticator"
        case .authentication(.signedOut): "sign in, and set the new credential of the Authenticator"
        case .timedOut(.idle): "try again later, or increase Timeouts.idle"
        case .timedOut(.connect): "try again later, or increase ConnectionOptions.connectTimeout"
        case .timedOut(.total): "try again later, or increase Timeouts.total"
        case .redirect(.refused(.dropsPage, _)): "list the URL that the server redirects to"
        case .redirect(.refused(.bodyStream, _)): "use RequestBody.stream, whose body can be sent again"
        case .redirect(.refused(.insecure, _)):
            "request the target itself if the request may be sent without encryption"
        case .redirect(.refused): "check the URL; the redirect is a mistake of the server"
        case .redirect(.tooMany):
            "check the URL; the server may redirect requests without a credential or a cookie"
        case .status: statusAdvice
        case .notJSON(let found, _):
            webPageHint
                ?? (!found.isEmpty
                    ? "check the URL; data() returns such a body"
                    : listingProgress != nil
                        ? "check the URL; a list without items is []"
                        : "if this is correct, decode NoContent or an optional type")
        case .malformedJSON(_, _, .unexpectedEnd), .incompleteBody:
            "the response was cut off; try again later"
        case .malformedJSON where response?.status == 206:
            "the server sent a part of the document; send no Range header, or ask it for the whole"
        case .malformedJSON: "the server must correct its JSON; data() returns it as it is"
        case .invalidResponse(.undecodableText): "use data() to get the bytes"
        case .invalidResponse(.unparsable(let text)) where text.hasPrefix("the reply is not HTTP"):
            "check the port; a server of another protocol may use it"
        case .invalidResponse(.invalidContentEncoding) where isUnsupportedCoding:
            "ask for another coding with the header field Accept-Encoding"
        case .invalidResponse: "try again later; the server or a proxy sends wrong responses"
        case .wrongShape where isRateLimit: rateLimitAdvice
        case .wrongShape(_, let expected, _): serverHint == nil ? shapeAdvice(expected) : nil
        case .incompleteList: "set ItemListing.allowsIncomplete to accept it"
        case .pagination(let failure): paginationAdvice(failure)
        case .limit(let limit): limit.setting.map { "increase \($0) if this size is expected" }
        case .file(_, .system): "check that the folder exists and can be written, and the space on the disk"
        case .file(_, .notRegularFile): "use the path of a file"
        case .invalidRequest, .file(_, .inUse): nil
        }
    }

    private func paginationAdvice(_ failure: PaginationFailure) -> String? {
        let advice =
            suggestedPagination.map { "specify the pagination, most likely \"\($0)\"" } ?? failure.hint
        let other = isPagedByDefault ? "use the default, .automatic" : nil
        let parts = [advice, other].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: ", or ")
    }

    private var rateLimitAdvice: String {
        let time = retryAfter.map { "in \($0.components.seconds) s" }
        return "the rate limit is exhausted; try again \(time ?? "later, with fewer requests at a time")"
    }

    private var statusAdvice: String? {
        guard case .status(let status) = kind else { return nil }
        if status == 429 || isRateLimit || status == 403 && retryAfter != nil { return rateLimitAdvice }
        if let retryAfter { return "try again in \(retryAfter.components.seconds) s" }
        switch status {
        case 304: return "send the request without If-None-Match and If-Modified-Since"
        case _ where status.isRedirect:
            let target = response?.headers[.location].map { "to \(quoted($0)) was not followed" }
            return "the redirect \(target ?? "has no target, which is a mistake of the server")"
        case 400 where isHTTPForHTTPS: return "the port expects TLS; use https"
        case 401: return "the request requires a valid credential"
        case 403: return "the credential lacks permission, or is missing"
        case 404, 410: return "check the path"
        case 405:
            return response?.headers["Allow"].map { "use a method of this URL: \(escaped($0))" }
                ?? "use another method"
        case 406: return "set the Accept header to a type of the server, such as application/vnd.api+json"
        case 407: return "set the user and the password of the proxy in ConnectionOptions.proxy"
        case 408: return "try again later"
        case 413: return "send a smaller body"
        case 415: return "send the body in a type that the server accepts, and name it in Content-Type"
        case 501: return "the server does not support the method"
        case _ where status.rawValue >= 500: return "try again later"
        default: return serverHint == nil ? "check the URL, the query and the body of the request" : nil
        }
    }

    /// The hint if the server, or the proxy of the connection, cannot be reached.
    private var addressAdvice: String {
        let text = underlyingText
        let refused = text.firstMatch(of: /connect to ([^ ]+) port ([0-9]+)/)?.output
        if let refused, let host = url?.host(percentEncoded: false), refused.1 != host {
            return "check the proxy \(escaped(String(refused.1))):\(refused.2), and that it is running"
        }
        if text.contains("resolve proxy") { return "check the name of the proxy" }
        return kind == .connection(.refused)
            ? "check the port, and that the server is running"
            : "check the host name and the network connection"
    }

    private func shapeAdvice(_ expected: ExpectedJSON) -> String {
        if let suggestedDecoding { return "\(suggestedDecoding)" }
        guard underlying is ListScanner.Failure else {
            return expected == .member
                ? "correct the name of the property, or make it optional" : "correct the type of the property"
        }
        let list = otherLists.first { !$0.isOfErrors }
        return switch list {
        case .some(.root): "the document is a list; use ItemListing(at: .root)"
        case .some(let path): "\(quoted(path)) is a list; use ItemListing(at:) to select it"
        case nil: "check the URL, and the path of the list in ItemListing(at:)"
        }
    }

    private var tlsHint: String {
        switch (underlying as? URLError)?.code {
        case .clientCertificateRequired: "set ConnectionOptions.clientCertificate"
        case .clientCertificateRejected: "check ConnectionOptions.clientCertificate, its key and its password"
        case .serverCertificateHasBadDate:
            "the certificate of the server must be renewed, or the clock of this system be set"
        case .serverCertificateNotYetValid:
            "the certificate of the server is not valid yet, or the clock of this system is wrong"
        case .serverCertificateUntrusted where underlyingText.contains("pinned public key"):
            "check the server, and ConnectionOptions.pinnedPublicKeys"
        case .serverCertificateUntrusted where underlyingText.contains("subject name"):
            "the certificate is for another host; check the host name"
        case .serverCertificateUntrusted:
            "check the certificate of the server; if an authority of your own has issued it, set ConnectionOptions.caFile; if the system trusts no authority, install ca-certificates"
        // The text depends on the version of libcurl.
        case .secureConnectionFailed
        where ["verify locations", "error setting certificate file"]
            .contains { underlyingText.contains($0) }:
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

    /// The status of the response, also if its contents are the reason, or `nil` if there was none.
    public var status: HTTPStatus? {
        if case .status(let status) = kind { status } else { response?.status }
    }

    /// A Boolean value that indicates whether the server names a rate limit as the reason, as GitHub does with the status 403 for its
    /// secondary limits.
    public var isRateLimit: Bool {
        // The message of a 404, for example, can name a path with these words.
        guard let status = response?.status, status.isSuccess || [400, 403, 429, 503].contains(status) else {
            return false
        }
        return serverMessage.map(StatedRateLimit.isNamed) ?? false
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
        let isRefused = response.status == 400 || response.status == 422
        return isHTML || !isRefused && message?.isFailure != true ? nil : message?.shownText
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

    /// The reason why a body cannot be encoded.
    private var encodingText: String {
        switch underlying {
        case let error as BodyEncodingError: ": \(escaped(error.description))"
        case EncodingError.invalidValue(_, let context)?:
            ": \(escaped(context.debugDescription)) (at \(quoted("$" + Self.text(of: context.codingPath))))"
        default: ""
        }
    }

    /// `true` if the body has a `Content-Encoding` that is not known, and not one that is damaged.
    private var isUnsupportedCoding: Bool { underlyingText.contains("not supported") }

    private var underlyingText: String {
        if let error = underlying as? any DiagnosticError { return "\n\(error.localizedDescription)" }
        return underlying.map { " (\(escaped($0.localizedDescription)))" } ?? ""
    }
}

extension RESTClientError: LocalizedError {
    /// The description: the message, the hint and the progress of the listing.
    public var errorDescription: String? { description }

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
            "isPagedByDefault": isPagedByDefault, "suggestedDecoding": suggestedDecoding,
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
