// Support for the tests of the engine for Linux. Apple platforms need none.
#if canImport(FoundationNetworking)
import Foundation
import RESTClientHTTP
import RESTClientTestSupport

@testable import RESTClientPlatform

/// The events that a transfer has reported.
struct TransferRecord: Sendable {
    var head: ReceivedHead?
    var body = Data()
    /// The number of times that bytes were not accepted.
    var refusals = 0
    var sent: Int64 = 0
    var hasBegun = false
    var endCount = 0
    var failure: TransferFailure?

    var hasEnded: Bool { endCount > 0 }
    var text: String { String(decoding: body, as: UTF8.self) }
    func value(_ name: String) -> String? { head?.fields.first { $0.name == name }?.value }
}

/// Records the events of a transfer.
final class Recorder: TransferHandler {
    private struct Waiter {
        var condition: @Sendable (TransferRecord) -> Bool
        var continuation: CheckedContinuation<TransferRecord, Never>
    }

    private struct State {
        var record = TransferRecord()
        var waiters: [Waiter] = []
    }

    private let state = LockedState(State())
    private let keeps: Bool
    private let accepts: @Sendable (TransferRecord) -> Bool

    /// - Parameters:
    ///   - keeps: `false` to discard the body.
    ///   - accepts: returns `false` to let the transfer wait.
    init(keeps: Bool = true, accepts: @escaping @Sendable (TransferRecord) -> Bool = { _ in true }) {
        (self.keeps, self.accepts) = (keeps, accepts)
    }

    var record: TransferRecord { state.withLock { $0.record } }

    /// Waits until the record meets a condition, such as that the transfer has ended, for at most a minute.
    @discardableResult func wait(
        until condition: @escaping @Sendable (TransferRecord) -> Bool = { $0.hasEnded }
    ) async -> TransferRecord {
        let deadline = DispatchTime.now() + 60
        return await withCheckedContinuation { continuation in
            state.withLock { state in
                state.waiters.append(
                    Waiter(
                        condition: { condition($0) || DispatchTime.now() >= deadline },
                        continuation: continuation))
            }
            resumeWaiters()
            DispatchQueue.global().asyncAfter(deadline: deadline) { [weak self] in self?.resumeWaiters() }
        }
    }

    private func resumeWaiters() {
        state.withLock { state in
            let index = state.waiters.partition { $0.condition(state.record) }
            for waiter in state.waiters[index...] { waiter.continuation.resume(returning: state.record) }
            state.waiters.removeSubrange(index...)
        }
    }

    private func update(_ change: (inout TransferRecord) -> Void) { state.withLock { change(&$0.record) } }

    func transferDidBegin() { update { $0.hasBegun = true } }
    func transferDidSend(total: Int64) { update { $0.sent = total } }
    func transferDidReceive(_ head: ReceivedHead) { update { $0.head = head } }

    func transferDidReceive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        state.withLock { state in
            guard accepts(state.record) else {
                state.record.refusals += 1
                return false
            }
            if keeps { state.record.body.append(contentsOf: bytes) }
            return true
        }
    }

    func transferDidEnd(_ failure: TransferFailure?) {
        update { record in
            record.endCount += 1
            record.failure = failure
        }
    }

    func transferDidUpdate(isAlone: Bool) { resumeWaiters() }
}

extension ConnectionPool {
    /// Performs a transfer to its end.
    func exchange(
        _ server: RawServer, _ path: String = "/", method: String = "GET",
        headers: [(name: String, value: String)] = [], body: TransferBody? = nil, isRepeatable: Bool = true
    ) async throws -> TransferRecord {
        let recorder = Recorder()
        let request = TransferRequest(
            url: try server.url(path).absoluteString, method: method, headers: headers, body: body,
            isRepeatable: isRepeatable)
        _ = start(request, recorder)
        return await recorder.wait()
    }
}
#endif
