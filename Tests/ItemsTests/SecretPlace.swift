import Foundation
import MockTransport
import RESTClientHTTP
import Testing

/// A place of a request or a response at which a secret can stand, and the outputs that show it.
struct SecretPlace: Sendable, CustomTestStringConvertible {
    enum Output: String, CaseIterable, Sendable { case error, event, cURL, recording, log }

    static let secret = "s3cr3t-Qm9v"
    /// A JSON Web Token.
    static let token = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJRbTl2In0."
    static let pair = Data("u:\(secret)".utf8).base64EncodedString()
    /// The texts that must not be shown: the secret, and those that contain it in another encoding or are secret by their form.
    static let forms =
        [secret, token, pair, base64JSON, base64Form] + credentials.map(\.text)
        + (0..<namesPerPlace).map(numbered)
    private static let namesPerPlace = 6

    var name: String
    var url = "http://shop.example/items"
    var headers: [(name: String, value: String)] = []
    var body: String?
    var reply = Reply.status(401)
    /// The outputs that show the secret, because nothing identifies it. The page Guarantees lists these places.
    var shown: Set<Output> = []

    var testDescription: String { name }

    static func request(header name: String, _ value: String, shown: Set<Output> = []) -> Self {
        Self(name: "request header `\(name): \(generic(value))`", headers: [(name, value)], shown: shown)
    }

    /// One of several secrets of a place. None is a part of another one, so that a secret whose name is not known is shown.
    private static func numbered(_ number: Int) -> String { "s3cr3tQm9v\(number)x" }

    /// Returns places with several names each, and with a secret for each name. A request for each name would take long.
    static func places(
        of names: [String], _ place: ([(name: String, value: String)], _ title: String) -> Self
    ) -> [Self] {
        stride(from: 0, to: names.count, by: namesPerPlace).map { start in
            let names = names[start..<min(start + namesPerPlace, names.count)]
            return place(
                names.enumerated().map { ($1, numbered($0)) }, names.map { "`\($0)`" }.joined(separator: ", ")
            )
        }
    }

    /// The query items, or the items of a form, with their secrets.
    static func items(_ secrets: [(name: String, value: String)]) -> String {
        secrets.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
    }

