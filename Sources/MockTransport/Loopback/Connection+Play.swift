import Foundation

extension Connection {
    /// Writes each step when its time has come.
    func play(_ plan: ReplyPlan) async throws {
        for (index, step) in plan.steps.enumerated() {
            try Task.checkCancellation()
            switch step {
            case .wait(let duration):
                send()
                try await core.time.wait(for: duration)
            case .stall:
                send()
                try await core.time.stall()
            case .chunks(let source, let limit):
                send()
                try await pass(source, limit)
            case .passthrough:
                let reason = "Reply.passthrough answers in the process only; here it could but ask itself."
                _ = put(.failure(MockServerError(.unusableReply, reason)))
                return
            case .head, .chunk, .end, .broken, .failure:
                if put(step, before: plan.steps[(index + 1)...]) { return }
            }
        }
    }

    /// Writes chunks as they come, no faster than the client reads them.
    private func pass(_ source: Reply.Source, _ limit: Int?) async throws {
        let left = LockedState(limit ?? .max)
        do {
            try await Self.run(source) { chunk in
                try Task.checkCancellation()
                let part = left.withLock { left in
                    let part = chunk.prefix(left)
                    left -= part.count
                    return part
                }
                try await self.emit(part)
                if left.withLock({ $0 == 0 }) { throw Enough() }
            }
        } catch is Enough {}
    }

    private struct Enough: Error {}

    private func emit(_ chunk: Data) async throws {
        guard !put(.chunk(chunk)) else { throw CancellationError() }
        send()
        await room()
    }

    // What is not ours must not run on the loop.

    @concurrent private static func run(
        _ source: Reply.Source, _ emit: @escaping @Sendable (Data) async throws -> Void
    ) async throws {
        try await source(emit)
    }

    @concurrent static func reply(
        of handler: @Sendable (ReceivedRequest) async throws -> Reply, to request: ReceivedRequest
    ) async throws -> Reply {
        try await handler(request)
    }
}

extension MockServerError {
    /// What a client on a socket gets to read.
    var onTheWire: Reply {
        switch kind {
        case .unmatched, .exhausted: .text("\(description)\n", status: 501)
        default: .text("\(description)\n", status: 500)
        }
    }
}
