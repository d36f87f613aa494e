import Foundation
import MockTransport
import RESTClient
import Testing

/// Runs the first guesses, which are compiled without access to internals.
@Suite struct FirstGuessesTests {
    private func guesses(_ server: MockServer) throws -> FirstGuesses {
        FirstGuesses(
            manager: makeManager(server.configuration),
            url: try #require(URL(string: "https://api.example.com/v2/user")))
    }

    @Test func `query values are strings, numbers and Booleans`() async throws {
        let server = MockServer {
            Route(.get, "/v2/search", .query(["q": "tea", "page": "2", "archived": "false"])) {
                Reply.json([])
            }
        }
        #expect(try await guesses(server).query().isEmpty)
        let urls = try guesses(server).queryFromVariables(["b": "2", "a": "1"], page: 3, sort: nil)
        #expect(urls.map { $0?.query() } == ["a=1&b=2", "q=tea", "page=3", "page=3", "page=3&q=tea"])
    }

    @Test func `header fields are created from a dictionary`() throws {
        let request = try guesses(MockServer {}).headersFromVariable(["X-A": "1"])
        #expect(request.urlRequest.value(forHTTPHeaderField: "X-A") == "1")
        let tagged = try guesses(MockServer {}).updated(since: "7")
        #expect(tagged.urlRequest.value(forHTTPHeaderField: "If-None-Match") == "7")
        let untagged = try guesses(MockServer {}).updated(since: nil)
        #expect(untagged.urlRequest.value(forHTTPHeaderField: "If-None-Match") == nil)
    }

    @Test func `values are sent and received`() async throws {
        let server = MockServer {
            Route(.post, "/v2/user", .body(json: ["name": "Bob"])) {
                Reply.json(["name": "Bob"], status: 201)
            }
            Route(.get, "/v2/users", .header(.authorization, "Bearer secret")) {
                Reply.json(["items": [["name": "Cid"]]]).repeats()
            }
            Route(.get, "/v2/user") { Reply.json(["name": "Ann"]).header("ETag", "7").repeats() }
            Route(.delete, "/v2/user") { Reply.status(204) }
        }
        let guesses = try guesses(server)
        #expect(try await guesses.post(User(name: "Bob")).name == "Bob")
        #expect(try await guesses.list(JSONDecoder()).map(\.name) == ["Cid"])
        #expect(try await guesses.listOfExpectedType().map(\.name) == ["Cid", "Cid", "Cid", "Cid"])
        let (user, tag) = try await guesses.valueAndHeaders()
        #expect(user.name == "Ann" && tag == "7")
        #expect(try await guesses.interceptors().name == "Ann")
        #expect(server.requests.last?.headers["X-Stamp"] == "1")
        try await guesses.delete()
    }

    @Test func `a file has the media type of its name`() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).png")
        try Data("tea".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let server = MockServer {
            Route(.post, "/v2/photos") { Reply.status(204) }
            Route(.get, "/v2/photo") { Reply.text("milk").repeats() }
        }
        let guesses = try guesses(server)
        try await guesses.upload(file)
        let body = String(decoding: server.requests.last?.body ?? Data(), as: UTF8.self)
        #expect(body.contains("Content-Type: image/png"))
        #expect(body.contains("name=\"title\""))
        try await guesses.download(to: file)
        #expect(try String(contentsOf: file, encoding: .utf8) == "milk")
        try await guesses.downloadWithProgress(to: file)
    }

    @Test func `completion handlers receive values`() async throws {
        let server = MockServer {
            Route(.get, "/v2/users") { Reply.json(["items": [["name": "Cid"]]]) }
            Route(.get, "/v2/user") { Reply.json(["name": "Ann"]).repeats() }
        }
        let guesses = try guesses(server)
        let (results, continuation) = AsyncStream.makeStream(of: String?.self)
        guesses.completion(JSONDecoder()) { continuation.yield($0) }
        var seen: Set<String?> = []
        for await result in results.prefix(4) { seen.insert(result) }
        #expect(seen == ["Ann", "14", "Cid", #"{"name":"Ann"}"#])
    }

    @Test func `conditions of a route can be arrays`() async throws {
        let methods: [RequestMatcher] = [.put, .post]
        let conditions: [RequestMatcher] = [.anyOf(methods), "/v2/user", .header("X-A")]
        let server = MockServer {
            Route(conditions) { Reply.json(["name": "Ann"]) }
            Route([.get, "/v2/user"]) { request in .json(["name": .value(request.method.rawValue)]) }
        }
        let manager = makeManager(server.configuration)
        let post = manager.request("user", method: .post, headers: ["X-A": "1"])
        #expect(try await post.decode(User.self).name == "Ann")
        #expect(try await manager.request("user").decode(User.self).name == "GET")
    }

    @Test func `a fake returns items, pages and errors`() async throws {
        let fake: any UserSource = FakeUsers()
        var names: [String] = []
        let error = await #expect(throws: RESTClientError.self) {
            for try await user in fake.users() { names.append(user.name) }
        }
        #expect(error?.kind == .status(503))
        #expect(names == ["Ann", "Bob"])
        #expect(try await fake.page().items.count == 2)
        let empty = ItemSequence<User>([])
        for try await user in empty { Issue.record("\(user)") }
    }
}
