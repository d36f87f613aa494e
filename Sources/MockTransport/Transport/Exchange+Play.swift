import Foundation

extension Exchange {
    /// Tells the client of each step when its time has come.
    func play(_ plan: ReplyPlan, to request: ReceivedRequest, _ time: ServerTime) async {
        var ready: [Event] = []
        do {
            for step in plan.steps {
                if let event = step.event(for: request.url) {
                    ready.append(event)
                    continue
                }
                post(ready)
                ready = []
                switch step {
                case .wait(let duration): try await time.wait(for: duration)
                case .stall: try await time.stall()
                case .chunks(let source, let limit): try await pass(source, limit)
                case .passthrough: return Passthrough.forward(self, body: request.body)
                case .head, .chunk, .end, .broken, .failure: break
                }
            }
        } catch {
            ready.append(.failure(error))
        }
        post(ready)
    }

    private func pass(_ source: Reply.Source, _ limit: Int?) async throws {
        struct Enough: Error {}
        var left = limit ?? .max
        do {
            try await source { chunk in
                try Task.checkCancellation()
                let part = chunk.prefix(left)
                left -= part.count
                post([.chunk(part)])
                await waitForRoom()
                if left == 0 { throw Enough() }
            }
        } catch is Enough {}
    }
}
