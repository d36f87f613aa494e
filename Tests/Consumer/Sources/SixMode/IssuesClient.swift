import Foundation
import RESTClient

/// A client for the issues of a repository, with the API of GitHub.
struct IssuesClient: Sendable {
    struct Issue: Decodable, Equatable, Sendable {
        enum State: String, Codable, Sendable { case open, closed }

        struct User: Decodable, Equatable, Sendable {
            var login: String
        }

        var number: Int
        var title: String
        var state: State
        var user: User
        var createdAt: Date
        var closedAt: Date?
    }

    struct NewIssue: Encodable, Sendable {
        var title: String
        var body: String?
        var issueType: String?
    }

    /// The error body of the API.
    enum Failure: Error, Decodable, Equatable {
        case invalid(fields: [String])
        case refused(message: String)

        private enum Key: CodingKey { case message, errors }
        private struct FieldError: Decodable { var field: String }

        init(from decoder: any Decoder) throws {
            let body = try decoder.container(keyedBy: Key.self)
            if let errors = try body.decodeIfPresent([FieldError].self, forKey: .errors) {
                self = .invalid(fields: errors.map(\.field))
            } else {
                self = .refused(message: try body.decode(String.self, forKey: .message))
            }
        }
    }

    private let manager: SessionManager

    init(
        api: URL, token: String, configuration: URLSessionConfiguration = .ephemeral,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        decoder.dateDecodingStrategy = .iso8601
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        manager = SessionManager(
            baseURL: api, configuration: configuration,
            interceptors: [
                .retry(),
                .bearer(token),
                .adapt { $0.setValue("2022-11-28", forHTTPHeaderField: "X-GitHub-Api-Version") },
            ],
            options: RequestOptions(decoder: decoder, encoder: encoder, errorType: Failure.self), clock: clock
        )
    }

    /// The issues, page by page as they are read.
    func issues(
        in repository: String, state: Issue.State? = nil, labels: [String] = []
    ) -> ItemSequence<Issue> {
        let request = manager.request(
            "repos/\(repository)/issues",
            query: [
                "state": state?.rawValue, "labels": labels.isEmpty ? nil : labels.joined(separator: ","),
                "per_page": 100,
            ])
        return MyRESTClient(request, listing: ItemListing(at: .root)).items()
    }

    func create(_ issue: NewIssue, in repository: String) async throws -> Issue {
        try await manager.request("repos/\(repository)/issues", method: .post, body: .json(issue)).decode()
    }

    func close(_ number: Int, in repository: String) async throws -> Issue {
        try await manager
            .request("repos/\(repository)/issues/\(number)", method: .patch, body: .json(["state": "closed"]))
            .decode()
    }
}
