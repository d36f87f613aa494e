import Foundation
import MockTransport
import RESTClient
import RESTClientTestingSupport

/// A tea of the shop.
private struct Tea: Codable, Sendable {
    var id: Int
    var name: String
}

/// The rows of the table, in its order.
extension Situation {
    static let all =
        statuses + words + contents + decoding + connections + others + redirects + limits + pages + requests
        + credentials

    private static func page(_ number: Int, _ text: String) -> Route {
        Route(.get, number == 1 ? "/teas" : "/teas?page=\(number)") { json(text) }
    }

    // MARK: Responses

    private static let statuses: [Self] = [
        reply("a path that does not exist", .status(404)),
        reply("a list that was removed", .status(410)),
        reply("no credential", .status(401)),
        reply(
            "a token that has expired",
            .status(401).header(
                .wwwAuthenticate, #"Bearer error="invalid_token", error_description="The token expired""#)),
        reply(
            "a challenge of Digest", .status(401).header(.wwwAuthenticate, #"Digest realm="tea", nonce="x""#)),
        reply("a credential without permission", .status(403)),
        reply("another type than JSON", .status(406)),
        reply("a request that is wrong", .status(400)),
        reply("a method that is not allowed", .status(405).header("Allow", "POST")),
        reply("a body that is too large for the server", .status(413)),
        reply("a server that fails", .status(500)),
        reply("a gateway without its server", .status(502)),
        Self("a failure in all attempts", "--retry 2 \(url)", ".retry(), data()") {
            Route(.any) { Reply.status(503) }
        } call: {
            _ = try await $0.manager(.retry(backoff: .constant(.zero))).request("teas").data()
        },
        reply("a status without a body", .status(204)),
        reply("a page that has not changed", .status(304)),
        reply("a redirect without a target", .status(302)),
        reply("an exhausted rate limit", .status(429).header(.retryAfter, "7200")),
        reply("an exhausted rate limit without a time", .status(429)),
        reply(
            "the limit of GitHub",
            json(#"{"message":"API rate limit exceeded"}"#, 403).header("X-RateLimit-Remaining", "0")
                .header(.retryAfter, "60")),
        reply(
            "the secondary limit of GitHub",
            json(#"{"message":"You have exceeded a secondary rate limit. Please wait a few minutes."}"#, 403)),
        reply("a rate limit only in the body of a 200", json(#"{"error":{"code":"rate_limited"}}"#)),
        reply("a rate limit only in the body of a 400", json(#"{"error":{"code":"rate_limited"}}"#, 400)),
        reply(
            "a path that names a rate limit", json(#"{"message":"No such path. Try /ratelimit."}"#, 404)),
        reply("a rate limit of Slack", json(#"{"ok":false,"error":"ratelimited"}"#)),
    ]

    /// The words of servers.
    private static let words: [Self] = [
        reply("a message", json(#"{"message":"Bad tea"}"#, 400)),
        reply("a message in an error", json(#"{"error":{"code":400,"message":"API key not valid."}}"#, 400)),
        reply(
            "an error of OAuth",
            json(#"{"error":"invalid_grant","error_description":"The token is expired."}"#, 400)),
        reply(
            "a code and a field",
            json(
                #"{"message":"Validation Failed","errors":[{"resource":"Issue","field":"title","code":"missing_field"}]}"#,
                422)),
        reply(
            "a path in the request", json(#"{"detail":[{"loc":["body","age"],"msg":"field required"}]}"#, 422)
        ),
        reply("texts without names", json(#"{"errors":["too short","too old"]}"#, 400)),
        reply("a detail in a list", json(#"{"errors":[{"detail":"Name is taken"}]}"#, 409)),
        reply("a fault in JSON", json(#"{"fault":{"faultstring":"Policy failed"}}"#, 500)),
        reply("another style of names", json(#"{"ErrorMessage":"Database is down"}"#, 500)),
        reply(
            "texts for each field",
            json(#"{"message":"The data was invalid.","errors":{"email":["is taken"]}}"#, 422)),
        reply(
            "a message and a code",
            json(#"{"error":{"code":"card_declined","message":"Your card was declined."}}"#, 402)),
        reply("a list of texts", json(#"{"errorMessages":["No such project"],"errors":{}}"#, 400)),
        reply(
            "a problem document",
            .data(Data(#"{"title":"Not Found","detail":"No tea here"}"#.utf8), as: .problemJSON, status: 404)),
        reply(
            "a fault of SOAP",
            .text(
                #"<s:Envelope xmlns:s="x"><s:Body><s:Fault><faultstring>Out of &quot;tea&quot;</faultstring></s:Fault></s:Body></s:Envelope>"#,
                as: "text/xml", status: 500)),
        reply(
            "an error of S3",
            .text(
                "<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>",
                as: "application/xml", status: 403)),
        reply(
            "an error of S3 with a code alone",
            .text(
                "<?xml version=\"1.0\"?>\n<Error><Code>NoSuchKey</Code><Message/></Error>",
                as: "application/xml", status: 404)),
        reply(
            "a text in CDATA",
            .text("<error><message><![CDATA[a < b]]></message></error>", as: "text/xml", status: 400)),
        reply("plain text", .text("upstream connect error\n", status: 503)),
        reply("the title of a page", .text("<html><title>Bad day</title></html>", as: .html, status: 502)),
        reply("JSON without a message", json(#"{"tea":true}"#, 418)),
        reply("a wrong token of Slack", json(#"{"ok":false,"error":"invalid_auth"}"#)),
        reply("errors of GraphQL", json(#"{"data":null,"errors":[{"message":"No such field"}]}"#)),
        reply("an error with the status 200", json(#"{"status":"error","message":"Quota used up"}"#)),
        list("errors of GraphQL beside its data", "--retry 0 --at data.teas", ItemListing(at: "data.teas")) {
            Route(.any) { json(#"{"data":{"teas":["Assam"]},"errors":[{"message":"stock is down"}]}"#) }
        },
    ]

    private static let contents: [Self] = [
        reply("a list at another path", json(#"{"teas":[1],"warnings":[{}]}"#)),
        reply("errors beside no list", json(#"{"error":null,"warnings":[{}]}"#)),
        list("a list as the whole document", "--retry 0 --at items") { Route(.any) { json(#"["a"]"#) } },
        reply("an object instead of a list", json(#"{"items":{"a":{}}}"#)),
        reply("an object without members", json("{}")),
        reply("an empty response", .text("")),
        reply("a text", .text("GARBAGE")),
        reply("a web page", .text("<html><title>Teas</title></html>", as: .html)),
        reply("a login page", .text("<html><title>Sign in</title></html>", as: .html)),
        list("the portal of a network") {
            Route(.get, "https://shop.example/teas") { Reply.redirect(to: "https://portal.example/welcome") }
            Route(.get, "https://portal.example/welcome") { Reply.text("<html>Hello</html>", as: .html) }
        },
        reply("a comma too many", json(#"{"items":["a",]}"#)),
        reply("a document that ends early", json(#"{"items":["a","b"#)),
        reply("a body that ends early", json(#"{"items":["a"]}"#).fault(.contentLength(offBy: 1_000))),
        reply(
            "a connection that is lost in the body",
            json(#"{"items":["a"]}"#).fault(.reset(.inBody(after: 9)))),
        reply(
            "an encoding other than UTF-8",
            .data(Data(#"{"items":["caf"#.utf8) + [0xE9] + Data(#""]}"#.utf8), as: .json)),
        reply(
            "an encoding that the server names",
            .data(
                Data(#"{"items":["caf"#.utf8) + [0xE9] + Data(#""]}"#.utf8),
                as: "application/json; charset=ISO-8859-1")),
        reply("several documents", json("{\"items\":[\"a\"]}\n{\"items\":[\"b\"]}\n")),
        reply("a part of a page", json(#"{"items":["a"}"#, 206)),
        reply("a compressed body that is damaged", json(#"{"items":["a"]}"#).fault(.invalidGzip)),
        list("an error body that does not end") {
            Route(.any) { Reply.stream(AsyncStream { Data("no tea today. ".utf8) }, as: .text, status: 500) }
        },
    ]

    private static let decoding: [Self] = [
        Self("a missing member", nil, "getAvailableItems(as: Tea.self)") {
            Route(.any) { json(#"{"items":[{"id":7,"grade":"FTGFOP"}]}"#) }
        } call: {
            _ = try await MyRESTClient(url: url, manager: $0.manager()).getAvailableItems(as: Tea.self)
        },
        Self("a member in another style", nil, "decode(Named.self)") {
            Route(.any) { json(#"{"tea_name":"Assam"}"#) }
        } call: { shop in
            struct Named: Decodable { var teaName: String }
            _ = try await shop.manager().request("teas").decode(Named.self)
        },
        Self("a date as a text", nil, "decode(Dated.self)") {
            Route(.any) { json(#"{"at":"2026-11-26T10:00:00Z"}"#) }
        } call: { shop in
            struct Dated: Decodable { var at: Date }
            _ = try await shop.manager().request("teas").decode(Dated.self)
        },
        Self("the third item of the second of three pages", nil, "items(as: Tea.self)") {
            page(1, #"{"items":[{"id":1,"name":"a"},{"id":2,"name":"b"}],"page":1,"total_pages":3}"#)
            page(
                2,
                #"{"items":[{"id":3,"name":"c"},{"id":4,"name":"d"},{"id":"5","name":"e"}],"page":2,"total_pages":3}"#
            )
            page(3, #"{"items":[],"page":3,"total_pages":3}"#)
        } call: {
            for try await _ in MyRESTClient(url: url, manager: $0.manager()).items(as: Tea.self) {}
        },
        Self("a body that cannot be decoded", nil, "decode(Tea.self)") {
            Route(.any) { Reply.status(204) }
        } call: {
            _ = try await $0.manager().request("teas").decode(Tea.self)
        },
        Self("a text in an unknown encoding", nil, "string()") {
            Route(.any) { Reply.data(Data([0xE9]), as: "text/plain; charset=klingon") }
        } call: {
            _ = try await $0.manager().request("teas").string()
        },
        Self("a text in a wrong encoding", nil, "string()") {
            Route(.any) { Reply.data(Data([0x63, 0xE9]), as: "text/plain") }
        } call: {
            _ = try await $0.manager().request("teas").string()
        },
    ]

    // MARK: Connections

    private static let connections: [Self] = [
        connection("a name without an address", .cannotFindHost, "Could not resolve host: shop.example"),
        connection(
            "a port without a server", .cannotConnectToHost,
            "Failed to connect to shop.example port 443 after 0 ms: Couldn't connect to server"),
        connection(
            "a certificate of an unknown authority", .serverCertificateUntrusted,
            "SSL certificate problem: self-signed certificate"),
        connection(
            "an expired certificate", .serverCertificateHasBadDate,
            "SSL certificate problem: certificate has expired"),
        connection(
            "a certificate of another host", .serverCertificateUntrusted,
            "SSL: no alternative certificate subject name matches target host name 'shop.example'"),
        connection(
            "a system without authorities", .secureConnectionFailed,
            "error setting certificate verify locations:  CAfile: /etc/ssl/certs/ca-certificates.crt CApath: /etc/ssl/certs"
        ),
        connection(
            "a connection that is reset", .networkConnectionLost, "Recv failure: Connection reset by peer"),
        connection("a connection that is closed", .badServerResponse, "Empty reply from server"),
        connection(
            "a proxy that does not run", .cannotConnectToHost,
            "Failed to connect to proxy.example port 3128 after 0 ms: Couldn't connect to server"),
        connection(
            "a proxy whose name has no address", .cannotFindHost, "Could not resolve proxy: proxy.example"),
        reply("a proxy that requires a password", .status(407)),
        reply("a chunk that is not one", json(#"{"items":["a"]}"#).fault(.malformedChunk)).linuxOnly(
            "the text is that of libcurl"),
        list("http for a port of https", url: "http://shop.example:443/teas") {
            Route(.any) {
                Reply.text(
                    "<title>400 The plain HTTP request was sent to HTTPS port</title>", as: .html, status: 400
                )
            }
        },
    ]

    /// Servers of other protocols.
    private static let others: [Self] = [
        bytes(
            "https for a port of http", "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n",
            url: "https://$RAW/teas"),
        bytes("a server of SSH", "SSH-2.0-OpenSSH_9.6\r\n"),
        bytes("a server of SMTP", "220 mail.example ESMTP Postfix\r\n"),
        bytes("a response without a head", #"{"items":["a"]}"#),
    ]

    private static let redirects: [Self] = [
        reply("redirects in a loop", .redirect(to: url)),
        reply("a redirect to a file", .redirect(to: "file:///etc/passwd")),
        reply("a redirect from https to http", .redirect(to: "http://shop.example/teas")),
        Self(
            "a redirect of a body to another origin", "-d x \(url)",
            #"request("teas", method: .post, body: …)"#
        ) {
            Route(.any) { Reply.redirect(to: "https://other.example/teas", status: 307) }
        } call: { shop in
            _ = try await shop.manager().request("teas", method: .post, body: .json(["a": 1])).data()
        },
        reply("a redirect with a password", .redirect(to: "https://me:pw5ecret@shop.example/")),
    ]

    // MARK: Limits

    private static let limits: [Self] = [
        Self(
            "a server that does not answer", "--retry 0 --idle-timeout 0.05 \(url)",
            "data(), with an idle timeout of 0.05 s"
        ) {
            Route(.any) { Reply.fault(.stall(.beforeHead)) }
        } call: { shop in
            let options = RequestOptions(timeouts: Timeouts(idle: .milliseconds(50)))
            _ = try await shop.manager(options: options).request("teas").data()
        },
        Self("a list that takes too long", "--max-time 0.05 \(url)", "timeout(.milliseconds(50)).data()") {
            Route(.any) { Reply.fault(.stall(.beforeHead)) }
        } call: {
            _ = try await $0.manager().request("teas").timeout(.milliseconds(50)).data()
        },
        Self(
            "a time to wait that is longer than the timeout", "--max-time 9 \(url)",
            ".retry(), timeout(.seconds(9)).data()"
        ) {
            Route(.any) { Reply.status(503).header(.retryAfter, "30") }
        } call: {
            _ = try await $0.manager(.retry()).request("teas").timeout(.seconds(9)).data()
        },
        Self(
            "a budget of retries that is used up", nil,
            ".retry(RetryPolicy(budget: RetryBudget(capacity: 1))).data()"
        ) {
            Route(.any) { Reply.status(503) }
        } call: { shop in
            let policy = RetryPolicy(backoff: .constant(.zero), budget: RetryBudget(capacity: 1))
            _ = try await shop.manager(.retry(policy)).request("teas").data()
        },
        list("a list with too many pages", "--max-pages 1", ItemListing(maxConcurrentPages: 1, maxPages: 1)) {
            page(1, #"{"items":["a"],"page":1,"total_pages":2}"#)
        },
        list("a list of too many bytes", "--max-bytes 20", ItemListing(maxBytes: 20)) {
            Route(.any) { json(#"{"items":["a","b","c","d"]}"#) }
        },
        list("an item of too many bytes", "--max-item 5", ItemListing(maxItemBytes: 5)) {
            Route(.any) { json(#"{"items":["a","Genmaicha"]}"#) }
        },
        Self("a body of too many bytes", nil, "data(), with maxBodyBytes: 8") {
            Route(.any) { Reply.text("Genmaicha") }
        } call: {
            _ = try await $0.manager(options: RequestOptions(maxBodyBytes: 8)).request("teas").data()
        },
        Self("a call that is cancelled", nil, "data(), whose task is cancelled") {
            Route(.any) { Reply.fault(.stall(.beforeHead)) }
        } call: { shop in
            let task = Task { try await shop.manager().request("teas").data() }
            task.cancel()
            _ = try await task.value
        },
        Self("a manager that was shut down", nil, "data()") {
        } call: { shop in
            let manager = shop.manager()
            await manager.shutdown()
            _ = try await manager.request("teas").data()
        },
    ]

    // MARK: Pages

    private static let pages: [Self] = [
        list("an unknown reference to the next page") {
            Route(.any) { json(#"{"items":["a"],"next":{"at":2}}"#) }
        },
        list("a token without a parameter") { Route(.any) { json(#"{"items":["a"],"next":"abc"}"#) } },
        list(
            "a wrong pagination of a list that the default follows", "--retry 0 --pagination next",
            ItemListing(pagination: .next())
        ) { Route(.any) { json(#"{"items":["a"],"next_cursor":"x9"}"#) } },
        list("a total without a way to the rest") {
            Route(.any) { json(#"{"items":["a","b"],"total":10,"per_page":2}"#) }
        },
        list("a flag without a way to the rest") {
            Route(.any) { json(#"{"items":["a"],"has_more":true}"#) }
        },
        list("a second page that fails") {
            Route(.get, "/teas?page=2") { Reply.status(503) }
            page(1, #"{"items":["a"],"page":1,"total_pages":3}"#)
            page(3, #"{"items":["c"],"page":3,"total_pages":3}"#)
        },
        list("a next page at another origin") {
            Route(.any) { json(#"{"items":["a"],"next":"https://other.example/teas"}"#) }
        },
        list("pages in a loop") { Route(.any) { json(#"{"items":["a"],"next":"/teas"}"#) } },
        list(
            "a parameter that the server ignores", "--retry 0 --pagination page",
            ItemListing(pagination: .number())
        ) {
            Route(.any) { json(#"{"items":["a"],"total_pages":3}"#) }
        },
        list("a next page that requires POST") {
            Route(.any) { json(#"{"items":["a"],"links":[{"rel":"next","href":"/x","method":"POST"}]}"#) }
        },
        list("a list that shrinks", "--retry 0 --pagination offset", ItemListing(pagination: .offset())) {
            Route(.get, "/teas?offset=2") { json(#"{"items":[],"total":3}"#) }
            Route(.get, "/teas") { json(#"{"items":["a","b"],"total":3}"#) }
        },
        list("a page that breaks off, in a list") {
            Route(.get, "/teas?page=2") { json(#"{"items":["b",x]}"#) }
            page(1, #"{"items":["a"],"page":1,"total_pages":2}"#)
        },
    ]

    // MARK: Requests

    private static let requests: [Self] = [
        Self(
            "a scheme that is missing", "shop.example/teas",
            #"request("shop.example/teas"), without a base URL"#
        ) {
        } call: { _ in
            _ = try await SessionManager().request("shop.example/teas").data()
        },
        Self("a scheme of another protocol", "ftp://shop.example/teas", #"request("ftp://…")"#) {
        } call: { shop in
            _ = try await shop.manager().request("ftp://shop.example/teas").data()
        },
        Self("a GET request with a body", "-X GET -d x \(url)", #"request("teas", method: .get, body: …)"#) {
        } call: { shop in
            _ = try await shop.manager().request("teas", method: .get, body: .json(["a": 1])).data()
        },
        Self("a header field with a space in its name", nil, #"headers: ["X Trace": "7"]"#) {
        } call: { shop in
            _ = try await shop.manager().request("teas", headers: ["X Trace": "7"]).data()
        },
        Self("a body that JSON cannot represent", nil, "body: .json(Price(amount: .nan))") {
        } call: { shop in
            struct Price: Encodable { var amount: Double }
            _ = try await shop.manager().request("teas", method: .post, body: .json(Price(amount: .nan)))
                .data()
        },
        Self("a body in a file that is missing", "--data-binary @$DIR/photo.png \(url)", "body: .file(photo)")
        {
        } call: { shop in
            let file = URL(filePath: shop.named("$DIR/photo.png"))
            _ = try await shop.manager().request("photos", method: .post, body: .file(file)).data()
        },
        Self(
            "a body in a file that changes", nil, "body: .file(photo), which is written between two attempts"
        ) {
            Route(.any) { Reply.status(503) }
        } call: { shop in
            let file = URL(filePath: shop.named("$DIR/photo.png"))
            try Data("tea".utf8).write(to: file)
            let writing = ClosureInterceptor { request, next in
                try Data("more tea".utf8).write(to: file)
                return try await next(request)
            }
            _ = try await shop.manager(writing).request("photos", method: .put, body: .file(file)).data()
        },
        Self("a file that cannot be written", "-o $DIR/none/teas \(url)", "download(to: file)") {
            Route(.any) { json(#"{"items":["a"]}"#) }
        } call: { shop in
            try await shop.manager().request("teas").download(to: URL(filePath: shop.named("$DIR/none/teas")))
        },
    ]

    private static let credentials: [Self] = [
        Self("a refresh that is refused", nil, "data(), with an Authenticator") {
            Route(.post, "/token") {
                json(#"{"error":"invalid_grant","error_description":"Sign in again."}"#, 400)
            }
            Route(.any) { Reply.status(401) }
        } call: {
            _ = try await $0.manager(refreshing).request("teas").data()
        },
        Self("a refresh whose response has other names", nil, "data(), with an Authenticator") {
            Route(.post, "/token") { json(#"{"access_token":"abc","expires_in":60}"#) }
            Route(.any) { Reply.status(401) }
        } call: {
            _ = try await $0.manager(refreshing).request("teas").data()
        },
        Self("a refresh without a connection", nil, "data(), with an Authenticator") {
            Route(.post, "/token") { Reply.fault(.refused) }
            Route(.any) { Reply.status(401) }
        } call: {
            _ = try await $0.manager(refreshing).request("teas").data()
        },
        Self("a refresh that does not end", nil, "data(), with an Authenticator whose timeout is 0.05 s") {
            Route(.post, "/token") { Reply.fault(.stall(.beforeHead)) }
            Route(.any) { Reply.status(401) }
        } call: { shop in
            let slow = Authenticator(timeout: .milliseconds(50)) { _, manager in
                .bearer(try await manager.request("token", method: .post).string())
            }
            _ = try await shop.manager(slow).request("teas").data()
        },
        Self("a credential after a sign-out", nil, "data(), after signOut()") {
        } call: { shop in
            let session = Authenticator { _, _ in .bearer("x") }
            session.signOut()
            _ = try await shop.manager(session).request("teas").data()
        },
        Self("a credential without an origin", nil, #"data(), with .bearer("secret") and no base URL"#) {
        } call: { shop in
            _ = try await SessionManager(configuration: shop.configuration, interceptors: [.bearer("secret")])
                .request(url).data()
        },
        Self(
            "a token without encryption", "-u me:pw5ecret http://shop.example/teas",
            #"data(), with .bearer("secret") over http"#
        ) {
            Route(.any) { Reply.status(401) }
        } call: { shop in
            _ = try await SessionManager(
                baseURL: "http://shop.example", configuration: shop.configuration,
                interceptors: [.bearer("secret")]
            ).request("teas").data()
        },
    ]

    private static var refreshing: Authenticator {
        Authenticator { _, manager in
            struct Token: Decodable { var accessToken: String }
            return .bearer(try await manager.request("token", method: .post).decode(Token.self).accessToken)
        }
    }
}
