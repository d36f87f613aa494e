import RESTClientHTTP
import RESTClient

/// Counts what a manager says it does, and looks for secrets in it.
final class EventWatch: Sendable {
    struct Counts: Sendable {
        var created = 0
        var waits = 0
        var redirects = 0
    }

    private struct State {
        var counts = Counts()
        var wrong: [String] = []
    }

    private let secrets: SimulatedServer.Secrets
    private let state = LockedState(State())

    init(_ secrets: SimulatedServer.Secrets) { self.secrets = secrets }

    var counts: Counts { state.withLock { $0.counts } }
    var wrong: [String] { state.withLock { $0.wrong } }

    var monitor: EventMonitor {
        EventMonitor { [self] event in
            let isLeak = secrets.leak(in: "\(event)")
            state.withLock { state in
                if isLeak { state.wrong.append("a secret is in the events") }
                switch event.kind {
                case .created: state.counts.created += 1
                case .waiting: state.counts.waits += 1
                case .redirect: state.counts.redirects += 1
                default: break
                }
            }
        }
    }
}
