import Foundation

extension Exchange {
    /// Tells the client of each step when its time has come.
    func play(_ plan: ReplyPlan, _ take: Take, _ time: ServerTime) async {
        var ready: [Event] = []
        do {
            for step in plan.steps {
                if let event = step.event(for: take.request.url) {
                    take.note(step: step, at: time.now)
                    ready.append(event)
                    continue
                }
                post(ready)
                ready = []
                switch step {
                case .wait(let duration): try await time.wait(for: duration)
                case .stall: try await time.stall()
                case .chunks(let source, let limit): try await pass(source, limit, take, time)
                case .passthrough(let cassette):
                    return Passthrough.forward(self, Tape(take: take, time: time, cassette: cassette))
                case .head, .chunk, .end, .broken, .failure: break
                }
            }
        } catch {
            take.note(.failure(error), at: time.now)
            ready.append(.failure(error))
        }
        post(ready)
    }

    private func pass(
        _ source: Reply.Source, _ limit: Int?, _ take: Take, _ time: ServerTime
    ) async throws {
        struct Enough: Error {}
        var left = limit ?? .max
        do {
            try await source { chunk in
                try Task.checkCancellation()
                let part = chunk.prefix(left)
                left -= part.count
                take.note(.chunk(part), at: time.now)
                post([.chunk(part)])
                await waitForRoom()
                if left == 0 { throw Enough() }
            }
        } catch is Enough {}
    }
}
