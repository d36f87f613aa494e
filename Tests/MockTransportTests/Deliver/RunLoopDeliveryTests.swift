import Foundation
import RESTClientHTTP
import RESTClientTestingSupport
import Testing

@testable import MockTransport

/// The delivery of replies on Apple platforms, on a simulated run loop and in random order.
///
/// `make races` runs 100,000 of them (`INTERLEAVINGS=N swift test --filter RunLoopDelivery`).
@Suite struct RunLoopDeliveryTests {
    private static var count: UInt64 {
        ProcessInfo.processInfo.environment["INTERLEAVINGS"].flatMap { UInt64($0) } ?? 200
    }

    @Test(.hangLimit) func `every call reaches the client in time, once and in order`() async {
        let totals = await withCheckedContinuation { result in
            // Outside the thread pool of tasks, whose threads the run would block.
            Thread.detachNewThread {
                var totals = DeliveryRun.Totals()
                for seed in 0..<Self.count where totals.violations.count < 10 {
                    DeliveryRun(seed: seed).run(&totals)
                }
                result.resume(returning: totals)
            }
        }
        #expect(totals.violations.isEmpty, "\(totals.violations.joined(separator: "\n"))")
        // The interesting orders occur.
        let tenth = Int(Self.count / 10)
        #expect(totals.complete > tenth)
        #expect(totals.stoppedBeforeHead > tenth)
        #expect(totals.stoppedInBody > tenth / 4)
        #expect(totals.failedByServer > tenth / 4)
    }
}

/// A random order of some requests to a server, with cancelled requests and the deallocation of the server.
private final class DeliveryRun {
    struct Totals: Sendable {
        var complete = 0
        var stoppedBeforeHead = 0
        var stoppedInBody = 0
        var failedByServer = 0
        var violations: [String] = []
    }

    /// The protocol class of all runs, which are executed one after the other.
    private final class RunProtocol: MockURLProtocol {}

    private final class Load {
        let kind: DeliveryCase
        let client: CheckingClient
        var urlProtocol: MockURLProtocol?
        weak var released: MockURLProtocol?
        var isStopping = false

        init(_ kind: DeliveryCase, _ client: CheckingClient, _ urlProtocol: MockURLProtocol) {
            (self.kind, self.client, self.urlProtocol, released) = (kind, client, urlProtocol, urlProtocol)
        }
    }

    private let seed: UInt64
    private let model: DeliveryModel
    private let core: ServerCore
    private var loads: [Load] = []
    private var isServerOpen = true

    init(seed: UInt64) {
        self.seed = seed
        model = DeliveryModel(seed: seed)
        core = ServerCore(
            router: Router(DeliveryCase.routes(model)), clock: model.clock, conditions: .none,
            work: model.deliveryWork)
    }

    func run(_ totals: inout Totals) {
        ProtocolRegistry.shared.setServer(core, of: RunProtocol.self)
        defer { ProtocolRegistry.shared.setServer(nil, of: RunProtocol.self) }
        var unsent = 1 + model.number(below: 3)
        var isActive = true
        while isActive || unsent > 0 {
            switch model.number(below: 40) {
            case 0..<8 where unsent > 0:
                unsent -= 1
                send()
            case 8: if let load = loads.randomElement(using: model) { stop(load) }
            case 9 where model.number(below: 8) == 0: close()
            case 10: isActive = model.advance() || model.runNext()
            default: isActive = model.runNext() || model.advance()
            }
        }
        model.runAll()
        for load in loads { check(load, &totals) }
        // The session is invalidated.
        for load in loads { stop(load) }
        model.runAll()
        checkRelease(&totals)
        for load in loads { totals.violations += load.client.violations.map { describe(load, $0) } }
    }

    // MARK: Actions

    private func send() {
        let kind = DeliveryCase.all[model.number(below: DeliveryCase.all.count)]
        guard let url = URL(string: "http://shop.example/\(kind.path)") else { return }
        var request = URLRequest(url: url)
        // Timeouts run in a task of their own, outside the thread of the model.
        request.timeoutInterval = .infinity
        if kind.path == "echo" || model.number(below: 3) == 0 {
            request.httpMethod = "POST"
            // Apple platforms pass every body as a stream (PLATFORM F3).
            request.httpBodyStream = InputStream(data: Data("milk".utf8))
        }
        let client = CheckingClient { [model] in model.isInRunLoop }
        let urlProtocol = RunProtocol(request: request, cachedResponse: nil, client: client)
        loads.append(Load(kind, client, urlProtocol))
        nonisolated(unsafe) let started = urlProtocol
        model.perform { [model] in
            started.start { started.wakeUp(performingBlocks: { block in model.wakeUp(block) }) }
        }
    }

    /// Cancels a task: the platform calls `stopLoading` once, also after the end of the load.
    private func stop(_ load: Load) {
        guard !load.isStopping else { return }
        load.isStopping = true
        nonisolated(unsafe) let load = load
        model.perform {
            load.urlProtocol?.end()
            load.client.stop()
            load.urlProtocol = nil
        }
    }

    private func close() {
        isServerOpen = false
        ProtocolRegistry.shared.setServer(nil, of: RunProtocol.self)
        core.close()
    }

    // MARK: Checks

    private func check(_ load: Load, _ totals: inout Totals) {
        let (client, kind) = (load.client, load.kind)
        let isGone = (client.error as? MockServerError)?.isServerGone ?? false
        if kind.body.prefix(client.body.count) != client.body {
            totals.violations.append(describe(load, "wrong body of \(client.body.count) bytes"))
        }
        if client.isStopped {
            if client.body.isEmpty { totals.stoppedBeforeHead += 1 } else { totals.stoppedInBody += 1 }
        } else if isGone {
            totals.failedByServer += 1
            if isServerOpen { totals.violations.append(describe(load, "the server is not gone")) }
        } else {
            totals.complete += 1
            let end: DeliveryCase.End = !client.hasEnded ? .never : client.error == nil ? .success : .failure
            let expected = kind.end == .never && !isServerOpen ? .failure : kind.end
            if end != expected { totals.violations.append(describe(load, "ended with \(end)")) }
            if client.body != kind.body { totals.violations.append(describe(load, "incomplete body")) }
        }
    }

    /// Checks that ended loads keep neither their protocols nor the clock.
    private func checkRelease(_ totals: inout Totals) {
        for load in loads where load.released != nil {
            totals.violations.append(describe(load, "the protocol was not released"))
        }
        let clock = model.clock
        let sleep = Task(executorPreference: model) { try await clock.sleep(for: .seconds(1)) }
        while model.runNext() {}
        if !clock.isReady { totals.violations.append("seed \(seed): the clock is held") }
        sleep.cancel()
        model.runAll()
    }

    private func describe(_ load: Load, _ problem: String) -> String {
        "seed \(seed), \(load.kind.path): \(problem)"
    }
}

extension Array {
    fileprivate func randomElement(using model: DeliveryModel) -> Element? {
        isEmpty ? nil : self[model.number(below: count)]
    }
}
