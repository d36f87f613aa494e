import Foundation
import RESTClientHTTP
import Testing

@Suite struct RedactionTests {
    @Test(arguments: [
        "Authorization", "proxy-authorization", "Cookie", "Set-Cookie", "X-Api-Key", "X-Auth-Token",
        "X-Auth-Key", "Private-Token", "X-Vault-Token", "X-Shopify-Access-Token", "Ocp-Apim-Subscription-Key",
        "X-Functions-Key", "X-Amz-Security-Token", "X-Authorization", "X-CSRF-Token", "X-Auth",
        "X-Session-Id", "DPoP", "X-GitHub-OTP", "X-Amzn-Remapped-Authorization", "Authentication",
        "X-Access-Sign",
    ])
    func `a header with a credential is masked`(name: String) {
        #expect(Redaction.value("tea", of: HTTPHeaders.Name(name)) == "***")
    }

    @Test(arguments: [
        "Accept", "Content-Type", "ETag", "Idempotency-Key", "X-Request-Id", "X-Next-Page-Token",
        "User-Agent",
        "X-Author", "WWW-Authenticate", "X-Shard-Key", "Authentication-Info",
    ])
    func `a header without a credential is not masked`(name: String) {
        #expect(Redaction.value("tea", of: HTTPHeaders.Name(name)) == "tea")
    }

    @Test func `an added secret header is masked from then on`() {
        #expect(Redaction.value("tea", of: "X-Redaction-Test-Licence") == "tea")
        Redaction.addSecretHeader("X-Redaction-Test-Licence")
        #expect(Redaction.value("tea", of: "x-redaction-test-licence") == "***")
    }

