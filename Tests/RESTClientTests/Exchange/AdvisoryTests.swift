import Foundation
import MockTransport
import RESTClient
import RESTClientTestingSupport
import Testing

/// Advisories about other clients: what they sent to a server that it was not for.
@Suite(.hangLimit) struct AdvisoryTests {
    struct Redirect: Sendable, CustomTestStringConvertible {
        let advisory: String
        let field: HTTPHeaders.Name
        let target: String

        init(_ advisory: String, _ field: HTTPHeaders.Name, _ target: String) {
            (self.advisory, self.field, self.target) = (advisory, field, target)
        }

        var testDescription: String { "\(advisory): \(field) to \(target)" }
    }

    @Test(arguments: [
        Redirect("CVE-2018-1000007", .authorization, "http://b.example/"),
        Redirect("CVE-2022-0155", .cookie, "http://b.example/"),
        Redirect("CVE-2022-27774", .authorization, "http://a.example:8080/"),
        Redirect("CVE-2022-27774", .cookie, "https://a.example:80/"),
        Redirect("CVE-2022-27776", .authorization, "http://a.example:8080/"),
        Redirect("CVE-2022-27776", .cookie, "http://a.example:8080/"),
        Redirect("CVE-2023-32681", "Proxy-Authorization", "https://b.example/"),
        Redirect("CVE-2024-37891", "Proxy-Authorization", "http://b.example/"),
        Redirect("CVE-2026-40895", "X-Api-Key", "http://b.example/"),
        Redirect("a host whose name has the first one as its end", "X-Api-Key", "http://b.a.example/"),
        Redirect("a host whose name has the first one as its start", "X-Api-Key", "http://a.example.b/"),
        Redirect("a user with the name of the host", "X-Api-Key", "http://b.example/http://a.example/"),
    ])
    func `a redirect to another origin sends no field of the request there`(redirect: Redirect) async throws {
        let server = MockServer {
            Route(.get, "http://a.example/first") { Reply.redirect(to: redirect.target) }
            Route(.any) { Reply.text("tea") }
        }
        let request = server.manager().request(
            "http://a.example/first", headers: [redirect.field: "secret"])
        #expect(try await request.string() == "tea")
        #expect(server.requests.map { $0.headers[redirect.field] } == ["secret", nil])
    }

    struct Entry: Sendable, CustomTestStringConvertible {
        let advisory: String
        let netrc: String
        let url: String

        init(_ advisory: String, _ netrc: String, _ url: String = "http://a.example/first") {
            (self.advisory, self.netrc, self.url) = (advisory, netrc, url)
        }

        var testDescription: String { advisory }
    }

    @Test(arguments: [
        Entry("CVE-2024-11053", "machine a.example login u password secret\nmachine b.example login v"),
        Entry("CVE-2024-11053", "machine a.example login u password secret\nmachine b.example"),
        Entry("CVE-2025-0167", "machine a.example login u password secret\ndefault"),
        Entry("CVE-2025-0167", "machine a.example login u password secret\ndefault login v"),
        Entry("CVE-2024-47081", "machine a.example login u password secret", "http://a.example:@b.example/"),
        Entry("CVE-2024-47081", "machine a.example login u password secret", "http://a.example@b.example/"),
    ])
    func `the password of a netrc entry is sent to its host only`(entry: Entry) async throws {
        let server = MockServer {
            Route(.get, "http://a.example/first") { Reply.redirect(to: "http://b.example/") }
            Route(.any) { Reply.text("tea") }
        }
        let file = FileManager.default.temporaryDirectory.appending(path: "netrc-\(UUID())")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(entry.netrc.utf8).write(to: file)
        let url = try #require(URL(string: entry.url))
        #expect(try await server.manager(.netrc(file)).request(url).string() == "tea")
        for request in server.requests {
            let credential = (request.headers[.authorization] ?? "").replacing("Basic ", with: "")
            let pair = String(decoding: Data(base64Encoded: credential) ?? Data(), as: UTF8.self)
            #expect(pair.hasSuffix(":secret") == (request.url.host() == "a.example"), "\(request)")
        }
        #expect(server.requests.last?.url.host() == "b.example")
    }
}
