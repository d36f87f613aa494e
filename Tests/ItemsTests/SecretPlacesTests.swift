import Foundation
import MockTransport
import RESTClientHTTP
import Testing

@testable import RESTClient
@testable import items

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A place of a request or a response at which a secret can stand, and the outputs that show it.
struct SecretPlace: Sendable, CustomTestStringConvertible {
    enum Output: String, CaseIterable, Sendable { case error, event, cURL, recording, log }

    static let secret = "s3cr3t-Qm9v"
    /// A JSON Web Token.
    static let token = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJRbTl2In0."
    static let pair = Data("u:\(secret)".utf8).base64EncodedString()
    static let forms = [secret, token, pair]

    let name: String
    var url = "http://shop.example/items"
    var headers: [(name: String, value: String)] = []
    var body: String?
    var reply = Reply.status(401)
    /// The outputs that show the secret, because nothing identifies it. The article Promises lists these places.
    var shown: Set<Output> = []

    var testDescription: String { name }

    static func request(header name: String, _ value: String, shown: Set<Output> = []) -> Self {
        Self(name: "request header `\(name): \(generic(value))`", headers: [(name, value)], shown: shown)
    }

    static func request(_ name: String, url: String, shown: Set<Output> = []) -> Self {
        Self(name: "request \(name)", url: url, shown: shown)
    }

    static func request(
        _ name: String, type: String = "application/json", body: String, shown: Set<Output> = []
    ) -> Self {
        Self(name: "request \(name)", headers: [("Content-Type", type)], body: body, shown: shown)
    }

    static func response(header name: String, _ value: String, shown: Set<Output> = []) -> Self {
        Self(
            name: "response header `\(name): \(generic(value))`",
            reply: .status(401).header(.init(name), value), shown: shown)
    }

    static func response(
        _ name: String, type: String = "application/json", body: String, shown: Set<Output> = []
    ) -> Self {
        Self(
            name: "response \(name)", reply: .text(body, as: MediaType(rawValue: type), status: 401),
            shown: shown)
    }

    /// A response to a request with a bearer token, which repeats the token.
    static func echo(_ name: String, _ reply: Reply) -> Self {
        Self(name: "echo \(name)", headers: [("Authorization", "Bearer \(secret)")], reply: reply)
    }

    private static func generic(_ value: String) -> String {
        value == token ? "eyJ…" : forms.reduce(value) { $0.replacingOccurrences(of: $1, with: "…") }
    }

    private static func multipart(_ head: String) -> String {
        "--b\r\n\(head)\r\n\r\n\(secret)\r\n--b--\r\n"
    }
    private static let form = "application/x-www-form-urlencoded"
    private static let mixed = "multipart/form-data; boundary=b"

    static let all: [Self] = requestHeaders + urls + requestBodies + responses + echoes

    static let requestHeaders: [Self] = [
        request(header: "Authorization", "Bearer \(secret)"),
        request(header: "Authorization", "Basic \(pair)"),
        request(header: "Authorization", secret), request(header: "Proxy-Authorization", "Bearer \(secret)"),
        request(header: "Cookie", "theme=dark; sid=\(secret)"), request(header: "X-Api-Key", secret),
        request(header: "X-Auth-Token", secret), request(header: "X-Amz-Security-Token", secret),
        request(header: "Referer", "http://shop.example/?access_token=\(secret)"),
        request(header: "X-Forwarded-User", "Bearer \(secret)"), request(header: "X-Note", token),
        request(header: "X-Note", secret, shown: [.error, .cURL, .recording, .log]),
    ]

    static let urls: [Self] = [
        request("query item", url: "http://shop.example/items?access_token=\(secret)"),
        request("query item with an encoded name", url: "http://shop.example/items?api%5Fkey=\(secret)"),
        request(
            "query item of a URL", url: "http://shop.example/?next=http%3A%2F%2Fh%2F%3Ftoken%3D\(secret)"),
        request("query item that is a JSON Web Token", url: "http://shop.example/?q=\(token)"),
        request("signature", url: "http://shop.example/?X-Amz-Signature=\(secret)"),
        request("user info", url: "http://u:\(secret)@shop.example/"),
        request("fragment", url: "http://shop.example/#access_token=\(secret)"),
        request("path parameter", url: "http://shop.example/a;jsessionid=\(secret)"),
        request(
            "path segment", url: "http://shop.example/\(secret)/a",
            shown: [.error, .event, .cURL, .recording, .log]),
    ]

