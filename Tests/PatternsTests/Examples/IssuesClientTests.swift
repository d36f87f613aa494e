import Foundation
import MockTransport
import MockTransportTesting
import RESTClient
import Testing

@Suite(.mocked) struct IssuesClientTests {
    private let clock = VirtualClock()

    private func client(_ server: MockServer) throws -> IssuesClient {
        IssuesClient(
            api: try #require(URL(string: "https://api.github.com")), token: "t0ken",
            configuration: server.configuration, clock: clock)
    }

    private func issue(_ number: Int, state: String = "open") -> JSONLiteral {
        [
            "number": .value(number), "title": "Too hot", "state": .value(state), "user": ["login": "ann"],
            "created_at": "2024-02-29T12:30:45Z", "closed_at": nil,
        ]
    }

    @Test func `the issues of all pages are listed`() async throws {
        let issues = (1...250).map { issue($0) }
        let server = MockServer {
            Route(
                .get, "https://api.github.com/repos/tea/pot/issues", .query("state", "open"),
                .query("labels", "bug,hot"), .header("Authorization", "Bearer t0ken"),
                .header("X-GitHub-Api-Version", "2022-11-28"),
                list: PagedList(of: issues, by: .github, at: .root)
            ).called(3)
        }
        var found: [IssuesClient.Issue] = []
        for try await issue in try client(server).issues(in: "tea/pot", state: .open, labels: ["bug", "hot"])
        {
            found.append(issue)
        }
        #expect(found.map(\.number) == Array(1...250))
        #expect(
            found.first
                == IssuesClient.Issue(
                    number: 1, title: "Too hot", state: .open, user: .init(login: "ann"),
                    createdAt: Date(timeIntervalSince1970: 1_709_209_845)))
    }

    @Test func `an issue is created and closed`() async throws {
        let server = MockServer {
            Route(
                .post, "/repos/tea/pot/issues",
                .body(json: ["title": "Too hot", "body": "Ouch", "issue_type": "Bug"])
            ) {
                Reply.json(issue(7), status: 201)
            }
            Route(.patch, "/repos/tea/pot/issues/7", .body(json: ["state": "closed"])) {
                Reply.json(issue(7, state: "closed"))
            }
        }
        let client = try client(server)
        let created = try await client.create(
            .init(title: "Too hot", body: "Ouch", issueType: "Bug"), in: "tea/pot")
        #expect(created.number == 7)
        #expect(try await client.close(7, in: "tea/pot").state == .closed)
    }

    @Test(
        arguments: [
            (
                [
                    "message": "Validation Failed",
                    "errors": [["resource": "Issue", "code": "missing_field", "field": "title"]],
                ], 422, .invalid(fields: ["title"])
            ),
            (
                ["message": "Issues are disabled for this repo"], 410,
                .refused(message: "Issues are disabled for this repo")
            ),
        ] as [(JSONLiteral, HTTPStatus, IssuesClient.Failure)])
    func `a refused issue is an error of the client`(
        body: JSONLiteral, status: HTTPStatus, expected: IssuesClient.Failure
    ) async throws {
        let server = MockServer {
            Route(.post, "/repos/tea/pot/issues") { Reply.json(body, status: status) }
        }
        let client = try client(server)
        let error = await #expect(throws: RESTClientError.self) {
            try await client.create(.init(title: ""), in: "tea/pot")
        }
        #expect(error?.underlying as? IssuesClient.Failure == expected)
        #expect(error?.kind == .status(status))
    }

    @Test func `a list is requested again after a failure`() async throws {
        let server = MockServer(clock: clock) {
            Route(.get, "/repos/tea/pot/issues") {
                Reply.fault(.reset(.beforeHead))
                Reply.status(503).header(.retryAfter, "20")
                Reply.json([issue(1)])
            }
        }
        var count = 0
        for try await _ in try client(server).issues(in: "tea/pot") { count += 1 }
        #expect(count == 1)
        let times = server.requests.map(\.time)
        #expect(try #require(times.last) - times[1] == .seconds(20))
    }

    @Test func `an issue is not created twice`() async throws {
        let server = MockServer {
            Route(.post, "/repos/tea/pot/issues") { Reply.status(503) }.called(1)
        }
        let client = try client(server)
        await #expect(throws: RESTClientError.self) {
            try await client.create(.init(title: "Too hot"), in: "tea/pot")
        }
    }
}
