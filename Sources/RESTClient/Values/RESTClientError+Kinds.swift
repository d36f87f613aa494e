public import Foundation
public import RESTClientHTTP

extension RESTClientError {
    /// The reason why a request is not valid.
    #if hasAttribute(nonexhaustive)
    // Older compilers do not know the attribute. Without it, a client may switch over the cases without `default`.
    @nonexhaustive
    #endif
    public enum InvalidRequest: Hashable, Sendable, CustomStringConvertible {
        /// The request has no absolute URL.
        case missingURL
        /// The scheme is neither `http` nor `https`.
        case unsupportedScheme(String)
        /// The URL has no host.
        case missingHost
        /// The port is not a number from 1 to 65535.
        case invalidPort(String)
        /// The method is not a token (RFC 9110, section 5.6.2).
        case invalidMethod(String)
        /// A method without a body has one.
        case bodyNotAllowed(HTTPMethod)
        /// The name of a header field is not a token.
        case invalidHeaderName(String)
        /// The value of this header field contains a control character.
        case invalidHeaderValue(name: String)
        /// This header field is set by the connection.
        case reservedHeader(String)
        /// The body cannot be encoded; see `underlying`.
        case bodyEncodingFailed
        /// The file of the body cannot be read.
        case bodyFileUnreadable
        /// The file of the body has changed since its length was read.
        case bodyFileChanged
        /// URLSession refused the request; the text is the message of URLSession.
        case rejected(String)

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

    /// The way in which a connection failed.
    public enum ConnectionFailure: Hashable, Sendable, CustomStringConvertible {
        /// The host name has no address.
        case hostNotFound
        /// No server listens at the address.
        case refused
        /// The certificate is not trusted, has expired or names another host, or the handshake failed.
        case tls
        /// The connection was reset before a response began.
        case reset
        /// The connection was closed without a response.
        case emptyReply
        /// Any other failure: see `underlying`.
        case other

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

    /// The timeout that elapsed.
    public enum Timeout: Hashable, Sendable, CustomStringConvertible {
        /// `Timeouts.idle`: no data was sent or received for too long.
        case idle
        /// `ConnectionOptions.connectTimeout`: no connection could be opened in this time.
        case connect
        /// `Timeouts.total`: the request as a whole took too long.
        case total

        /// The timeout on one line.
        public var description: String {
            switch self {
            case .idle: "timed out waiting for data"
            case .connect: "timed out connecting"
            case .total: "the total timeout elapsed"
            }
        }
    }

    /// The reason why a redirect was not followed. URLs have their secrets masked.
    public enum RedirectFailure: Hashable, Sendable {
        /// More than `max` redirects; `to` is the target of the last one.
        case tooMany(max: Int, to: String)
        /// The target must not be requested.
        case refused(RefusedRedirect, to: String)
    }

    /// The reason why the target of a redirect is refused with every policy.
    public enum RefusedRedirect: Hashable, Sendable, CustomStringConvertible {
        /// The target is not a URL.
        case invalidURL
        /// The target contains a user name or a password.
        case userInfo
        /// The scheme is neither `http` nor `https`.
        case notHTTP
        /// The URL has no host.
        case missingHost
        /// The redirect leads from `https` to `http`.
        case insecure
        /// The policy sends the body to an origin that the server did not name.
        case bodyToOtherOrigin
        /// The body is an `httpBodyStream`, which can be read only once.
        case bodyStream
        /// The request for a page of a list would lose the header fields or the body that name the page.
        case dropsPage
        /// The request for the target is not valid.
        case invalidRequest(InvalidRequest)

        /// The reason on one line; safe to show.
        public var description: String {
            switch self {
            case .invalidURL: "the target is not a URL"
            case .userInfo: "the target contains a user name or password"
            case .notHTTP: "the target is not an HTTP URL"
            case .missingHost: "the target has no host"
            case .insecure: "it leads from https to http"
            case .bodyToOtherOrigin: "the body must not be sent to an origin that the server did not specify"
            case .bodyStream: "the body is a stream, which can be sent only once"
            case .dropsPage:
                "the request would lose the header fields or the body that name the page of the list"
            case .invalidRequest(let reason): "\(reason)"
            }
        }
    }

    /// The reason why there is no valid credential.
    public enum AuthenticationFailure: Hashable, Sendable {
        /// The credential could not be refreshed; see `underlying`.
        case refreshFailed
        /// The refresh of the credential did not end within its timeout.
        case refreshTimedOut(after: Duration)
        /// ``Authenticator/signOut()`` was called, and no credential has been set since.
        case signedOut
        /// A credential was created without an origin, and the manager has no base URL.
        case missingOrigin
    }

