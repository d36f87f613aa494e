#if canImport(FoundationNetworking)
import Dispatch
import Foundation
import FoundationNetworking
import HTTPCore
import Testing

@testable import RESTClient

@Suite struct QueueYieldTests {
    @Test func `A20 the queues of a session are where they are looked for`() {
        let session = URLSession(configuration: .ephemeral)
        defer { session.invalidateAndCancel() }
        #expect(QueueYield.Queues(of: session) != nil)
    }

    @Test(arguments: [false, true])
    func `A20 a queue that is never empty lets no other have its turn unless it yields`(yields: Bool) async {
        let work = DispatchQueue(label: "work")
        let reading = DispatchQueue(label: "reading", target: work)
        let other = DispatchQueue(label: "other", target: work)
        let queues = QueueYield.Queues(reading: reading, work: work)
        let hasRun = Lock(false)
        let most = 1_000

        // As libcurl reads: what comes next is on the queue before this is done.
        @Sendable func read(_ round: Int, _ done: CheckedContinuation<Int, Never>) {
            if round == 0 { other.async { hasRun.withLock { $0 = true } } }
            guard round < most, !hasRun.withLock({ $0 }) else { return done.resume(returning: round) }
            reading.async { read(round + 1, done) }
            if yields, round.isMultiple(of: 100) { queues.yield() }
        }
        let rounds = await withCheckedContinuation { done in reading.async { read(0, done) } }
        #expect(yields ? rounds == 1 : rounds == most)
    }

    @Test func `the queues get their turn every hundred chunks`() async {
        let session = URLSession(configuration: .ephemeral)
        defer { session.invalidateAndCancel() }
        guard let queues = QueueYield.Queues(of: session) else { return }
        let yield = QueueYield()
        let order = Lock<[String]>([])
        // On the queue that runs both, as a callback is: what it lets in comes before what reads next.
        await withCheckedContinuation { done in
            queues.work.async {
                for _ in 0..<QueueYield.chunksBetween { yield.received(in: session) }
                queues.reading.async {
                    order.withLock { $0.append("reading") }
                    done.resume()
                }
                queues.work.async { order.withLock { $0.append("work") } }
            }
        }
        #expect(order.withLock { $0 } == ["work", "reading"])
    }
}
#endif