    /// A JSON object with the secrets as members.
    static func object(_ secrets: [(name: String, value: String)]) -> String {
        "{" + secrets.map { #""\#($0.name)": "\#($0.value)""# }.joined(separator: ", ") + "}"
    }

    static func requests(queries names: [String]) -> [Self] {
        places(of: names) { secrets, title in
            request("query items \(title)", url: "http://shop.example/items?a=b&\(items(secrets))")
        }
    }

    static func requests(headers names: [String]) -> [Self] {
        places(of: names) { secrets, title in
            Self(name: "request headers \(title)", headers: secrets.map { ($0.name, $0.value) })
        }
    }

    /// A query item of the request.
    static func request(query name: String) -> Self {
        request("query item `\(name)`", url: "http://shop.example/items?a=b&\(name)=\(secret)")
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

    /// A response in which the server repeats the secret of `request` as a value of its own.
    private static func echoes(of credential: String, in request: Self) -> [Self] {
        let replies: [(place: String, reply: Reply)] = [
            ("text", .text("\(secret) is not valid", status: 401)),
            ("JSON", .text(#"{"you": "\#(secret)"}"#, as: .json, status: 401)),
            ("XML", .text("<a>\(secret)</a>", as: MediaType(rawValue: "application/xml"), status: 401)),
            ("a header", .status(401).header("X-You", secret)),
            ("a refused redirect", .redirect(to: "ftp://shop.example/\(secret)")),
        ]
        return replies.map { place, reply in
            var echo = request
            (echo.name, echo.reply, echo.shown) = ("\(credential) repeated in \(place)", reply, [])
            return echo
        }
    }

    private static func generic(_ value: String) -> String {
        [token, base64JSON].contains(value)
            ? "\(value.prefix(3))…" : forms.reduce(value) { $0.replacingOccurrences(of: $1, with: "…") }
    }

    static func multipart(_ head: String, _ content: String = secret) -> String {
        "--b\r\n\(head)\r\n\r\n\(content)\r\n--b--\r\n"
    }
    static let form = "application/x-www-form-urlencoded"
    static let mixed = "multipart/form-data; boundary=b"

    static let all: [Self] =
        requestHeaders + queries + urls + requestBodies + responseHeaders + responseBodies + echoes + named
        + nested + shaped

    static let requestHeaders: [Self] =
        requests(headers: [
            "Proxy-Authorization", "X-Amzn-Remapped-Authorization", "X-Api-Key", "Api-Key", "X-Goog-Api-Key",
            "Ocp-Apim-Subscription-Key", "X-Functions-Key", "X-Auth-Token", "X-Amz-Security-Token",
            "X-Vault-Token", "Private-Token", "X-Shopify-Access-Token", "X-CSRF-Token", "X-Session-Id",
            "X-Session-Token", "X-Client-Secret", "X-Hub-Signature-256", "X-GitHub-OTP", "X-Auth",
            "X-Password",
            "DPoP",
        ])
        + [
            request(header: "Authorization", "Bearer \(secret)"),
            request(header: "Authorization", "Basic \(pair)"),
            request(header: "Authorization", "Token \(secret)"),
            request(
                header: "Authorization", "AWS4-HMAC-SHA256 Credential=a/s3/aws4_request, Signature=\(secret)"),
            request(header: "Authorization", secret), request(header: "Cookie", "theme=dark; sid=\(secret)"),
            request(header: "Referer", "http://shop.example/?access_token=\(secret)"),
            request(header: "X-Original-URL", "/items?sig=\(secret)"),
            request(header: "X-Callback", "http://u:\(secret)@shop.example/"),
            request(header: "X-Forwarded-User", "Bearer \(secret)"),
            request(header: "X-Note", "basic \(pair)"), request(header: "X-Note", "DPoP \(secret)"),
            request(header: "X-Note", "user=u; password=\(secret)"), request(header: "X-Note", token),
            request(header: "X-Note", "a \(token) b"),
            request(header: "X-Note", secret, shown: [.error, .cURL, .recording, .log]),
        ]

    static let queries: [Self] = requests(queries: [
        "access_token", "token", "id_token", "refresh_token", "oauth_token", "api_key", "apikey", "key",
        "auth",
        "sig", "signature", "X-Amz-Signature", "X-Amz-Credential", "X-Amz-Security-Token", "X-Goog-Signature",
        "AWSAccessKeyId", "code", "jwt", "sid", "session", "session_id", "PHPSESSID", "JSESSIONID", "pwd",
        "pass",
        "password", "passphrase", "client_secret", "client_assertion", "assertion", "SAMLResponse",
        "code_verifier", "id_token_hint", "otp", "subscription-key", "private_key", "ACCESS-TOKEN",
    ])

    static let urls: [Self] = [
        request("query item with an encoded name", url: "http://shop.example/items?api%5Fkey=\(secret)"),
        request("query item in brackets", url: "http://shop.example/items?user%5Bpassword%5D=\(secret)"),
        request("query item after a semicolon", url: "http://shop.example/items?a=b;token=\(secret)"),
        request(
            "query item of a URL", url: "http://shop.example/?next=http%3A%2F%2Fh%2F%3Ftoken%3D\(secret)"),
        request(
            "query item of a URL in a URL",
            url:
                "http://shop.example/?u=http%3A%2F%2Fh%2F%3Fu%3Dhttp%253A%252F%252Fi%252F%253Ftoken%253D\(secret)"
        ),
        request("query item that is a JSON Web Token", url: "http://shop.example/?q=\(token)"),
        request("user info", url: "http://u:\(secret)@shop.example/"),
        request("user name", url: "http://\(secret)@shop.example/"),
        request("fragment", url: "http://shop.example/#access_token=\(secret)"),
        request("fragment after a query", url: "http://shop.example/?a=b#id_token=\(secret)"),
        request("path parameter", url: "http://shop.example/a;jsessionid=\(secret)"),
        request("path segment that is a JSON Web Token", url: "http://shop.example/\(token)/a"),
        request(
            "path segment", url: "http://shop.example/\(secret)/a",
            shown: [.error, .event, .cURL, .recording, .log]),
        request(
            "query item without the name of a secret", url: "http://shop.example/?q=\(secret)",
            shown: [.error, .event, .cURL, .recording, .log]),
    ]

    private static let secretMembers = [
        "password", "client_secret", "accessToken", "refresh_token", "api_key", "private_key", "session_id",
        "passphrase", "otp",
    ]

    static let requestBodies: [Self] =
        places(of: secretMembers) { request("JSON members \($1)", body: object($0)) }
        + places(of: secretMembers) { request("form items \($1)", type: form, body: "user=u&\(items($0))") }
        + [
            request("nested JSON member", body: #"{"a": [{"client_secret": "\#(secret)"}]}"#),
            request("JSON member with a list", body: #"{"passwords": ["\#(secret)"]}"#),
            request("JSON in a JSON string", body: #"{"a": "{\"token\": \"\#(secret)\"}"}"#),
            request("URL in JSON", body: #"{"next": "http://h/?token=\#(secret)"}"#),
            request("URL with user info in JSON", body: #"{"hook": "http://u:\#(secret)@h/"}"#),
            request("credential in JSON", body: #"{"note": "Bearer \#(secret)"}"#),
            request("JSON Web Token in JSON", body: #"{"note": "\#(token)"}"#),
            request(
                "JSON member of JSON lines", type: "application/x-ndjson",
                body: "{}\n{\"token\":\"\(secret)\"}\n"),
            request(
                "JSON of another type", type: "application/merge-patch+json",
                body: #"{"token": "\#(secret)"}"#),
            request("URL in a form", type: form, body: "hook=http%3A%2F%2Fh%2F%3Ftoken%3D\(secret)"),
            request(
                "multipart part", type: mixed,
                body: multipart("Content-Disposition: form-data; name=password")),
            request(
                "quoted multipart part", type: mixed,
                body: multipart("Content-Disposition: form-data; name=\"api_key\"")),
            request(
                "JSON in a multipart part", type: mixed,
                body: multipart(
                    "Content-Disposition: form-data; name=a\r\nContent-Type: application/json",
                    #"{"token": "\#(secret)"}"#)),
            request("credential in text", type: "text/plain", body: "Authorization: Bearer \(secret)"),
            request("URL in text", type: "text/plain", body: "see http://h/?token=\(secret) for more"),
            request("JSON as text", type: "text/plain", body: #"{"token": "\#(secret)"}"#),
            request("form as octets", type: "application/octet-stream", body: "a=b&password=\(secret)"),
            request("plain text", type: "text/plain", body: "tea \(secret)", shown: [.cURL, .recording]),
            request("XML", type: "application/xml", body: "<password>\(secret)</password>"),
            request(
                "XML without the name of a secret", type: "application/xml", body: "<a>\(secret)</a>",
                shown: [.cURL, .recording]),
        ]

    static let responseHeaders: [Self] =
        places(of: [
            "X-Api-Key", "X-Auth-Token", "X-Subject-Token", "X-CSRF-Token", "X-Session-Id", "X-Access-Token",
            "X-Signature", "Authorization",
        ]) { secrets, title in
            let reply = secrets.reduce(Reply.status(401)) { $0.header(.init($1.name), $1.value) }
            return Self(name: "response headers \(title)", reply: reply)
        } + [
            response(header: "Set-Cookie", "sid=\(secret); HttpOnly"),
            response(header: "Link", "<http://h/?token=\(secret)>; rel=\"next\""),
            response(header: "Link", "<http://u:\(secret)@h/>; rel=\"next\""),
            response(header: "Location", "/?access_token=\(secret)"),
            response(header: "Location", "http://h/#access_token=\(secret)"),
            response(header: "Content-Location", "/?access_token=\(secret)"),
            response(header: "X-Next", "http://h/?sig=\(secret)"),
            response(header: "WWW-Authenticate", "Bearer \(secret)"),
            response(header: "X-Note", "Bearer \(secret)"), response(header: "X-Note", token),
            response(header: "X-Note", secret, shown: [.error, .event, .recording, .log]),
            Self(
                name: "redirect refused because of its user info",
                reply: .redirect(to: "http://u:\(secret)@shop.example/?token=\(secret)")),
            Self(
                name: "redirect refused because of its scheme",
                reply: .redirect(to: "ftp://shop.example/?token=\(secret)")),
        ]

    static let responseBodies: [Self] =
        places(of: secretMembers) { response("JSON members \($1)", body: object($0)) }
        + places(of: secretMembers) {
            response("problem details members \($1)", type: "application/problem+json", body: object($0))
        }
        + places(of: ["access_token", "oauth_token_secret", "password", "code"]) {
            response("form items \($1)", type: form, body: "a=b&\(items($0))")
        }
        + [
            response("nested JSON member", body: #"{"a": {"refresh_token": "\#(secret)"}}"#),
            response("JSON in a JSON string", body: #"{"a": "{\"token\": \"\#(secret)\"}"}"#),
            response("JSON that breaks off", body: #"{"a": {"refresh_token": "\#(secret)"#),
            response("next link", body: #"{"items": [], "next": "/?token=\#(secret)"}"#),
            response(
                "next link of JSON:API", body: #"{"links": {"next": {"href": "/?api_key=\#(secret)"}}}"#),
            response("next link of OData", body: #"{"@odata.nextLink": "http://h/?sig=\#(secret)"}"#),
            response("next link with user info", body: #"{"next": "http://u:\#(secret)@h/"}"#),
            response("message of an error", body: #"{"error": {"message": "Bearer \#(secret) is expired"}}"#),
            response("URL in the message of an error", body: #"{"message": "no /items?token=\#(secret)"}"#),
            response("JSON Web Token in a message", body: #"{"message": "\#(token) is expired"}"#),
            response(
                "detail of problem details", type: "application/problem+json",
                body: #"{"title": "no", "detail": "token=\#(secret) is expired"}"#),
            response(
                "instance of problem details", type: "application/problem+json",
                body: #"{"title": "no", "instance": "/a?access_token=\#(secret)"}"#),
            response("credential in text", type: "text/plain", body: "no Bearer \(secret) here"),
            response("URL in text", type: "text/plain", body: "no http://h/?token=\(secret) here"),
            response("item in text", type: "text/plain", body: "password=\(secret) is wrong"),
            response("JSON Web Token in text", type: "text/plain", body: "no \(token) here"),
            response("URL in HTML", type: "text/html", body: "<a href=\"/?token=\(secret)\">a</a>"),
            response(
                "plain text", type: "text/plain", body: "no \(secret)",
                shown: [.error, .event, .recording, .log]),
            response("XML", type: "application/xml", body: "<token>\(secret)</token>"),
            response(
                "XML without the name of a secret", type: "application/xml", body: "<a>\(secret)</a>",
                shown: [.error, .recording]),
        ]

    static let echoes: [Self] =
        echoes(of: "bearer token", in: request(header: "Authorization", "Bearer \(secret)"))
        + echoes(of: "password of a basic credential", in: request(header: "Authorization", "Basic \(pair)"))
        + echoes(of: "cookie", in: request(header: "Cookie", "theme=dark; sid=\(secret)"))
        + echoes(of: "API key", in: request(header: "X-Api-Key", secret))
        + echoes(of: "query item `token`", in: request(query: "token"))
        + echoes(of: "user info", in: request("user info", url: "http://u:\(secret)@shop.example/"))
}