    /// The reason why a response cannot be used.
    public enum InvalidResponse: Hashable, Sendable, CustomStringConvertible {
        /// The response has no HTTP head.
        case notHTTP
        /// The `Content-Length` is not a length.
        case invalidContentLength(String)
        /// The body does not match its `Content-Encoding`, or ends early.
        case invalidContentEncoding
        /// The response to a range request contains another range.
        case unexpectedRange
        /// URLSession could not parse the response; the text is the message of URLSession.
        case unparsable(String)
        /// The body is not text in the encoding `charset`.
        case undecodableText(charset: String)

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

    /// The limit that was exceeded.
    public enum Limit: Hashable, Sendable, CustomStringConvertible {
        /// `RequestOptions.maxBodyBytes`, the size of a buffered body.
        case bodyBytes(Int)
        /// The size of the body that an error keeps, which is not an option.
        case errorBodyBytes(Int)
        /// `RequestOptions.maxStreamBytes`, the size of a streamed body.
        case streamBytes(Int64)
        /// The bytes of a streamed body that its reader has not read, if the transfer cannot wait. It is not an option.
        case unreadBytes(Int)
        /// `ItemListing.maxItemBytes`, the size of one element; `path` is its place in the document.
        case itemBytes(Int, path: String)
        /// `ItemListing.maxBytes`, the size of all pages together.
        case listingBytes(Int64)
        /// `ItemListing.maxPages`.
        case pages(Int)

        /// The limit on one line; safe to show.
        public var description: String {
            switch self {
            case .bodyBytes(let limit): "the body is larger than \(limit.text(of: "byte"))"
            case .errorBodyBytes(let limit):
                "the body is larger than the \(limit.text(of: "byte")) that an error keeps"
            case .streamBytes(let limit): "the streamed body is larger than \(limit.text(of: "byte"))"
            case .unreadBytes(let limit):
                "more than \(limit.text(of: "byte")) of the streamed body were not read"
            case .itemBytes(let limit, let path):
                "\(escaped(path, limit: 80)) is larger than \(limit.text(of: "byte"))"
            case .listingBytes(let limit): "all pages together are larger than \(limit.text(of: "byte"))"
            case .pages(let limit): "the list has more than \(limit.text(of: "page"))"
            }
        }
    }

    /// The reason why a file could not be used.
    public enum FileFailure: Hashable, Sendable, CustomStringConvertible {
        /// An operation failed with this error number of the system, such as `ENOSPC`.
        case system(FileOperation, errno: Int32)
        /// The path is a directory, a device or another kind of file that must not be replaced.
        case notRegularFile
        /// Another download to the same file is in progress.
        case inUse

        /// The failure on one line.
        public var description: String {
            switch self {
            case .system(let operation, let code): "\(operation) failed: \(String(cString: strerror(code)))"
            case .notRegularFile: "not a regular file"
            case .inUse: "another download to the file is in progress"
            }
        }
    }

    /// An operation on a file.
    public enum FileOperation: String, Hashable, Sendable {
        /// The operation that failed.
        case create, read, write
    }

    /// The reason why the pages of a listing cannot be followed. URLs have their secrets masked.
    #if hasAttribute(nonexhaustive)
    // Older compilers do not know the attribute. Without it, a client may switch over the cases without `default`.
    @nonexhaustive
    #endif
    public enum PaginationFailure: Hashable, Sendable, CustomStringConvertible {
        /// The URL of the next page is not an HTTP URL.
        case notHTTP(URL?)
        /// The URL of the next page contains a user name or a password.
        case userInfo(URL?)
        /// The next page is at another origin than the first.
        case otherOrigin(URL?, expected: String)
        /// The page was requested before, or is the same as the one before it.
        case loop(URL?)
        /// The reference to the next page is not a URL; `in` is the member that contains it, `nil` for the `Link`
        /// header.
        case unresolvableURL(in: MemberPath?, String)
        /// The member is a number, but must be a URL.
        case numberInsteadOfURL(in: MemberPath)
        /// The member is not a count of pages or items.
        case invalidCount(in: MemberPath, String)
        /// The member is not a flag; the text is its JSON.
        case invalidFlag(in: MemberPath, String)
        /// The member is named as a flag of one sense, such as `more`, but has a name for the other, such as `isLast`.
        case oppositeFlag(MemberPath)
        /// The member is too large to be kept.
        case memberTooLarge(MemberPath)
        /// The member may exist, but it or an object around it is too large to be kept.
        case memberMayBeTooLarge(MemberPath)
        /// The members around the list are too large to determine whether another page follows.
        case envelopeTruncated
        /// The page number is not valid.
        case invalidPage(Int)
        /// The offset is not valid.
        case invalidOffset(Int)
        /// The elements of the list are groups, and the offset of the next page counts either them or the items in them.
        case unclearUnit(elements: Int)
        /// The page at this offset is empty, although there are more items.
        case emptyPage(offset: Int, total: Int)
        /// One of several pages is empty. If it is the last one, the pages may have numbers from 0.
        case emptyNumberedPage(Int, count: Int)
        /// The list has changed since it was read up to a position on this page: the last item before the position is elsewhere by
        /// a number of places that does not agree with the total, or, for `nil`, it was not found.
        case positionMoved(page: Int, by: Int?)
        /// The list has changed while it was read, and items may have moved to pages that were read before: its total has
        /// shrunk, or, if the two numbers are not a smaller one after a greater one, items were repeated.
        case listMoved(from: Int, to: Int)
        /// The page indicates that more items follow, but contains no reference to the next page.
        case missingNext
        /// The member contains a token for an unknown parameter.
        case unknownToken(in: MemberPath, String)
        /// The member seems to lead to the next page in an unknown way; the text is its JSON.
        case unknownNext(in: MemberPath, String)
        /// The page has a total that is larger than the number of items, and no known reference to the rest. The path is that of the
        /// total, if it is a member of the page.
        case incompleteTotal(received: Int, total: Int, in: MemberPath? = nil)
        /// More items were received than the total in the response: a page may have been received twice.
        case moreThanTotal(received: Int, total: Int)
        /// The page says that it is another one than that which was requested; the numbers are those of pages, or of first items.
        case otherPage(requested: Int, stated: Int)
        /// The last item has no such member, whose value requests the next page.
        case missingItemMember(MemberPath)
        /// The server sent the same page again, because it ignores the parameter.
        case ignoredParameter(String)
        /// The body of the request is not a JSON object, so that no member of it can be set.
        case bodyNotObject
        /// The link to the next page requires a method other than GET.
        case nextRequiresMethod(in: MemberPath)
        /// The response is a part of the list (206), and has no known reference to the next one.
        case partialContent(range: String)

