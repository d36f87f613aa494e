public import Foundation
public import RESTClientHTTP

extension RESTClientError {
    /// The reason why a request is not valid.
    #if hasAttribute(nonexhaustive)
    // Older compilers do not know the attribute. Without it, a client may switch over the cases without `default`.
    @nonexhaustive
    #endif
    public enum InvalidRequest: Hashable, Sendable {
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
    }

    /// The way in which a connection failed.
    public enum ConnectionFailure: Hashable, Sendable {
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
    }

    /// The timeout that elapsed.
    public enum Timeout: Hashable, Sendable {
        /// `Timeouts.idle`: no data was sent or received for too long.
        case idle
        /// `ConnectionOptions.connectTimeout`: no connection could be opened in this time.
        case connect
        /// `Timeouts.total`: the request as a whole took too long.
        case total
    }

    /// The reason why a redirect was not followed. URLs have their secrets masked.
    public enum RedirectFailure: Hashable, Sendable {
        /// More than `max` redirects; `to` is the target of the last one.
        case tooMany(max: Int, to: String)
        /// The target must not be requested.
        case refused(RefusedRedirect, to: String)
    }

    /// The reason why the target of a redirect is refused with every policy.
    public enum RefusedRedirect: Hashable, Sendable {
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
        /// The request for a page of a list would lose the header fields or the body that name the page.
        case dropsPage
        /// The request for the target is not valid.
        case invalidRequest(InvalidRequest)
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
    public enum InvalidResponse: Hashable, Sendable {
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
    }

    /// The limit that was exceeded.
    public enum Limit: Hashable, Sendable {
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
    }

    /// The reason why a file could not be used.
    public enum FileFailure: Hashable, Sendable {
        /// An operation failed with this error number of the system, such as `ENOSPC`.
        case system(FileOperation, errno: Int32)
        /// The path is a directory, a device or another kind of file that must not be replaced.
        case notRegularFile
        /// Another download to the same file is in progress.
        case inUse
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
    public enum PaginationFailure: Hashable, Sendable {
        /// The URL of the next page is not an HTTP URL.
        case notHTTP(URL?)
        /// The URL of the next page contains a user name or a password.
        case userInfo(URL?)
        /// The next page is at another origin than the first.
        case otherOrigin(URL?, expected: String)
        /// The page was requested before.
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
        /// The page at this offset is empty, although there are more items.
        case emptyPage(offset: Int, total: Int)
        /// The last of several pages is empty: the pages may have numbers from 0.
        case emptyLastPage(number: Int, count: Int)
        /// The page has fewer items than when it was read before.
        case pageShrank(number: Int, items: Int)
        /// The total has shrunk while the list was read, and items may have moved to pages that were read before.
        case listMoved(from: Int, to: Int)
        /// The page indicates that more items follow, but contains no reference to the next page.
        case missingNext
        /// The member contains a token for an unknown parameter.
        case unknownToken(in: MemberPath, String)
        /// The member seems to lead to the next page in an unknown way; the text is its JSON.
        case unknownNext(in: MemberPath, String)
        /// The page has a total that is larger than the number of items, and no known reference to the rest.
        case incompleteTotal(received: Int, total: Int)
        /// More items were received than the total in the response: a page may have been received twice.
        case moreThanTotal(received: Int, total: Int)
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
    }
}