    static let requestBodies: [Self] = [
        request("JSON member", body: #"{"password": "\#(secret)"}"#),
        request("nested JSON member", body: #"{"a": [{"client_secret": "\#(secret)"}]}"#),
        request("JSON in a JSON string", body: #"{"a": "{\"token\": \"\#(secret)\"}"}"#),
        request("URL in JSON", body: #"{"next": "http://h/?token=\#(secret)"}"#),
        request("form item", type: form, body: "user=u&password=\(secret)"),
        request(
            "multipart part", type: mixed, body: multipart("Content-Disposition: form-data; name=password")),
        request("credential in text", type: "text/plain", body: "Authorization: Bearer \(secret)"),
        request("form as octets", type: "application/octet-stream", body: "a=b&password=\(secret)"),
        request("plain text", type: "text/plain", body: "tea \(secret)", shown: [.cURL, .recording]),
        request(
            "XML", type: "application/xml", body: "<password>\(secret)</password>",
            shown: [.cURL, .recording]),
    ]

    static let responses: [Self] = [
        response(header: "Set-Cookie", "sid=\(secret); HttpOnly"), response(header: "X-Api-Key", secret),
        response(header: "Link", "<http://h/?token=\(secret)>; rel=\"next\""),
        response(header: "Content-Location", "/?access_token=\(secret)"),
        response(header: "X-Note", "Bearer \(secret)"),
        response(header: "X-Note", secret, shown: [.error, .event, .recording]),
        Self(
            name: "redirect refused because of its user info",
            reply: .redirect(to: "http://u:\(secret)@shop.example/?token=\(secret)")),
        response("JSON member", body: #"{"access_token": "\#(secret)"}"#),
        response("nested JSON member", body: #"{"a": {"refresh_token": "\#(secret)"}}"#),
        response("URL in JSON", body: #"{"next": "/?token=\#(secret)"}"#),
        response(
            "problem details", type: "application/problem+json",
            body: #"{"title": "no", "token": "\#(secret)"}"#),
        response("form item", type: form, body: "access_token=\(secret)"),
        response("credential in text", type: "text/plain", body: "no Bearer \(secret) here"),
        response("JSON Web Token in text", type: "text/plain", body: "no \(token) here"),
        response(
            "plain text", type: "text/plain", body: "no \(secret)", shown: [.error, .event, .recording, .log]),
        response(
            "XML", type: "application/xml", body: "<token>\(secret)</token>",
            shown: [.error, .event, .recording, .log]),
    ]

    static let echoes: [Self] = [
        echo("in text", .text("\(secret) is not valid", status: 401)),
        echo("in JSON", .text(#"{"you": "\#(secret)"}"#, as: .json, status: 401)),
        echo("in XML", .text("<a>\(secret)</a>", as: MediaType(rawValue: "application/xml"), status: 401)),
        echo("in a header", .status(401).header("X-You", secret)),
        echo("in a refused redirect", .redirect(to: "ftp://shop.example/\(secret)")),
    ]
}

@Suite struct SecretPlacesTests {
    /// Sends the request of a place, and returns the text of each output.
    private func outputs(_ place: SecretPlace) async throws -> [SecretPlace.Output: String] {
        let lines = LockedState("")
        let events = LockedState("")
        let server = MockServer { Route(.any) { place.reply } }
        let messages = Messages(level: .verbose) { text in lines.withLock { $0 += text } }
        let logger = RequestLogger(
            messages: messages, record: { text in lines.withLock { $0 += "\(text)\n" } })
        let monitor = EventMonitor { event in
            events.withLock {
                $0 += "\(event)\n"
                _ = dump(event, to: &$0)
            }
            logger.monitor.receive(event)
        }
        let manager = SessionManager(
            configuration: server.configuration, interceptors: [logger], monitor: monitor)
        var headers: HTTPHeaders = [:]
        for (name, value) in place.headers where place.body == nil || name != "Content-Type" {
            headers.add(.init(name), value)
        }
        let type = place.headers.first { $0.name == "Content-Type" }?.value ?? ""
        let body = place.body.map { RequestBody.data(Data($0.utf8), type: MediaType(rawValue: type)) }
        let request = manager.request(
            try #require(URL(string: place.url)), method: body == nil ? HTTPMethod.get : .put,
            headers: headers,
            body: body)
        let error = try #require(await #expect(throws: RESTClientError.self) { try await request.response() })
        messages.report(CommandError(error))

        var text =
            "\(error)\n\(error as NSError)\n\(error.errorDescription ?? "")\n\(error.serverMessage ?? "")"
        dump(error, to: &text)
        if let response = error.response {
            text += String(decoding: response.body, as: UTF8.self)
            text +=
                "\(response.request.allHTTPHeaderFields ?? [:]) \(response.request.url?.absoluteString ?? "")"
            for field in response.headers { text += "\(field.value)\n" }
        }
        var curl = "\(request.cURLDescription)\n\(request)\n"
        dump(request, to: &curl)
        let recording = String(decoding: try server.recording.data(), as: UTF8.self)
        return [
            .error: text, .event: events.withLock { $0 }, .cURL: curl, .recording: recording,
            .log: lines.withLock { $0 },
        ]
    }

    @Test(arguments: SecretPlace.all)
    func `a secret is shown only by the outputs that the article names`(place: SecretPlace) async throws {
        var shown: Set<SecretPlace.Output> = []
        for (output, text) in try await outputs(place) {
            // An archive escapes the slashes of URLs.
            let plain = text.replacingOccurrences(of: "\\/", with: "/")
            #expect(!plain.isEmpty)
            if SecretPlace.forms.contains(where: plain.contains) { shown.insert(output) }
        }
        #expect(shown == place.shown)
    }

    @Test func `the article lists each place at which a secret is shown`() throws {
        let article = try String(contentsOf: Repository.article("Promises"), encoding: .utf8)
        for place in SecretPlace.all where !place.shown.isEmpty {
            let outputs = SecretPlace.Output.allCases.filter(place.shown.contains).map(\.rawValue)
            let row = "| \(place.name) | \(outputs.joined(separator: ", ")) |"
            #expect(article.contains(row), "\(row)")
        }
        #expect(SecretPlace.all.count * SecretPlace.Output.allCases.count >= 200)
        #expect(Set(SecretPlace.all.map(\.name)).count == SecretPlace.all.count)
    }
}
