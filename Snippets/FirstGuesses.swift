// Common tasks, as a new user writes them from the index of the documentation. The tests run them.

import Foundation
import RESTClient

// snippet.hide
struct User: Codable, Equatable, Sendable {
    var name: String
}

struct APIProblem: Decodable, Error, Equatable {
    var code: String
}

/// Twenty tasks. Each function sends its requests with `manager`, whose base URL is `https://api.example.com/v2`.
struct FirstGuesses {
    let manager: SessionManager
    let url: URL

    func modelFromURL() async throws -> User { try await manager.request(url).decode(User.self) }

    func modelFromText() async throws -> User {
        try await manager.request("https://api.example.com/v2/user").decode(User.self)
    }

    func modelFromPath() async throws -> User { try await manager.request("user").decode() }

    func query() async throws -> [User] {
        try await manager.request("search", query: ["q": "tea", "page": 2, "archived": false]).decode()
    }

    func queryFromVariables(_ words: [String: String], page: Int, sort: String?) -> [URL?] {
        [
            manager.request(url, query: QueryItems(words)),
            manager.request(url, query: QueryItems([URLQueryItem(name: "q", value: "tea")])),
            manager.request(url, query: ["page": page, "sort": sort]),
            manager.request(url, query: QueryItems(["page": page, "sort": sort] as [String: (any LosslessStringConvertible)?])),
            manager.request(url, query: QueryItems(["q": "tea", "page": page] as [String: any LosslessStringConvertible])),
        ].map(\.urlRequest.url)
    }

    func headersFromVariable(_ fields: [String: String]) -> DataRequest {
        manager.request(url, headers: HTTPHeaders(fields))
    }

    func post(_ new: User) async throws -> User {
        try await manager.request("user", method: .post, body: .json(new)).decode()
    }

    func list(_ decoder: JSONDecoder) async throws -> [User] {
        try await MyRESTClient(url: "users", manager: manager, listing: ItemListing(decoder: decoder))
            .getAvailableItems(as: User.self)
    }

    func listOfExpectedType() async throws -> [User] {
        let client = MyRESTClient(url: "users", manager: manager)
        var users: [User] = try await client.getAvailableItems()
        let items: ItemSequence<User> = client.items()
        for try await user in items { users.append(user) }
        let pages: PageSequence<User> = client.pages()
        for try await page in pages { users += page.items }
        return try await users + client.getAvailableItems()
    }

    func upload(_ file: URL) async throws {
        let parts = [RequestBody.Part("title", "Tea"), RequestBody.Part("photo", .file(file))]
        try await manager.request("photos", method: .post, body: .multipart(parts)).response()
    }

    func valueAndHeaders() async throws -> (User, String?) {
        let response = try await manager.request("user").response(as: User.self)
        return (response.body, response.headers["ETag"])
    }

    func errorBody() async throws -> APIProblem? {
        do {
            try await manager.request("missing").response()
            return nil
        } catch let error as RESTClientError {
            return try error.decode(APIProblem.self)
        }
    }

    func completion(_ decoder: JSONDecoder, _ done: @escaping @Sendable (String?) -> Void) {
        manager.request("user").decode(User.self, using: decoder) { result in done(try? result.get().name) }
        manager.request("user").string { result in done(try? result.get()) }
        manager.request("user").data { result in done((try? result.get().count).map { "\($0)" }) }
        MyRESTClient(url: "users", manager: manager).getAvailableItems(as: User.self) { users in
            done(users?.first?.name)
        }
    }

    func downloadWithProgress(to file: URL) async throws {
        try await manager.request("photo").progress { print($0.fractionCompleted) }.download(to: file)
    }

    func updated(since tag: String?) -> DataRequest {
        manager.request("user", headers: [.ifNoneMatch: tag])
    }

    func delete() async throws { try await manager.request("user", method: .delete).response() }

    func download(to file: URL) async throws { try await manager.request("photo").download(to: file) }

    func interceptors() async throws -> User {
        let stamp = ClosureInterceptor { request, next in
            var request = request
            request.setValue("1", forHTTPHeaderField: "X-Stamp")
            return try await next(request)
        }
        return try await manager.request("user").interceptors([stamp, .retry()]).decode()
    }
}

/// A manager with everything that is set for a whole app.
func makeManager(_ configuration: URLSessionConfiguration) -> SessionManager {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return SessionManager(
        baseURL: URL(string: "https://api.example.com/v2"), configuration: configuration,
        interceptors: [RetryPolicy(maxAttempts: 3), Authenticator(.bearer("secret"))],
        options: RequestOptions(
            timeouts: Timeouts(idle: .seconds(10), total: .seconds(60)), decoder: decoder,
            errorType: APIProblem.self))
}

/// The source of the users of a view model, which a fake replaces in tests.
protocol UserSource: Sendable {
    func users() -> ItemSequence<User>
    func page() async throws -> ItemPage<User>
}

struct FakeUsers: UserSource {
    var names = ["Ann", "Bob"]

    func users() -> ItemSequence<User> {
        ItemSequence(names.map(User.init), throwing: RESTClientError(.status(503)))
    }

    func page() async throws -> ItemPage<User> {
        guard let url = URL(string: "https://api.example.com/v2/users") else {
            throw RESTClientError(.status(404))
        }
        return ItemPage(items: names.map(User.init), info: PageInfo(url: url, itemCount: names.count))
    }
}
