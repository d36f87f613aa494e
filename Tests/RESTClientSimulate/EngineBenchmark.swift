// The engine for Linux, where URLSession is built on libcurl. Apple platforms need none.
#if canImport(FoundationNetworking)
import Foundation
import RESTClientHTTP
import RESTClientPlatform

/// Measures the engine without a URLSession: `RESTClientSimulate --engine-rate URL REQUESTS IN_FLIGHT` prints the elapsed time and
/// the processor time in seconds.
struct EngineBenchmark {
    let url: String
    let requests: Int
    let inFlight: Int
    private let pool = ConnectionPool(maxConnectionsPerHost: 64)

    func run() async {
        await send(requests / 4)
        let (start, processorStart) = (ContinuousClock.now, clock())
        await send(requests)
        let time = (ContinuousClock.now - start) / .seconds(1)
        print(time, Double(clock() - processorStart) / Double(CLOCKS_PER_SEC))
    }

    private func send(_ count: Int) async {
        await withTaskGroup { group in
            for _ in 0..<inFlight {
                group.addTask {
                    for _ in 0..<count / inFlight {
                        let (status, body) = await Reply.get(url, from: pool)
                        guard status == 200, !body.isEmpty else {
                            print("the server did not send a document")
                            exit(1)
                        }
                    }
                }
            }
        }
    }
}

/// The reply of one transfer.
private final class Reply: TransferHandler {
    private struct State {
        var status = 0
        var body = Data()
        var caller: CheckedContinuation<Void, Never>?
    }

    private let state = LockedState(State())

    static func get(_ url: String, from pool: ConnectionPool) async -> (status: Int, body: Data) {
        let reply = Reply()
        await withCheckedContinuation { caller in
            reply.state.withLock { $0.caller = caller }
            _ = pool.start(TransferRequest(url: url), reply)
        }
        return reply.state.withLock { ($0.status, $0.body) }
    }

    func transferDidReceive(_ head: ReceivedHead) { state.withLock { $0.status = head.status } }

    func transferDidReceive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        state.withLock { $0.body.append(contentsOf: bytes) }
        return true
    }

    func transferDidEnd(_ failure: TransferFailure?) {
        state.withLock { $0.caller.take() }?.resume()
    }
}
#endif