    @Test(arguments: [
        ("Bearer a1b2c3", "Bearer ***"), ("Bearer a1b2c", "Bearer a1b2c"), ("Bearer abcDefg", "Bearer ***"),
        ("Bearer abcdefg", "Bearer abcdefg"), ("DPOP abcDefg", "DPOP ***"),
        ("a eyJhbGciOiJub25lIn0xyz b", "a eyJhbGciOiJub25lIn0xyz b"),
        ("a eyJhbGciOiJub25lIn0.xyz b", "a *** b"), ("(Bearer a1b2c3)", "(Bearer ***)"),
        ("Bearer: a1b2c3", "Bearer: ***"), ("bearer:a1b2c3.", "bearer:***"),
        ("a AKIAABCDEFGH12345678", "a ***"),
        ("password: s3cr3t, user: u", "password: ***, user: u"), ("password = s3cr3t", "password = ***"),
        ("Authorization: Token a1b2c3", "Authorization: Token ***"),
        ("password: too short", "password: too short"),
        ("token='a b' c", "token='***' c"), (#"token="a\"b" c"#, #"token="***" c"#),
        (#"\"a\":\"token=s\","#, #"\"a\":\"token=***\",""#),
        (#"\"token\":\"a b\" c"#, #"\"token\":\"***\" c""#), (#"token=a\b"#, "token=***"),
        (#"token="a b"#, #"token="***"#), ("{'password': 'a b'}", "{'password': '***'}"),
        ("user=u,password=s", "user=u,password=***"), ("(password=***))", "(password=***))"),
        ("use <token> or <password>", "use <token> or <password>"),
        ("<a><token>s</token></a>", "<a><token>***</token></a>"), ("<code>404</code>", "<code>404</code>"),
        ("<input value=s type='password'> s", "<input value=*** type='password'> s"),
        ("x <b http://u:p@h/", "x <b http://h/"), ("to ann@h.example?", "to ann@h.example?"),
        ("a < b password=s", "a < b password=***"),
        ("-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----", "***-----END PRIVATE KEY-----"),
        ("-----BEGIN CERTIFICATE-----\nabc", "-----BEGIN CERTIFICATE-----\nabc"),
        (
            "-----BEGIN PGP PRIVATE KEY BLOCK-----\nabc\n-----END PGP PRIVATE KEY BLOCK-----",
            "***-----END PGP PRIVATE KEY BLOCK-----"
        ),
        ("basic password=a1%2Bb c", "basic password=*** c"), ("Bearer a1b2c3%2B:d, e", "Bearer ***, e"),
        ("token: https://h/a1b2c3", "token: https://h/a1b2c3"), ("token: 1234567:a-b, c", "token: ***, c"),
        ("invalid API key: a1b2c3", "invalid API key: ***"), ("zip code: a1b2c3", "zip code: a1b2c3"),
        ("Cookie: a=b; c=d\ne=f", "Cookie: a=***; c=***\ne=f"), ("Cookie: 12 = a", "Cookie: 12 = a"),
        ("Set-Cookie: a=b; Path=/", "Set-Cookie: a=***; Path=/"),
        ("<Name>password</Name><Value>s</Value>", "<Name>password</Name><Value>***</Value>"),
        ("<Name>tea</Name><Value>s</Value>", "<Name>tea</Name><Value>s</Value>"),
        ("<key>apiKey</key><string>s</string>", "<key>apiKey</key><string>***</string>"),
        (
            "<entry key='pwd'>s</entry> <a name=pwd>a b</a>",
            "<entry key='pwd'>***</entry> <a name=pwd>a b</a>"
        ),
        ("<p name='pwd'><value>s</value></p>", "<p name='pwd'><value>***</value></p>"),
        ("<input name = pwd value = 's'>", "<input name = pwd value = '***'>"),
        ("//h/:_authToken=s", "//h/:_authToken=***"), ("//h/a=b", "//h/a=b"),
        ("a token%3Ds1%26a%3Db b", "a *** b"), ("100%25 of tea%3Dmilk", "100%25 of tea%3Dmilk"),
        ("data:a;base64,eyJ0b2tlbiI6InMifQ==", "data:a;base64,***"),
        ("https://h/a/eyJ0b2tlbiI6InMifQ/b", "https://h/a/***/b"),
        ("db://u:p/w@h/x", "db://h/x"), ("db://h:1/@x", "db://h:1/@x"),
    ])
    func `credentials in text are recognized by their form`(text: String, shown: String) {
        #expect(Redaction.text(text) == shown)
    }

    @Test(arguments: [
        "accessToken", "access-token", "ACCESS_TOKEN", "accesstoken", "user[access.token]", "access_token2",
        "token_value", "newPassword", "password_confirmation", "SAMLResponse", "PHPSESSID", "JSESSIONID",
        "X-Hub-Signature-256", "AWSAccessKeyId", "preview_token", "homepage_token", "homepagetoken",
        "next-auth.session-token", "consumer_key", "hapikey", "authcode", "code_verifier", "oauth_verifier",
        "SecretString",
        "connectionString", "SECRET_KEY_BASE", "user_tokens", "wifi_psk", "tlsKey", "SignatureProvided",
        "seed_phrase", "id_token_hint", "secret_id",
        "db_pass", "dbpass", "_csrf", "sas",
    ])
    func `the last words of a name tell that it is secret`(name: String) {
        #expect(Redaction.isSecret(name))
    }

    @Test(arguments: [
        "page_token", "nextPageToken", "nextpagetoken", "prev_token", "NextToken", "continuation-token",
        "resumptionToken", "skiptoken", "next_cursor", "primary_key", "sort_key", "partitionKey",
        "public_key",
        "keyboard", "monkey", "turkey", "author", "zip_code", "zipcode", "countryCode", "status_code",
        "password_policy", "token_type", "expires_in", "secret_name", "compass", "bypass", "address",
        "access",
        "session_count", "max_tokens", "promptTokens", "pinned", "client_id", "key_id", "design", "", "_",
        "2", "s",
    ])
    func `a name that only resembles that of a secret is plain`(name: String) {
        #expect(!Redaction.isSecret(name))
    }

    @Test(arguments: [
        ("{\"password\"\n\t: \r\"s\"}", "{\"password\"\n\t: \r\"***\"}"),
        (#"{"session_id": 7}"#, #"{"session_id": 7}"#),
        (#"{"pin_password": 7}"#, #"{"pin_password": 0}"#),
        (#"{"code": "abcdefgh1234567"}"#, #"{"code": "abcdefgh1234567"}"#),
        (#"{"code": "abcdefgh12345678"}"#, #"{"code": "***"}"#),
        (#"{"pin": 1234, "pins": [7]}"#, #"{"pin": 0, "pins": [7]}"#), (#"{"pin": "12"}"#, #"{"pin": "12"}"#),
        (#"{"cookie": "a=b", "Cookie": "oat"}"#, #"{"cookie": "***", "Cookie": "oat"}"#),
        (#"{"name": "password", "value": 7}"#, #"{"name": "password", "value": 0}"#),
        (#"{"value": "s", "type": {}, "key": "apiKey"}"#, #"{"value": "***", "type": {}, "key": "apiKey"}"#),
        (
            #"{"op": "add", "path": "/password", "value": "s"}"#,
            #"{"op": "add", "path": "/password", "value": "***"}"#
        ),
        (#"{"session": {"id": "abcdefgh12345678"}}"#, #"{"session": {"id": "***"}}"#),
        (
            #"{"session": {"id": "tea"}, "user": {"id": "abcdefgh12345678"}}"#,
            #"{"session": {"id": "tea"}, "user": {"id": "abcdefgh12345678"}}"#
        ),
        (
            #"{"errors": {"password": ["is too short", "s"]}}"#,
            #"{"errors": {"password": ["is too short", "***"]}}"#
        ),
        (
            #"{"password": ["It is too short.", "s s."], "token": "a b c."}"#,
            #"{"password": ["It is too short.", "***"], "token": "***"}"#
        ),
        (#"[{"name": "password"}, {"value": "s"}]"#, #"[{"name": "password"}, {"value": "s"}]"#),
        (
            #"{"a\u0050in": 1234, "a": "dpop a1B2c3", "pw2s_": "s"}"#,
            #"{"a\u0050in": 0, "a": "dpop ***", "pw2s_": "s"}"#
        ),
        ("{\"coo\u{212A}ie\": \"a=b\"}", "{\"coo\u{212A}ie\": \"***\"}"),
        (
            #"{"to\u006ben": "s", "PW2": "s", "a": "token=s", "b": "x"}"#,
            #"{"to\u006ben": "***", "PW2": "***", "a": "token=***", "b": "x"}"#
        ),
    ])
    func `a recording masks strings and numbers that are probably secret`(text: String, shown: String) {
        #expect(Redaction.text(text) == shown)
    }

    @Test(arguments: [
        ("http://u:p@h/x?a=1", "http://h/x?a=1"), ("http://u@h", "http://h"), ("//u:p@h/x", "//h/x"),
        ("http://u:p%40@h:80/@x", "http://h:80/@x"), ("http://u:p@w@h/", "http://h/"),
        ("/x?access_token=s&page=2", "/x?access_token=***&page=2"),
        ("/x?ACCESS-TOKEN=s#f", "/x?ACCESS-TOKEN=***#f"), ("/x?%61pi_key=s", "/x?%61pi_key=***"),
        ("/x?pageToken=7&nextPageToken=8&token=s", "/x?pageToken=7&nextPageToken=8&token=***"),
        ("/cb#access_token=s&state=1", "/cb#access_token=***&state=1"),
        ("/#/route?access_token=s", "/#/route?access_token=***"), ("/#/a?code=s&b=c", "/#/a?code=***&b=c"),
        ("/#a=b?c&token=s", "/#a=b?c&token=***"), ("/x?#a#b", "/x?#a#b"),
        ("/x?key", "/x?key"), ("/x?X-Amz-Signature=s&X-Amz-Date=1", "/x?X-Amz-Signature=***&X-Amz-Date=1"),
        ("/login?next=https%3A%2F%2Fh%2F%3Faccess_token%3Ds&a=b", "/login?next=***&a=b"),
        ("/login?next=https%3A%2F%2Fu%3Ap%40h%2F", "/login?next=***"),
        ("/x?a=1;PHPSESSID=s;b=2", "/x?a=1;PHPSESSID=***;b=2"),
        ("/x;jsessionid=s?a=1", "/x;jsessionid=***?a=1"),
        ("/x?subscription-key=s&SAMLResponse=s", "/x?subscription-key=***&SAMLResponse=***"),
        ("/x?client_assertion=s&assertion=s", "/x?client_assertion=***&assertion=***"),
        ("/x?code_verifier=s&id_token_hint=s&otp=s", "/x?code_verifier=***&id_token_hint=***&otp=***"),
        ("/x?a=eyJhbGciOiJub25lIn0.e30.", "/x?a=***"),
        ("/x?a=http://u:p@h/", "/x?a=http://h/"), ("/x?name=password&value=s", "/x?name=password&value=***"),
        ("/x?a[1][value]=s&a[1][key]=pwd", "/x?a[1][value]=***&a[1][key]=pwd"),
        ("/x?name=tea&value=s", "/x?name=tea&value=s"), ("/x?a=%7B%22token%22%3A%22s%22%7D", "/x?a=***"),
        ("/x?a=eyJ0b2tlbiI6InMifQ", "/x?a=***"), ("/x?a=eyJ0ZWEiOiJzIn0", "/x?a=eyJ0ZWEiOiJzIn0"),
        ("/x?token=", "/x?token="), ("http://a/b/https://u:p@h/", "http://a/b/https://h/"),
        ("/x?a=https%3A%2F%2Fh%2F%3Fb%3Dhttps%253A%252F%252Fh%252F%253Ftoken%253Ds", "/x?a=***"),
        ("/login?next=https%3A%2F%2Fh%2F%3Fa%3Db", "/login?next=https%3A%2F%2Fh%2F%3Fa%3Db"),
    ])
    func `only the user info and secret values of a URL are masked`(url: String, shown: String) {
        #expect(Redaction.text(ofURL: url) == shown)
    }

    @Test func `a URL without a secret is not changed`() throws {
        let url = try #require(URL(string: "http://h/x?page=2#f"))
        #expect(Redaction.masked(url) == url)
        let secret = try #require(URL(string: "http://u:p@h/x?token=s"))
        #expect(Redaction.masked(secret)?.absoluteString == "http://h/x?token=***")
    }

    @Test(arguments: [
        ("Location", "/x?token=s", "/x?token=***"),
        (
            "Link", "<https://u:p@h/x?page=2&token=s>; rel=\"next\", </y>; rel=prev",
            "<https://h/x?page=2&token=***>; rel=\"next\", </y>; rel=prev"
        ),
        ("Refresh", "0; url=https://h/?token=s", "0; url=https://h/?token=***"),
        ("X-Forwarded", "Bearer abc-123", "Bearer ***"), ("X-Any", "eyJhbGciOiJub25lIn0.e30.", "***"),
        ("X-Next", "https://h/?sig=s", "https://h/?sig=***"),
        ("X-Set-Cookie", "a=b; Path=/", "a=***; Path=/"),
        ("WWW-Authenticate", "Bearer realm=\"api\", Basic realm=x", "Bearer realm=\"api\", Basic realm=x"),
    ])
    func `secrets in header values are masked`(name: String, value: String, shown: String) {
        #expect(Redaction.value(value, of: HTTPHeaders.Name(name)) == shown)
    }

    @Test(arguments: [
        (#"{"user":"u","password":"s"}"#, #"{"user":"u","password":"***"}"#),
        (#"{"password" : "a\"s" , "x":1}"#, #"{"password" : "***" , "x":1}"#),
        (#"{"client_secret":12345}"#, #"{"client_secret":0}"#),
        (#"{"a":[{"access_token":null}],"b":"password"}"#, #"{"a":[{"access_token":null}],"b":"password"}"#),
        (
            #"{"credentials":{"user":"s","list":["s",{"k":"s"}]},"c":1}"#,
            #"{"credentials":{"user":"***","list":["***",{"k":"***"}]},"c":1}"#
        ),
        (#"{"p\u0061ssword":"s"}"#, #"{"p\u0061ssword":"***"}"#),
        (#"{"password":"s"#, #"{"password":"***""#), (#"{"password":"#, #"{"password":"#),
        (#"{"next":"https:\/\/h\/?a=1&sig=s"}"#, #"{"next":"https://h/?a=1&sig=***"}"#),
        (#"{"a":"{\"token\":\"s\"}"}"#, #"{"a":"{\"token\":\"***\"}"}"#),
        (#"["Bearer abc-123"]"#, #"["Bearer ***"]"#),
        (#"["password","s"]"#, #"["password","s"]"#), ("no JSON", "no JSON"), ("", ""), ("\"\\", "\"\\"),
    ])
    func `only the values of secret JSON members are masked`(text: String, shown: String) {
        #expect(Redaction.text(text) == shown)
    }

    @Test(arguments: [
        "http://u:p%20ssword@h/", "<a href='http://u:p%20ssword@h/'>",
        "/?a=http%3A%2F%2Fu%3Ap%2520ssword%40h%2F",
        #"{"a": "see http://u:p%20ssword@h/"}"#,
    ])
    func `the password of a URL in any text is collected`(text: String) {
        var scrubber = SecretScrubber()
        #expect(!scrubber.masked(message: text).contains("ssword"))
        #expect(scrubber.collected.contains("p ssword"))
    }

    @Test(arguments: [
        #"{"authorization": "Bearer a1b2c3"}"#, "Authorization: Basic dTphMWIyYzM=", "basic:dTphMWIyYzM=",
        #"{"secret": "{\"token\": \"a1b2c3\"}"}"#, "/?a=%7B%22token%22%3A%22a1b2c3%22%7D",
    ])
    func `a secret in a secret is collected, too`(text: String) {
        var scrubber = SecretScrubber()
        _ = scrubber.masked(message: text)
        #expect(scrubber.collected.contains("a1b2c3"))
    }

    @Test(arguments: ["Token token=\"a1b2c3\"", "AWS4-HMAC-SHA256 Credential=a/b, Signature=a1b2c3"])
    func `the parts of a credential are collected`(value: String) {
        var scrubber = SecretScrubber()
        #expect(scrubber.masked(value, of: .authorization) == "***")
        #expect(scrubber.collected.contains("a1b2c3"))
    }

    @Test(arguments: [
        "no password=s3cr3t", "{'password': 's3cr3t'}", "{password: \"s3cr3t\"}", "Bearer s3cr3t",
    ])
    func `a text with the type of JSON is masked as text`(text: String) {
        var scrubber = SecretScrubber()
        let masked = scrubber.masked(Data(text.utf8), [.contentType: "application/json"])
        #expect(masked.map { String(decoding: $0, as: UTF8.self) } == text.replacing("s3cr3t", with: "***"))
    }

    @Test(arguments: ["; boundary=b", "; boundary=other", ""])
    func `fields of multipart parts are masked, and a part that another one names`(boundary: String) {
        func body(_ secret: String) -> String {
            let part = "Content-Disposition: form-data; name"
            return
                "--b\r\n\(part)=name\r\n\r\npwd\r\n--b\r\n\(part)=value\r\nX-Api-Key: \(secret)\r\n\r\n\(secret)\r\n--b--"
        }
        var scrubber = SecretScrubber()
        let masked = scrubber.masked(Data(body("s").utf8), [.contentType: "multipart/form-data\(boundary)"])
        #expect(masked.map { String(decoding: $0, as: UTF8.self) } == body("***"))
    }

    @Test(arguments: [
        (
            #"{"paging": {"a": 1, "token": "t"}, "token": "s"}"#,
            #"{"paging": {"a": 1, "token": "t"}, "token": "***"}"#
        ),
        (#"{"next_page": {"access_token": "s"}}"#, #"{"next_page": {"access_token": "***"}}"#),
        (#"{"paging": {"user": {"token": "s"}}}"#, #"{"paging": {"user": {"token": "***"}}}"#),
    ])
    func `in a JSON body, a token of an object about pages is shown, because it selects a page`(
        text: String, shown: String
    ) {
        var scrubber = SecretScrubber()
        let masked = scrubber.masked(Data(text.utf8), [.contentType: "application/json"])
        #expect(masked.map { String(decoding: $0, as: UTF8.self) } == shown)
    }

    @Test func `the names of cookies are shown, and of further fields and members nothing`() {
        var rule = SecretRule.standard
        (rule.headers, rule.members) = (["X-Tenant"], ["eMail"])
        var scrubber = SecretScrubber(rule)
        #expect(scrubber.masked("theme=dark; sid=abcdefg", of: .cookie) == "theme=***; sid=***")
        #expect(scrubber.masked("acme", of: "x-tenant") == "***")
        #expect(scrubber.masked(message: "/?email=a&e-mail=b") == "/?email=***&e-mail=b")
        #expect(
            scrubber.masked(message: #"{"email": 7, "a": {"email": ["a"]}}"#)
                == #"{"email": 0, "a": {"email": ["***"]}}"#)
        #expect(scrubber.collected == ["abcdefg", "acme", "a"])
    }

    @Test func `dump shows no secrets of headers and queries`() {
        let headers: HTTPHeaders = [.authorization: "Bearer hidden", .accept: "text/plain"]
        let query: QueryItems = ["token": "hidden", "page": "2"]
        var text = ""
        dump(headers, to: &text)
        dump(query, to: &text)
        #expect(!text.contains("hidden"))
        #expect(text.contains("text/plain"))
        #expect(text.contains("page=2"))
    }

    @Test func `all short texts are masked without a trap`() {
        let characters = Array("A1:/T@=é")
        var texts = [""]
        for _ in 0..<4 {
            texts = texts.flatMap { text in characters.map { text + [$0] } }
            for text in texts { #expect(Redaction.text(text).isEmpty == text.isEmpty) }
        }
    }

    @Test func `text with deeply nested secrets is masked in linear time`() {
        for part in [
            "a=", "?a=", "[\"", "\\\"[", "eyJ", "eyJ.", "a=%25", "Bearer ", ";", "#?", "<a ", "\\",
            "token=\"\\", "a\\\"", "<a b=\"",
            "a://", "://@", "{\"name\":",
            "\"value\":1,", "-----BEGIN ", "-----BEGIN PRIVATE KEY-----", "token: ", "a=b,", "AKIA",
            "password=\"", "'a':", "://a:b", "<a name=pwd>", "<key>pwd</key>", "Cookie: ", "a%3D",
            "data:,eyJ", "= ",
        ] {
            let text = String(repeating: part, count: 150)
            #expect(!Redaction.text(text).isEmpty)
            #expect(!Redaction.text(ofURL: text).isEmpty)
        }
    }
}
