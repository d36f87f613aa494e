import Foundation

extension Connection {
    /// Writes each step at its time.
    func play(_ plan: ReplyPlan) async throws {
        for (index, step) in plan.steps.enumerated() {
            try Task.checkCancellation()
            switch step {
            case .wait(let duration):
                flush()
                try await core.clock.wait(for: duration)
            case .stall:
                flush()
                try await core.clock.waitForever()
            case .stream(let source):
                flush()
                try await ReplyPlan.run(source) { try await self.write($0) }
            case .passthrough:
                _ = write(.failure(MockServerError(.unusableReply(.passthroughOverLoopback))))
                return
            case .head, .chunk, .end, .connectionFailure, .failure:
                if write(step, before: plan.steps[(index + 1)...]) { return }
            }
        }
    }

    /// Writes a chunk and waits until there is space for the next one.
    private func write(_ chunk: Data) async throws {
        guard !write(.chunk(chunk)) else { throw CancellationError() }
        flush()
        await waitForSpace()
    }

    /// Runs a handler outside the event loop.
    @concurrent static func reply(
        of handler: @Sendable (ReceivedRequest) async throws -> Reply, to request: ReceivedRequest
    ) async throws -> Reply {
        try await handler(request)
    }
}

extension MockServerError {
    /// The error as a response for a client on a socket.
    var loopbackReply: Reply {
        switch kind {
        case .unmatched, .exhausted: .text("\(description)\n", status: 501)
        default: .text("\(description)\n", status: 500)
        }
    }
}
