// Recipes: decoding, error bodies, lists in other places, and tests of them.

import Foundation
import RESTClient

struct Ticket: Decodable, Sendable {
    var title: String
    var createdAt: Date
}

func makeTicketManager(_ configuration: URLSessionConfiguration = .ephemeral) -> SessionManager {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.keyEncodingStrategy = .convertToSnakeCase
    return SessionManager(
        baseURL: URL(string: "https://api.example.com/v2"), configuration: configuration,
        options: RequestOptions(decoder: decoder, encoder: encoder, errorType: APIError.self))
}
// snippet.hide

func tickets(_ manager: SessionManager) async throws -> [Ticket] {
    // snippet.show
    let tickets = try await MyRESTClient(url: "tickets", manager: manager).getAvailableItems(as: Ticket.self)
    // snippet.hide
    return tickets
}

// snippet.show
enum APIError: Error, Decodable, Equatable {
    case outOfCredit(balance: Int)
    case other(code: String)

    private enum Key: CodingKey { case code, balance }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Key.self)
        switch try members.decode(String.self, forKey: .code) {
        case "out_of_credit": self = .outOfCredit(balance: try members.decode(Int.self, forKey: .balance))
        case let code: self = .other(code: code)
        }
    }
}
// snippet.hide

func order(_ manager: SessionManager) async throws -> String {
    // snippet.show
    do {
        try await manager.request("orders", method: .post, body: .json(["item": "tea"])).response()
    } catch let error as RESTClientError {
        if let problem = error.underlying as? APIError { return "refused: \(problem)" }
        if error.isTransportFailure { return "try again later" }
        throw error
    }
    // snippet.hide
    return "ordered"
}

func search(_ manager: SessionManager) async throws -> [Ticket] {
    // snippet.show
    let search =
        manager
        .request("search", method: .post, headers: ["X-Tenant": "7"], body: .json(["query": "tea"]))
        .timeout(.seconds(30))
    let found = try await MyRESTClient(search, listing: ItemListing(at: .root))
        .getAvailableItems(as: Ticket.self)
    // snippet.hide
    return found
}

// snippet.show
protocol TicketSource: Sendable {
    func tickets() -> ItemSequence<Ticket>
}

struct TicketAPI: TicketSource {
    let manager: SessionManager

    func tickets() -> ItemSequence<Ticket> {
        MyRESTClient(url: "tickets", manager: manager).items(as: Ticket.self)
    }
}

struct PreviewTickets: TicketSource {
    func tickets() -> ItemSequence<Ticket> {
        ItemSequence(
            [Ticket(title: "Tea is cold", createdAt: .now)], throwing: RESTClientError(.timedOut(.idle)))
    }
}
