import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Plays the steps of a reply to a session of this process.
struct Player: Sendable {
    let exchange: Exchange
    let request: ReceivedRequest
    let time: ServerTime

    /// What to tell the client of a plan that is immediate.
    func events(of plan: ReplyPlan) -> [Exchange.Event] { plan.steps.compactMap(event) }

    /// Tells the client of each step when its time has come.
    func play(_ plan: ReplyPlan) async {
        var ready: [Exchange.Event] = []
        do {
            for step in plan.steps {
                if let event = event(of: step) {
                    ready.append(event)
                    continue
                }
                exchange.post(ready)
                ready = []
                switch step {
                case .wait(let duration): try await time.wait(for: duration)
                case .stall: try await time.stall()
                case .chunks(let source, let limit): try await pass(source, limit)
                case .passthrough: return Passthrough.forward(exchange, body: request.body)
                case .head, .chunk, .end, .broken, .failure: break
                }
            }
        } catch {
            ready.append(.failure(error))
        }
        exchange.post(ready)
    }

    private func pass(_ source: Reply.Source, _ limit: Int?) async throws {
        struct Enough: Error {}
        var left = limit ?? .max
        do {
            try await source { chunk in
                try Task.checkCancellation()
                let part = chunk.prefix(left)
                left -= part.count
                exchange.post([.chunk(part)])
                if left == 0 { throw Enough() }
            }
        } catch is Enough {}
    }

    private func event(of step: ReplyPlan.Step) -> Exchange.Event? {
        switch step {
        case .head(let head): response(head)
        case .chunk(let data): .chunk(data)
        case .end: .end
        case .broken(let kind): .failure(kind.error(for: request.url))
        case .failure(let error): .failure(error)
        case .wait, .stall, .chunks, .passthrough: nil
        }
    }

    /// Fields of one name are joined, as URLSession does with those from a socket.
    private func response(_ head: ReplyPlan.Head) -> Exchange.Event {
        var fields: [String: String] = [:]
        var names: Set<HTTPHeaders.Name> = []
        for (name, _) in head.headers where names.insert(name).inserted {
            fields[name.rawValue] = head.headers[name]
        }
        let response = HTTPURLResponse(
            url: request.url, statusCode: head.status.rawValue, httpVersion: "HTTP/1.1", headerFields: fields)
        guard let response else {
            return .failure(
                MockServerError(.unusableReply, "the platform makes no response of status \(head.status)"))
        }
        return .head(response)
    }
}
