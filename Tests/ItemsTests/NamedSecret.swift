import Foundation
import MockTransport
import RESTClientHTTP

/// The places of a secret with one of the names that services use, in another encoding, or without a name.
extension SecretPlace {
    static let base64JSON = Data(#"{"token": "\#(secret)", "a": 1}"#.utf8).base64EncodedString()
    static let base64Form = Data("user=u&password=\(secret)&a=1".utf8).base64EncodedString()

    // MARK: Names

    private static let queryNames = [
        "preview_token", "homepage_token", "next-auth.session-token", "consumer_key", "oauth_consumer_key",
        "signing_key", "appkey", "encryptionKey", "deploy_key", "license-key", "hapikey", "auth_code",
        "authCode", "device_code", "verification_code", "security_answer", "user_password",
        "password_confirmation", "newPassword2", "client_secret_value", "secret_id", "wstoken",
        "authenticity_token", "csrfmiddlewaretoken", "__RequestVerificationToken", "_csrf", "X-Plex-Token",
        "sas", "sas_token", "connection_string", "user[credentials][otp]", "passcode", "one_time_passcode",
        "invite_token", "SECRET_KEY_BASE", "wifi_psk", "SharedAccessSignature", "recovery_code", "pw",
        "smtp_pass", "saml_response",
    ]
    private static let headerNames = [
        "X-Consumer-Key", "X-Preview-Token", "X-Passcode", "X-Device-Code", "X-Session", "X-Sas",
        "X-JWT-Assertion", "X-Authentication", "CB-ACCESS-SIGN", "X-Homepage-Token", "X-Recovery-Code",
        "X-User-Credentials",
    ]
    private static let memberNames = [
        "consumer_key", "preview_token", "next-auth.session-token", "device_code", "verificationCode",
        "userPassword", "connectionString", "signingKey", "sas", "csrf", "db_pass", "pw", "backup_codes",
        "SecretString", "x-amz-security-token",
    ]
    private static let inputs = [
        #"<input type="hidden" name="csrf_token" value="\#(secret)">"#,
        #"<input value='\#(secret)' type=hidden name='authenticity_token'/>"#,
        #"<input type="password" name="x" value="\#(secret)">"#,
        #"<meta name="csrf-token" content="\#(secret)">"#, #"<user password="\#(secret)"/>"#,
        #"<add key="ApiKey" value="\#(secret)"/>"#, "<ns:password>\(secret)</ns:password>",
        "<password><![CDATA[\(secret)]]></password>", "<input name=password value=\(secret)>",
        "<input name = 'pwd' value = '\(secret)'>", "<entry key=\"password\">\(secret)</entry>",
        "<Name>DBPassword</Name><Value>\(secret)</Value>", "<key>apiKey</key><string>\(secret)</string>",
        "<property name='pwd'><value>\(secret)</value></property>",
    ]
    private static let pairs = [
        #"{"name": "password", "value": "\#(secret)"}"#, #"{"value": "\#(secret)", "name": "password"}"#,
        #"[{"key": "a", "value": "b"}, {"key": "api_key", "value": "\#(secret)", "type": "text"}]"#,
        #"{"headers": [{"name": "Authorization", "value": "\#(secret)"}]}"#,
        #"{"ParameterKey": "DBPassword", "NoEcho": true, "ParameterValue": "\#(secret)"}"#,
        #"{"id": "password", "meta": {"a": 1}, "values": ["\#(secret)"]}"#,
        #"[{"op": "replace", "path": "/password", "value": "\#(secret)"}]"#,
    ]

    static let named: [Self] =
        requests(queries: queryNames) + requests(headers: headerNames)
        + places(of: memberNames) { response("members \($1)", body: object($0)) }
        + places(of: memberNames) {
            request("members \($1) below others", body: #"[{"a": {"b": [\#(object($0))]}}]"#)
        }
        + ["consumer_key", "verification_code", "preview_token"].flatMap { name in
            [
                request("form item `\(name)`", type: form, body: "user=u&\(name)=\(secret)"),
                request(
                    "part `\(name)`", type: mixed,
                    body: multipart("Content-Disposition: form-data; name=\"\(name)\"")),
            ]
        }
        + [
            request(header: "Cookie", "next-auth.session-token=\(secret); theme=dark"),
            response(header: "Set-Cookie", "__Secure-next-auth.session-token=\(secret); Secure"),
            request("form items `name` and `value`", type: form, body: "name=password&value=\(secret)"),
            request(
                "form items `value` and `name`", type: form, body: "p[0][value]=\(secret)&p[0][name]=password"
            ),
            request(query: "a=b,password"),
        ]
        + inputs.enumerated().map {
            response("input \($0 + 1)", type: "text/html", body: "<p>no</p> \($1) x")
        }
        + pairs.enumerated().map { response("pair \($0 + 1)", body: $1) }
        + pairs.prefix(2).enumerated().map { request("pair \($0 + 1)", body: $1) }

    // MARK: Encodings

    private static func encoded(_ text: String) -> String { QueryItems.encoded(text) }

    static let nested: [Self] = [
        request("form in JSON", body: #"{"body": "grant_type=password&password=\#(secret)"}"#),
        request("JSON in a form", type: form, body: "payload=\(encoded(#"{"token": "\#(secret)"}"#))"),
        request("JSON in a form, not encoded", type: form, body: #"payload={"token":"\#(secret)"}"#),
        request("JSON in a query", url: "http://shop.example/?q=\(encoded(#"{"password": "\#(secret)"}"#))"),
        request("base64 of JSON in a query", url: "http://shop.example/?state=\(encoded(base64JSON))"),
        request("base64 of JSON in JSON", body: #"{"state": "\#(base64JSON)"}"#),
        request("base64 of a form in JSON", body: #"{"body": "\#(base64Form)", "isBase64Encoded": true}"#),
        request("base64 of a form in a form", type: form, body: "a=b&c=\(encoded(base64Form))"),
        request(header: "X-State", base64JSON), request(header: "X-Note", "password%3D\(secret)%26a%3Db"),
        request("percent-encoded form in JSON", body: #"{"a": "a%3Db%26password%3D\#(secret)"}"#),
        request("data of a URL", body: #"{"a": "data:application/json;base64,\#(base64JSON)"}"#),
        request("item of the path of a fragment", url: "http://shop.example/#/a?code=\(secret)&b=c"),
        request(
            "item of a query, encoded twice", url: "http://shop.example/?a=%252F%253Ftoken%253D\(secret)"),
        response("text of another type", body: "no password=\(secret)"),
        response("JSON of JavaScript", body: "{password: \"\(secret)\"}"),
        response("JSON of Python", body: "{'password': '\(secret)'}"),
        response("base64 of JSON in text", type: "text/plain", body: "state \(base64JSON) is old"),
        response("base64 of JSON in JSON", body: #"{"a": [{"state": "\#(base64JSON)"}]}"#),
        response("form in a JSON string of JSON", body: #"{"a": "{\"b\": \"password=\#(secret)&c=d\"}"}"#),
        response("URL in a query item of a URL", body: #"{"u": "/?to=http://u:\#(secret)@h/"}"#),
        response(header: "Location", "/login?to=http://h/?token=\(secret)"),
        response(header: "X-Next", "/login/http://u:\(secret)@h/"),
    ]

    // MARK: Values without a name

    /// Credentials that their form identifies. The parts are joined here, so that no tool takes them for real ones.
    static let credentials: [(name: String, text: String)] = [
        ("access key of AWS", "AKIA" + "IOSFODNN7EXAMPLE"),
        ("token of GitHub", "gh" + "p_16C7e42F292c6912E7710c838347Ae178B4a"),
        ("token of Slack", "xox" + "b-1234567890-abcdefQm9v"),
        ("key of Stripe", "sk" + "_live_4eC39HqLyjWDarjtT1zdp7dc"),
        ("key of Google", "AI" + "zaSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY"),
        ("token of GitLab", "gl" + "pat-Qm9vQm9vQm9vQm9v12"),
        ("key in PEM", "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC"),
    ]

    static let shaped: [Self] =
        credentials.flatMap { name, text in
            let shown =
                name == "key in PEM"
                ? "-----BEGIN PRIVATE KEY-----\\n\(text)\\n-----END PRIVATE KEY-----\\n" : text
            return [
                request("\(name) in JSON", body: #"{"note": "\#(shown)"}"#),
                response("\(name) in a message", body: #"{"message": "no \#(shown) here"}"#),
                response(
                    "\(name) in text", type: "text/plain",
                    body: "no \(shown.replacing("\\n", with: "\n")) here"),
            ]
        } + [
            request(header: "X-Note", "(Bearer \(secret))"), request(header: "X-Note", "Bearer: \(secret)"),
            request(header: "X-Note", "X-Api-Key: \(secret)"),
            response(
                "token after a scheme, repeated",
                body: #"{"authorization": "Bearer \#(secret)", "a": "no \#(secret)"}"#),
            response(
                "password of a pair in base64, repeated",
                body: #"{"authorization": "Basic \#(pair)", "a": "no \#(secret)"}"#),
            response("name of two words", type: "text/plain", body: "invalid API key: \(secret)"),
            response("cookies in text", type: "text/plain", body: "Cookie: theme=dark; x=\(secret)\n"),
            response("password with a slash", type: "text/plain", body: "no db://u:\(secret)/w@h/x"),
            response("path with an item", type: "text/plain", body: "//h/:_authToken=\(secret)"),
            response("credential in parentheses", type: "text/plain", body: "no (Bearer \(secret)) here"),
            response(
                "credential with a colon", type: "text/plain", body: "no Authorization: Token \(secret)"),
            response("credential without a space", type: "text/plain", body: "bearer:\(secret)"),
            response(
                "quoted value in text", type: "text/plain", body: "login failed, password=\"\(secret)\""),
            response(
                "value of Python in text", type: "text/plain", body: "{'user': 'u', 'password': '\(secret)'}"),
            response("value of YAML in text", type: "text/plain", body: "user: u\npassword: \(secret)\n"),
            response("connection string in JSON", body: #"{"a": "Server=h;User Id=u;Password=\#(secret);"}"#),
            response(
                "connection string of a queue",
                body: #"{"a": "Endpoint=sb://h/;SharedAccessKey=\#(secret)="}"#),
            response(
                "connection string of a database in text", type: "text/plain",
                body: "no postgres://u:\(secret)@h/db"),
            response(
                "copy of a password of a URL",
                body: #"{"hook": "http://u:\#(secret)@h/", "a": "it is \#(secret)"}"#),
            response(
                "copy of a password of a URL of a URL",
                body: #"{"a": "/?to=http%3A%2F%2Fu%3A\#(secret)%40h%2F", "b": "it is \#(secret)"}"#),
            Self(
                name: "password of a URL of a request header, repeated",
                headers: [("X-Callback", "http://u:\(secret)@h/")],
                reply: .text("no \(secret)", status: 401)),
            Self(
                name: "value of an input, repeated",
                reply: .text(
                    #"<input name="csrf" value="\#(secret)"> no \#(secret)"#, as: "text/html", status: 401)),
        ]
}

/// A place of a value that is not a secret, which each output with this place shows.
struct PlainPlace: Sendable, CustomStringConvertible {
    static let value = "tea4-Milk7"

    let description: String
    let place: SecretPlace
    /// The values that are shown.
    var values = [value]

    /// The names of pages, keys, codes and numbers that contain a word of a secret.
    static let names = [
        "page_token", "pageToken", "next_page_token", "nextToken", "prev_token", "previous-token",
        "continuation_token", "continuationToken", "next_cursor", "cursor", "nextSyncToken", "skiptoken",
        "resumptionToken", "pagination_token", "primary_key", "sort_key", "partition_key", "public_key",
        "cache_key", "keyboard", "keyword", "monkey", "author", "authors", "authority", "zip_code",
        "country_code", "status_code", "error_code", "promo_code", "postcode", "barcode", "password_policy",
        "token_type", "secret_name", "session_name", "credential_type", "pinned", "pin_color", "passenger",
        "compass", "tokenizer", "signature_version", "cookie_policy", "code_name", "design", "sid_name",
        "max_tokens", "tokenizer_name", "passport_country", "ExclusiveStartKey", "key_id", "issue_key",
        "client_id", "session_count", "opinion", "description",
    ]

    /// Places with several names each, and with a value for each name.
    private static func places(
        _ place: ([(name: String, value: String)], _ title: String) -> SecretPlace
    ) -> [Self] {
        let size = 5
        return stride(from: 0, to: names.count, by: size).map { start in
            let names = names[start..<min(start + size, names.count)]
            let values = names.indices.map { "\(value)\($0 - start)x" }
            let title = names.joined(separator: ", ")
            return Self(
                description: title, place: place(zip(names, values).map { (name: $0, value: $1) }, title),
                values: values)
        }
    }

    static let all: [Self] =
        places { .request("query items \($1)", url: "http://shop.example/?\(SecretPlace.items($0))") }
        + places {
            .response(
                "members \($1)", body: #"{"a": \#(SecretPlace.object($0))}"#,
                shown: [.error, .event, .recording])
        }
        + places {
            .request(
                "form items \($1)", type: SecretPlace.form, body: SecretPlace.items($0),
                shown: [.cURL, .recording])
        }
        + ["Idempotency-Key", "Surrogate-Key", "X-Next-Page-Token", "X-Author", "X-Status-Code", "ETag"].map {
            Self(
                description: "header \($0)",
                place: .request(header: $0, value, shown: [.error, .cURL, .recording, .log]))
        } + [
            Self(
                description: "pair",
                place: .response(
                    "pair", body: #"{"name": "theme", "value": "\#(value)"}"#,
                    shown: [.error, .event, .recording])),
            Self(
                description: "input",
                place: .response(
                    "input", type: "text/html", body: #"<input name="theme" value="\#(value)">"#,
                    shown: [.error, .recording])),
            Self(
                description: "messages about a secret member",
                place: .response(
                    "messages", body: #"{"errors": {"password": ["must have \#(value)"]}}"#,
                    shown: [.error, .event, .recording])),
            Self(
                description: "text",
                place: .response(
                    "text", type: "text/plain", body: "the password must have \(value), not: \(value)",
                    shown: [.error, .event, .recording, .log])),
        ]
}
