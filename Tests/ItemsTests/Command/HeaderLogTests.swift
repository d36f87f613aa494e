import Foundation
import MockTransport
import RESTClientTestSupport
import RESTClientTestingSupport
import Testing

@testable import items

/// The header fields in the log of `--verbose`.
@Suite(.hangLimit) struct HeaderLogTests {
    @Test(arguments: [
        "Basic bWU6c2VjcmV0LXBhc3N3b3Jk", "bWU6c2VjcmV0LXBhc3N3b3Jk", "password secret-password!", "key=k3y",
        "the key is k3y", "t0ken-in-the-query", "https://a.example/?x=t0ken-in-the-query", "c00kie-value",
        "id=c00kie-value; Path=/", "secret-in-json", "\"secret-in-json\"", "secret%2Din-json secret-in-json",
    ])
    func `a secret of the request that a response header repeats is masked`(value: String) async throws {
        let server = MockServer {
            Route(.any, "/list") {
                Reply.redirect(to: "http://b.example/other").header("X-Echo", value)
            }
            Route(.any) {
                Reply.json(["items": ["a"]]).header("X-Echo", value).header(.setCookie, "id=\(value)")
            }
        }
        for url in ["http://a.example/list", "http://a.example/any"] {
            let outcome = try await Outcome.of(
                "-v", "-u", "me:secret-password", "-H", "X-Api-Key: k3y", "-H",
                "Cookie: session=c00kie-value",
                "-d", #"{"password": "secret-in-json"}"#, "-X", "PUT", "\(url)?token=t0ken-in-the-query",
                server: server)
            #expect(outcome.messages.contains("X-Echo: "))
            for secret in [
                "bWU6c2VjcmV0LXBhc3N3b3Jk", "secret-password", "k3y", "t0ken-in", "c00kie-value",
                "secret-in-json",
            ] {
                #expect(!outcome.messages.contains(secret), "\(outcome.messages)")
            }
        }
    }

    @Test func `control characters in a response header are escaped, and a long value is cut`() async throws {
        let server = MockServer {
            Route(.any) {
                Reply.json(["items": ["a"]]).header("X-A", "\u{9B}2J\u{202E}")
                    .header("X-B", String(repeating: "x", count: 500))
            }
        }
        let outcome = try await Outcome.of("-v", "http://a.example/", server: server)
        #expect(outcome.messages.contains(#"items:   X-A: \u009b2J\u202e"#))
        #expect(outcome.messages.contains("items:   X-B: \(String(repeating: "x", count: 200))…\n"))
    }

    // The fields that URLSession adds are known on Linux only, so the other arm is empty.
    #if canImport(FoundationNetworking)
    @Test(arguments: [[], ["-d", "{\"a\": 1}"], ["-H", "Accept-Language: de", "-u", "me:pw"]])
    func `all header fields that are sent are in the log`(arguments: [String]) async throws {
        let server = try RawServer { _ in RawResponse.reply(RawResponse.list) }
        let run = try await Program.items(["-v"] + arguments, at: try server.url("/x"))
        let request = try #require(server.requests.first)
        let head = request.components(separatedBy: "\r\n\r\n")[0].components(separatedBy: "\r\n").dropFirst()
        let sent = head.filter { !$0.hasPrefix("Authorization:") }.sorted()
        let log = run.messages.components(separatedBy: "items: 200 OK")[0].split(separator: "\n")
        let shown = log.filter { $0.hasPrefix("items:   ") }.map { String($0.dropFirst(9)) }
        #expect(shown.filter { !$0.hasPrefix("Authorization:") }.sorted() == sent, "\(run.messages)")
        #expect(head.contains { $0.hasPrefix("Authorization:") } == shown.contains("Authorization: ***"))
    }
    #endif
}
