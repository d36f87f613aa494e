import Foundation
import RESTClient
import Synchronization

/// The report of `--timing`: the times of the slowest requests, the sums of all, and the number of connections.
final class TimingReport: Sendable {
    private struct State {
        var sent = 0
        var opened = 0
        var reused = 0
        var sums = [Duration?](repeating: nil, count: 5)
        /// The slowest requests, in the order of their ends.
        var rows: [SessionEvent] = []
    }

    /// The maximum number of requests that are listed.
    static let maxRows = 10

    private let state = Mutex(State())

    func record(_ event: SessionEvent) {
        state.withLock { state in
            switch event.kind {
            case .attempt, .redirect: state.sent += 1
            case .responseHead:
                guard let isReused = event.connection?.isReused else { return }
                if isReused { state.reused += 1 } else { state.opened += 1 }
            case .finished:
                for (index, time) in Self.times(event).enumerated() {
                    if let time { state.sums[index] = (state.sums[index] ?? .zero) + time }
                }
                state.rows.append(event)
                guard state.rows.count > Self.maxRows else { return }
                let fastest = state.rows.indices.min { state.rows[$0].time < state.rows[$1].time }
                if let fastest { state.rows.remove(at: fastest) }
            default: break
            }
        }
    }

    private static func times(_ event: SessionEvent) -> [Duration?] {
        let connection = event.connection
        return [
            connection?.domainLookup, connection?.connect, connection?.secureConnection, connection?.wait,
            event.time,
        ]
    }

    /// The lines of the report, or none if nothing was sent.
    var lines: [String] {
        let state = state.withLock(\.self)
        guard state.sent > 0 else { return [] }
        let connections =
            state.opened + state.reused > 0
            ? ", \(state.opened.text(of: "connection")) opened, \(state.reused.groupedText) reused" : ""
        let rows = state.rows.map { event in
            let status = event.status.map { "\($0.rawValue) " } ?? ""
            let url = (event.url.map { Redaction.url($0) } ?? "").escaped()
            return Self.row(Self.times(event).map(Self.text)) + "  \(status)\(event.method) \(url)"
        }
        return ["\(state.sent.text(of: "request"))\(connections); milliseconds of the slowest, and of all:"]
            + [Self.row(["lookup", "connect", "TLS", "wait", "total"])] + rows
            + [Self.row(state.sums.map(Self.text)) + "  all"]
    }

    private static func text(_ time: Duration?) -> String {
        time.map { String(format: "%.1f", $0 / .milliseconds(1)) } ?? "-"
    }

    private static func row(_ cells: [String]) -> String {
        cells.map { String(repeating: " ", count: max(0, 9 - $0.count)) + $0 }.joined()
    }
}
