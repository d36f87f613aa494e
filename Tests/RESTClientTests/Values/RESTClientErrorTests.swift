import Foundation
import MockTransport
import Testing

@testable import RESTClient

@Suite struct RESTClientErrorTests {
    private static let page = URL(string: "http://shop.example/items?page=2")

    /// Those that `Tests/ErrorMessages.txt` does not have.
    @Test(
        arguments: [
            (.invalidRequest(.invalidPort("0")), "0 is not a valid port"),
            (.invalidRequest(.invalidMethod("G ET")), #""G ET" is not a valid method"#),
            (.invalidRequest(.invalidHeaderValue(name: "X-A")), "of X-A contains a control character"),
            (.invalidRequest(.reservedHeader("Host")), "the Host header is set automatically"),
            (.invalidRequest(.bodyFileUnreadable), "the file of the body cannot be read"),
            (.invalidRequest(.rejected("bad\u{1B}URL")), #"bad\u001bURL"#),
            (.connection(.other), "the connection failed"), (.timedOut(.connect), "timed out connecting"),
            (.redirect(.refused(.bodyToOtherOrigin, to: "//")), "must not be sent to an origin that the"),
            (.redirect(.refused(.invalidRequest(.missingHost), to: "//")), "the URL has no host"),
            (.invalidResponse(.notHTTP), "not an HTTP response"),
            (.invalidResponse(.invalidContentLength("x")), #"invalid Content-Length "x""#),
            (.invalidResponse(.unexpectedRange), "the Content-Range does not match the requested range"),
            (.invalidResponse(.unparsable("a\nb")), #"a\nb"#),
            (.incompleteBody(received: 3, expected: nil), "ended early at byte 3:"),
            (.notJSON(found: "tea"), #"not JSON (starts "tea")"#),
            (.wrongShape(path: "$", expected: .value(of: "Tea"), found: .otherValue), "a value for Tea at"),
            (.wrongShape(path: "$", expected: .validValue, found: .invalidValue), "found an invalid value"),
            (.malformedJSON(offset: 0, path: "$", .encoding("UTF-16LE")), "is UTF-16LE, not UTF-8"),
            (.malformedJSON(offset: 7, path: "$", .tooDeep(limit: 9)), "9 levels deep at byte 7 ($)"),
            (.incompleteList("a\nb"), #"the server sent an incomplete list: "a\nb": GET http"#),
            (.pagination(.unresolvableURL(in: nil, "x")), #"the Link header is not a URL: "x""#),
            (.pagination(.unresolvableURL(in: "next", "x")), #""next" is not a URL: "x""#),
            (.pagination(.missingItemMember("id")), #"the last item has no "id""#),
            (.pagination(.otherPage(requested: 2, stated: 3)), "it is 3, and not 2, which was requested"),
            (.pagination(.partialContent(range: "items 0-1/9")), #"(206, "items 0-1/9")"#),
            (.limit(.streamBytes(9)), "the streamed body is larger than 9 bytes"),
            (.limit(.unreadBytes(9)), "more than 9 bytes of the streamed body were not read"),
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

    @Test func `a hint names the setting that helps`() {
        #expect(RESTClientError(.limit(.streamBytes(9))).hint?.contains("maxStreamBytes") == true)
        let empty = RESTClientError(.pagination(.emptyNumberedPage(2, count: 2)))
        #expect(empty.hint?.contains("specify the number of the first page with first: 0") == true)
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