        /// The reason on one line; safe to show.
        public var description: String {
            switch self {
            case .notHTTP(let url): "\(Self.shown(url)) is not an HTTP URL"
            case .userInfo(let url): "\(Self.shown(url)) contains a user name or password"
            case .otherOrigin(let url, let expected):
                "\(Self.shown(url)) is at another origin than \(escaped(expected))"
            case .loop(let url):
                "\(Self.shown(url)) leads to a page that was received before: the pages form a loop"
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
            case .unclearUnit(let elements):
                "the next page has an offset, which counts either the \(elements.text(of: "element")) of the list or the items in them"
            case .emptyPage(let offset, let total):
                "the page at offset \(offset.groupedText) is empty, but the total is \(total.groupedText)"
            case .emptyNumberedPage(let number, let count):
                "page \(number.groupedText) of \(count.groupedText) is empty"
                    + (number == count ? ": the pages may have numbers from 0" : "")
            case .positionMoved(let page, .some):
                "the list has changed since it was read up to page \(page.groupedText), and items may be missing"
            case .positionMoved(let page, nil):
                "the list has changed: the last item that was read, on page \(page.groupedText), is not there any more"
            case .listMoved(let received, let total) where received <= total:
                "the list has changed while it was read: items were repeated, and others may be missing"
            case .listMoved(let total, let newTotal):
                "the list has shrunk from \(total.text(of: "item")) to \(newTotal.groupedText) while it was read, and items may be missing"
            case .missingNext:
                "the page indicates that more items follow, but contains no reference to the next page"
            case .unknownToken(let member, let token):
                "\(quoted(member)) is \(quoted(token, limit: 40)), a token for an unknown parameter"
            case .unknownNext(let member, let json):
                "\(quoted(member)) is \(escaped(json, limit: 40)), an unknown reference to the next page"
            case .incompleteTotal(let received, let total, _):
                "\(received.groupedText) of \(total.text(of: "item")) were received, and the page contains no reference to the rest"
            case .moreThanTotal(let received, let total):
                "\(received.text(of: "item")) received, more than the total of \(total.groupedText) in the response"
            case .missingItemMember(let member):
                "the last item has no \(quoted(member)), whose value is needed to request the next page"
            case .otherPage(let requested, let stated):
                "the page says that it is \(stated.groupedText), and not \(requested.groupedText), which was requested"
            case .ignoredParameter(let name):
                "the server sent the same page again: it ignores the parameter \(quoted(name))"
            case .bodyNotObject:
                "the body of the request has no JSON object for the parameter of the next page"
            case .nextRequiresMethod(let member):
                "the link to the next page in \(quoted(member)) requires a method other than GET"
            case .partialContent(let range):
                "the response is a part of the list (206\(range.isEmpty ? "" : ", \(quoted(range, limit: 40))")), "
                    + "and contains no reference to the next part"
            }
        }

        private static func shown(_ url: URL?) -> String {
            escaped(url.map { Redaction.url($0) } ?? "the next page")
        }
    }
}

/// Returns a text in double quotes, safe to show.
func quoted(_ text: some CustomStringConvertible, limit: Int = 200) -> String {
    TerminalEscaping.quoted("\(text)", limit: limit)
}

/// Returns a text that is safe to show.
func escaped(_ text: String, limit: Int = 200) -> String {
    TerminalEscaping.escaped(text, limit: limit)
}
