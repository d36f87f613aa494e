import Foundation
import RESTClientHTTP
import Testing

@Suite struct RedactionTests {
    @Test(arguments: [
        "Authorization", "proxy-authorization", "Cookie", "Set-Cookie", "X-Api-Key", "X-Auth-Token",
        "X-Auth-Key", "Private-Token", "X-Vault-Token", "X-Shopify-Access-Token", "Ocp-Apim-Subscription-Key",
        "X-Functions-Key", "X-Amz-Security-Token", "X-Authorization", "X-CSRF-Token", "X-Auth",
        "X-Session-Id", "DPoP", "X-GitHub-OTP", "X-Amzn-Remapped-Authorization",
    ])
    func `a header with a credential is masked`(name: String) {
        #expect(Redaction.value("tea", of: HTTPHeaders.Name(name)) == "***")
    }

    @Test(arguments: [
        "Accept", "Content-Type", "ETag", "Idempotency-Key", "X-Request-Id", "X-Next-Page-Token",
        "User-Agent",
        "X-Author", "WWW-Authenticate",
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
        ("a eyJhbGciOiJub25lIn0.xyz b", "a *** b"),
    ])
    func `credentials in text are recognized by their form`(text: String, shown: String) {
        #expect(Redaction.text(text) == shown)
    }

    @Test(arguments: [
        ("{\"password\"\n\t: \r\"s\"}", "{\"password\"\n\t: \r\"***\"}"),
        (#"{"session_id": 7}"#, #"{"session_id": 7}"#),
        (#"{"pin_password": 7}"#, #"{"pin_password": 0}"#),
        (#"{"code": "abcdefgh1234567"}"#, #"{"code": "abcdefgh1234567"}"#),
        (#"{"code": "abcdefgh12345678"}"#, #"{"code": "***"}"#),
    ])
    func `a recording masks strings and numbers that are probably secret`(text: String, shown: String) {
        #expect(Redaction.readableJSON(text) { _ in } == shown)
    }

    @Test(arguments: [
        ("http://u:p@h/x?a=1", "http://h/x?a=1"), ("http://u@h", "http://h"), ("//u:p@h/x", "//h/x"),
        ("http://u:p%40@h:80/@x", "http://h:80/@x"), ("http://u:p@w@h/", "http://h/"),
        ("/x?access_token=s&page=2", "/x?access_token=***&page=2"),
        ("/x?ACCESS-TOKEN=s#f", "/x?ACCESS-TOKEN=***#f"), ("/x?%61pi_key=s", "/x?%61pi_key=***"),
        ("/x?pageToken=7&nextPageToken=8&token=s", "/x?pageToken=7&nextPageToken=8&token=***"),
        ("/cb#access_token=s&state=1", "/cb#access_token=***&state=1"),
        ("/#/route?access_token=s", "/#/route?access_token=***"), ("/x?#a#b", "/x?#a#b"),
        ("/x?key", "/x?key"), ("/x?X-Amz-Signature=s&X-Amz-Date=1", "/x?X-Amz-Signature=***&X-Amz-Date=1"),
        ("/login?next=https%3A%2F%2Fh%2F%3Faccess_token%3Ds&a=b", "/login?next=***&a=b"),
        ("/login?next=https%3A%2F%2Fu%3Ap%40h%2F", "/login?next=***"),
        ("/x?a=1;PHPSESSID=s;b=2", "/x?a=1;PHPSESSID=***;b=2"),
        ("/x;jsessionid=s?a=1", "/x;jsessionid=***?a=1"),
        ("/x?subscription-key=s&SAMLResponse=s", "/x?subscription-key=***&SAMLResponse=***"),
        ("/x?client_assertion=s&assertion=s", "/x?client_assertion=***&assertion=***"),
        ("/x?code_verifier=s&id_token_hint=s&otp=s", "/x?code_verifier=***&id_token_hint=***&otp=***"),
        ("/x?a=eyJhbGciOiJub25lIn0.e30.", "/x?a=***"),
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
        ("WWW-Authenticate", "Bearer realm=\"api\", Basic realm=x", "Bearer realm=\"api\", Basic realm=x"),
    ])
    func `secrets in header values are masked`(name: String, value: String, shown: String) {
        #expect(Redaction.value(value, of: HTTPHeaders.Name(name)) == shown)
    }

    @Test(arguments: [
        (#"{"user":"u","password":"s"}"#, #"{"user":"u","password":"***"}"#),
        (#"{"password" : "a\"s" , "x":1}"#, #"{"password" : "***" , "x":1}"#),
        (#"{"client_secret":12345}"#, #"{"client_secret":"***"}"#),
        (#"{"a":[{"access_token":null}],"b":"password"}"#, #"{"a":[{"access_token":"***"}],"b":"password"}"#),
        (#"{"credentials":{"user":"s","list":["s",{"k":"s"}]},"c":1}"#, #"{"credentials":"***","c":1}"#),
        (#"{"p\u0061ssword":"s"}"#, #"{"p\u0061ssword":"***"}"#),
        (#"{"password":"s"#, #"{"password":"***""#), (#"{"password":"#, #"{"password":"***""#),
        (#"{"next":"https:\/\/h\/?a=1&sig=s"}"#, #"{"next":"https://h/?a=1&sig=***"}"#),
        (#"{"a":"{\"token\":\"s\"}"}"#, #"{"a":"{\"token\":\"***\"}"}"#),
        (#"["Bearer abc-123"]"#, #"["Bearer ***"]"#),
        (#"["password","s"]"#, #"["password","s"]"#), ("no JSON", "no JSON"), ("", ""), ("\"\\", "\"\\"),
    ])
    func `only the values of secret JSON members are masked`(text: String, shown: String) {
        #expect(Redaction.json(text) == shown)
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

    @Test func `text with deeply nested secrets is masked in linear time`() {
        for part in ["a=", "?a=", "[\"", "\\\"[", "eyJ", "eyJ.", "a=%25", "Bearer ", ";", "#?"] {
            let text = String(repeating: part, count: 20_000)
            #expect(!Redaction.text(text).isEmpty)
            #expect(!Redaction.json(text).isEmpty)
            #expect(!Redaction.text(ofURL: text).isEmpty)
        }
    }
}
