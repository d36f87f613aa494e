import Foundation
import MockTransport
import RESTClient
import Testing

/// Runs the recipes of the documentation.
@Suite struct RecipesTests {
    @Test func `a list has dates and keys in snake case`() async throws {
        let server = MockServer {
            Route(.get, "https://api.example.com/v2/tickets") {
                Reply.json(["items": [["title": "Cold", "created_at": "2024-02-29T12:30:45Z"]]])
            }
        }
        let tickets = try await tickets(makeTicketManager(server.configuration))
        #expect(tickets.map(\.createdAt) == [Date(timeIntervalSince1970: 1_709_209_845)])
    }

    @Test func `an error body is an enum`() async throws {
        let server = MockServer {
            Route(.post, "/v2/orders") {
                Reply.json(["code": "out_of_credit", "balance": 30], status: 402)
                Reply.fault(.close(.beforeHead))
                Reply.status(201)
            }
        }
        let manager = makeTicketManager(server.configuration)
        #expect(try await order(manager) == "refused: outOfCredit(balance: 30)")
        #expect(try await order(manager) == "try again later")
        #expect(try await order(manager) == "ordered")
    }

    @Test func `a list is the body of a POST request`() async throws {
        let server = MockServer {
            Route(.post, "/v2/search", .header("X-Tenant", "7"), .body(json: ["query": "tea"])) {
                Reply.json([["title": "Cold", "created_at": "2024-02-29T12:30:45Z"]])
            }
        }
        #expect(try await search(makeTicketManager(server.configuration)).map(\.title) == ["Cold"])
    }

    @Test func `a fake source returns items and an error`() async throws {
        let source: any TicketSource = PreviewTickets()
        var titles: [String] = []
        let error = await #expect(throws: RESTClientError.self) {
            for try await ticket in source.tickets() { titles.append(ticket.title) }
        }
        #expect(titles == ["Tea is cold"])
        #expect(error?.kind == .timedOut(.idle))
    }
}
