import Foundation
import RESTClientHTTP
import RESTClient

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Many clients and one server that fails and comes back, event by event: the retry types are the real ones, the network
/// is a calendar.
///
/// Each client asks once in about ten seconds. At `outage.lowerBound` the server goes down and every connection breaks, so that
/// all ask again in the same instant; until `outage.upperBound` it refuses everything. It can serve half as much again as
/// it is asked for on a good day. A refusal costs it half of an answer, so that who is asked for too much answers less.
package struct Fleet: Sendable {
    package var clients = 10_000
    package var period = 10
    package var outage = 60..<90
    package var length = 240
    package var seed: UInt64 = 1

    package init(clients: Int = 10_000) { self.clients = clients }

    /// Parts of a second in which the calendar counts.
    private static let ticks = 20

    /// A request takes up to so many of them to arrive.
    private static let latency = 8

    /// What the server saw in each second.
    package struct Second: Sendable {
        package var asked = 0
        package var answered = 0
    }

    package struct Outcome: Sendable {
        package let strategy: FleetStrategy
        package var seconds: [Second]
        /// Requests from the outage to a minute behind its end, for one that was meant.
        package var amplification: Double
        /// The most requests in a second from the end of the outage on.
        package var peak: Int
        /// Seconds from the end of the outage until no more than one request in a hundred is refused; `nil` is never.
        package var recovery: Int?
    }

    /// Requests that the server can answer in a second.
    package var capacity: Int { clients / period * 3 / 2 }

    private struct Client {
        var attempt = 0
        var next = 0
        let budget: RetryBudget?
    }

    package func run(_ strategy: FleetStrategy) -> Outcome {
        var random = SeededGenerator(seed: seed)
        let policy = strategy.policy()
        let request = URLRequest(url: URL(string: "http://fleet.example/") ?? URL(filePath: "/"))
        let ticks = Self.ticks
        var calendar = [[Int]](repeating: [], count: length * ticks)
        var fleet = (0..<clients).map { _ in Client(budget: strategy.budget.map { RetryBudget(capacity: $0) })
        }
        for client in fleet.indices {
            fleet[client].next = Int.random(in: 0..<period * ticks, using: &random)
            calendar[fleet[client].next].append(client)
        }
        var seconds = [Second](repeating: Second(), count: length)
        var meant = 0
        var sent = 0

        for tick in calendar.indices {
            let second = tick / ticks
            // All connections break: whoever does not wait already asks at once.
            if tick == outage.lowerBound * ticks {
                for client in fleet.indices where fleet[client].attempt == 0 && fleet[client].next != tick {
                    let arrival = tick + Int.random(in: 0..<Self.latency, using: &random)
                    fleet[client].next = arrival
                    calendar[arrival].append(client)
                }
            }
            // Who was called elsewhere meanwhile is not here any more.
            let arrivals = calendar[tick].filter { fleet[$0].next == tick }.shuffled(using: &random)
            calendar[tick] = []
            let room = outage.contains(second) ? 0 : answers(to: arrivals.count)
            for (place, client) in arrivals.enumerated() {
                let isFirst = fleet[client].attempt == 0
                if isFirst { fleet[client].budget?.deposit() }
                seconds[second].asked += 1
                if (outage.lowerBound..<outage.upperBound + 60).contains(second) {
                    sent += 1
                    if isFirst { meant += 1 }
                }
                fleet[client].attempt += 1
                var delay: Duration?
                if place < room {
                    seconds[second].answered += 1
                } else if let policy {
                    let head = refusal(of: request, strategy.wish, &random)
                    delay = policy.delay(after: .success(head), to: request, attempt: fleet[client].attempt)
                    if delay != nil, let budget = fleet[client].budget, !budget.withdraw() { delay = nil }
                }
                if delay == nil { fleet[client].attempt = 0 }
                let pause = Double(period) * Double.random(in: 0.5..<1.5, using: &random)
                let wait = (delay.map { $0 / .seconds(1) } ?? pause) * Double(ticks)
                fleet[client].next = tick + Int(wait) + Int.random(in: 1...Self.latency, using: &random)
                if fleet[client].next < calendar.count { calendar[fleet[client].next].append(client) }
            }
        }
        return Outcome(
            strategy: strategy, seconds: seconds, amplification: Double(sent) / Double(max(1, meant)),
            peak: seconds.dropFirst(outage.upperBound).map(\.asked).max() ?? 0,
            recovery: recovery(seconds))
    }

    /// How many of so many requests in a tick are answered: who is asked for more than he can do loses time on refusals.
    private func answers(to count: Int) -> Int {
        let room = capacity / Self.ticks
        return count <= room ? count : max(0, 2 * room - count)
    }

    private func refusal(
        of request: URLRequest, _ wish: FleetStrategy.Wish, _ random: inout SeededGenerator
    ) -> Response<Void> {
        var headers: HTTPHeaders = [:]
        switch wish {
        case .none: break
        case .same(let seconds): headers[.retryAfter] = "\(seconds)"
        case .spread(let range): headers[.retryAfter] = "\(Int.random(in: range, using: &random))"
        }
        return Response(to: request, status: 503, headers: headers, body: ())
    }

    private func recovery(_ seconds: [Second]) -> Int? {
        let last = seconds.indices.last { index in
            index >= outage.upperBound && seconds[index].answered * 100 < seconds[index].asked * 99
        }
        guard let last else { return 0 }
        return last == seconds.count - 1 ? nil : last + 1 - outage.upperBound
    }
}
