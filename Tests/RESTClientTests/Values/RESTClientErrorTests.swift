import Foundation
import MockTransport
import RESTClientHTTP
import Testing

@testable import RESTClient

@Suite struct RESTClientErrorTests {
    private static let page = URL(string: "http://shop.example/items?page=2")

    @Test(
        arguments: [
            (.invalidRequest(.missingURL), "the URL is not absolute"),
            (.invalidRequest(.unsupportedScheme("ftp")), #"the scheme "ftp" is neither http nor https"#),
            (.invalidRequest(.invalidPort("0")), "0 is not a valid port"),
            (.invalidRequest(.invalidMethod("G ET")), #""G ET" is not a valid method"#),
            (
                .invalidRequest(.invalidHeaderValue(name: "X-A")),
                "the value of X-A contains a control character"
            ),
            (.invalidRequest(.reservedHeader("Host")), "the Host header is set automatically"),
            (.invalidRequest(.bodyEncodingFailed), "the body cannot be encoded"),
            (.invalidRequest(.bodyFileUnreadable), "the file of the body cannot be read"),
            (.invalidRequest(.bodyFileChanged), "the file of the body has changed since its length was read"),
            (.invalidRequest(.rejected("bad\u{1B}URL")), #"bad\u001bURL"#),
            (.shutDown, "cannot send GET http://shop.example/items: its session manager was shut down"),
            (.connection(.hostNotFound), "the host was not found: GET http://shop.example/items"),
            (.connection(.other), "the connection failed"), (.timedOut(.idle), "timed out waiting for data"),
            (.timedOut(.connect), "timed out connecting"),
            (
                .redirect(.tooMany(max: 10, to: "http://x/")),
                "too many redirects (10); the last target was http://x/"
            ),
            (.redirect(.refused(.insecure, to: "http://x/")), "to http://x/: it leads from https to http"),
            (
                .redirect(.refused(.bodyToOtherOrigin, to: "//")),
                "the body must not be sent to an origin that the server did not specify"
            ),
            (.redirect(.refused(.invalidRequest(.missingHost), to: "//")), "the URL has no host"),
            (.status(404), "HTTP 404 Not Found: GET http://shop.example/items"),
            (
                .authentication(.signedOut),
                "signed out, so there is no credential: GET http://shop.example/items"
            ),
            (.authentication(.missingOrigin), "the credential has no origin: GET http://shop.example/items"),
            (
                .authentication(.refreshFailed),
                "the credential could not be refreshed (no cause): GET http://shop.example/items"
            ),
            (.invalidResponse(.notHTTP), "not an HTTP response"),
            (.invalidResponse(.invalidContentLength("x")), #"invalid Content-Length "x""#),
            (.invalidResponse(.unexpectedRange), "the Content-Range does not match the requested range"),
            (.invalidResponse(.unparsable("a\nb")), #"a\nb"#),
            (
                .incompleteBody(received: 3, expected: 12),
                "the response ended early at byte 3 of 12: GET http://shop.example/items"
            ),
            (.incompleteBody(received: 3, expected: nil), "ended early at byte 3:"),
            (.notJSON(found: "tea"), #"not JSON (starts "tea")"#),
            (
                .malformedJSON(offset: 7, path: "$.items[1]", .leadingZero),
                "not valid JSON at byte 7 ($.items[1]): a number with a leading zero"
            ),
            (
                .wrongShape(path: "items", expected: .list, found: .keys(["a", "b"])),
                #"expected a list at "items", found "a", "b""#
            ),
            (
                .wrongShape(path: "$", expected: .value(of: "Tea"), found: .otherValue),
                "expected a value for Tea at \"$\", found a value of another type"
            ),
            (
                .wrongShape(path: "$", expected: .validValue, found: .invalidValue),
                "expected a valid value at \"$\", found an invalid value"
            ),
            (
                .malformedJSON(offset: 7, path: "$", .unexpectedEnd),
                "the response is not valid JSON at byte 7 ($): the text ends early"
            ),
            (
                .malformedJSON(offset: 0, path: "$", .encoding("UTF-16LE")),
                "the response is UTF-16LE, not UTF-8"
            ),
            (
                .malformedJSON(offset: 7, path: "$", .tooDeep(limit: 9)),
                "the response is nested more than 9 levels deep at byte 7 ($)"
            ),
            (.incompleteList("a\nb"), #"the server sent an incomplete list: "a\nb": GET http"#),
            (.pagination(.notHTTP(page)), "http://shop.example/items?page=2 is not an HTTP URL"),
            (
                .pagination(.otherOrigin(page, expected: "http://a.example")),
                "is at another origin than http://a.example"
            ),
            (.pagination(.loop(page)), "leads to a page that was received before: the pages form a loop"),
            (.pagination(.unresolvableURL(in: nil, "x")), #"the Link header is not a URL: "x""#),
            (.pagination(.unresolvableURL(in: "next", "x")), #""next" is not a URL: "x""#),
            (.pagination(.emptyPage(offset: 4, total: 9)), "offset 4 is empty, but the total is 9"),
            (.pagination(.missingItemMember("id")), #"the last item has no "id""#),
            (
                .pagination(.otherPage(requested: 2, stated: 3)),
                "says that it is 3, and not 2, which was requested"
            ),
            (.pagination(.ignoredParameter("since")), #"it ignores the parameter "since""#),
            (
                .pagination(.unknownToken(in: "next", "t")),
                #""next" is "t", a token for an unknown parameter"#
            ),
            (.pagination(.unknownNext(in: "next", "true")), #""next" is true, an unknown reference"#),
            (.pagination(.incompleteTotal(received: 2, total: 9)), "2 of 9 items were received"),
            (.pagination(.partialContent(range: "items 0-1/9")), #"(206, "items 0-1/9")"#),
            (.limit(.bodyBytes(9)), "the body is larger than 9 bytes"),
            (.limit(.streamBytes(9)), "the streamed body is larger than 9 bytes"),
            (.limit(.unreadBytes(9)), "more than 9 bytes of the streamed body were not read"),
            (.limit(.itemBytes(9, path: "$.items[0]")), "$.items[0] is larger than 9 bytes"),
            (.limit(.listingBytes(9)), "all pages together are larger than 9 bytes"),
            (.limit(.pages(2)), "the list has more than 2 pages"),
            (
                .file(path: "/tmp/x", .system(.write, errno: ENOSPC)),
                #"cannot use "/tmp/x": write failed: No space"#
            ),
            (.file(path: "/tmp/x", .notRegularFile), "not a regular file"),
            (.file(path: "/tmp/x", .inUse), "another download to the file is in progress"),
        ] as [(RESTClientError.Kind, String)])
    func `a description states the failure`(kind: RESTClientError.Kind, expected: String) throws {
        let url = try #require(URL(string: "http://shop.example/items"))
        let error = RESTClientError(kind, URLRequest(url: url))
        #expect(error.message.contains(expected), "\(error)")
        #expect(error.description.hasPrefix(error.message))
        #expect(error.localizedDescription == error.description)
        #expect(error.recoverySuggestion == error.hint)
    }

    @Test(
        arguments: [
            (.limit(.bodyBytes(9)), "increase RequestOptions.maxBodyBytes if this size is expected"),
            (.limit(.streamBytes(9)), "maxStreamBytes"),
            (.limit(.itemBytes(9, path: "$")), "maxItemBytes"), (.limit(.listingBytes(9)), "maxBytes"),
            (.limit(.pages(9)), "maxPages"),
            (
                .pagination(.unknownToken(in: "next", "t")),
                #"specify the parameter for it: .token(at: "next", parameter: …)"#
            ),
            (
                .pagination(.incompleteTotal(received: 2, total: 9)),
                "specify the pagination with ItemListing(pagination:)"
            ),
            (.incompleteList("a"), "set ItemListing.allowsIncomplete to accept it"),
            (
                .pagination(.emptyNumberedPage(2, count: 2)),
                "specify the number of the first page with first: 0"
            ),
            (
                .pagination(.otherOrigin(page, expected: "http://a.example")),
                "if this server may be asked, too, add it to ItemListing.allowedOrigins"
            ),
            (.status(406), "set the Accept header to a type of the server, such as application/vnd.api+json"),
            (
                .notJSON(found: "<html>", isHTML: true),
                "this is a web page; pass the URL of its data"
            ),
            (.status(401), "the request requires a valid credential"),
            (.timedOut(.idle), "increase Timeouts.idle"), (.timedOut(.total), "increase Timeouts.total"),
            (.shutDown, "call shutdown() after the last request, or create another manager"),
        ] as [(RESTClientError.Kind, String)])
    func `a hint names the setting that helps`(kind: RESTClientError.Kind, expected: String) throws {
        let url = try #require(URL(string: "http://shop.example/items"))
        #expect(RESTClientError(kind, URLRequest(url: url)).hint?.contains(expected) == true)
    }

    @Test func `the error of a mock server is shown completely inside another error`() async throws {
        let server = MockServer {
            for number in 0..<3 { Route(.get, "/items/\(number)", .query("page", "7")) { Reply.text("tea") } }
        }
        let manager = server.manager()
        let url = try #require(URL(string: "http://shop.example/itmes/0?page=8"))
        let error = await #expect(throws: RESTClientError.self) { try await manager.request(url).data() }
        let cause = try #require(error?.underlying as? MockServerError)
        #expect(cause.description.count > 400)
        #expect(cause.description.contains("\n"))
        #expect(error?.message.contains(cause.description) == true)
        let refresh = RESTClientError(
            .authentication(.refreshFailed), URLRequest(url: url), underlying: cause)
        #expect(refresh.message.contains(cause.description))
    }

    @Test func `the progress of a listing names the page to resume at`() throws {
        let token = ResumeToken(url: try #require(Self.page), pageNumber: 2, itemsBefore: 3, skip: 1)
        let progress = RESTClientError.ListingProgress(itemCount: 4, pageCount: 1, resume: token)
        #expect("\(progress)" == "received 4 items (1 complete page); the listing can be resumed at page 2")
    }

    @Test func `a suggested pagination is part of the hint`() {
        var error = RESTClientError(.pagination(.missingNext))
        error.suggestedPagination = .link
        #expect(error.hint == "specify the pagination, most likely \"link\"")
    }

    @Test func `an error without a URL has none`() {
        var request = URLRequest(url: URL(filePath: "/"))
        request.url = nil
        let error = RESTClientError(.invalidRequest(.missingURL), request)
        #expect(error.url == nil)
        #expect(error.message == "cannot send GET (no URL): the URL is not absolute")
    }
}
