import Foundation
import Testing

@testable import RESTClient

/// URLs from text, with and without a base URL.
@Suite struct BaseURLTests {
    @Test(arguments: [
        ("users/7", "https://api.example/v2/users/7"), ("/users/7", "https://api.example/v2/users/7"),
        ("users?page=2", "https://api.example/v2/users?page=2"), ("", "https://api.example/v2"),
        ("/", "https://api.example/v2/"), ("?page=2", "https://api.example/v2?page=2"),
        ("//other.example/x", "https://api.example/v2/other.example/x"),
        ("https://other.example/x", "https://other.example/x"),
        ("HTTP://other.example", "HTTP://other.example"),
        (" users/green tea ", "https://api.example/v2/users/green%20tea"),
        ("teas/grün%20x", "https://api.example/v2/teas/gr%C3%BCn%20x"),
    ])
    func `a path is appended to the base URL`(text: String, expected: String) throws {
        for base in ["https://api.example/v2", "https://api.example/v2/", "https://api.example/v2/?a=1#b"] {
            let url = try #require(URL(text: text, below: URL(string: base)))
            #expect(url.absoluteString == expected)
        }
    }

    @Test(arguments: ["not a url", "", "http//shop.example", "http://[shop"])
    func `a request with text that is not a URL fails when it is sent`(text: String) async throws {
        let request = SessionManager().request(text)
        let error = await #expect(throws: RESTClientError.self) { try await request.response() }
        guard case .invalidRequest? = error?.kind else { throw try #require(error) }
    }

    @Test func `a request without a scheme and without a base URL fails`() async throws {
        let request = SessionManager(baseURL: nil).request("users", query: ["a": 1])
        #expect(try await failure { try await request.response() }.kind == .invalidRequest(.missingURL))
        let list = MyRESTClient(url: "users", manager: SessionManager())
        let listError = try await failure { try await list.getAvailableItems() }
        #expect(listError.kind == .invalidRequest(.missingURL))
    }
}
