import Foundation
import RESTClientHTTP

/// The transport tasks of a session for each host, to find out how long they wait for a connection.
///
/// URLSession opens at most `httpMaximumConnectionsPerHost` connections to a host. Other tasks wait for one, in no
/// particular order, and URLSession does not report when they are sent (PLATFORM A26). While a host has more tasks than
/// connections, each of its tasks that has not received data may be waiting, so the activity of the others counts for
/// its idle timeout.
final class HostConnections: Sendable {
    /// The tasks of one host.
    final class Host: Sendable {
        private struct State {
            var taskCount = 0
            var lastActivity: Duration?
        }

        fileprivate let origin: Origin?
        private let maxConnections: Int
        private let state = LockedState(State())

        fileprivate init(_ origin: Origin?, maxConnections: Int) {
            (self.origin, self.maxConnections) = (origin, maxConnections)
        }

        /// The last time at which data was received, or a task ended, while there were more tasks than connections.
        var lastActivity: Duration? { state.withLock { $0.lastActivity } }

        /// Records that a task has sent or received data.
        func recordActivity(at time: Duration) { changeCount(by: 0, at: time) }

        /// Returns the new number of tasks.
        @discardableResult fileprivate func changeCount(by difference: Int, at time: Duration) -> Int {
            state.withLock { state in
                if state.taskCount > maxConnections { state.lastActivity = time }
                state.taskCount += difference
                return state.taskCount
            }
        }
    }

    private let maxConnections: Int
    private let hosts = LockedState<[Origin?: Host]>([:])

    /// - Parameter maxConnections: the maximum number of connections to a host; 0 for any number.
    init(maxConnections: Int) { self.maxConnections = maxConnections > 0 ? maxConnections : .max }

    /// Adds a task for `url`, and returns its host; all hosts that are requested through a proxy share its connections.
    func addTask(for url: URL?, at time: Duration) -> Host {
        let origin = Platform.sharesConnectionsOfProxy(url) ? nil : Origin(url)
        return hosts.withLock { hosts in
            let host = hosts[origin] ?? Host(origin, maxConnections: maxConnections)
            hosts[origin] = host
            host.changeCount(by: 1, at: time)
            return host
        }
    }

    func removeTask(of host: Host, at time: Duration) {
        hosts.withLock { hosts in
            if host.changeCount(by: -1, at: time) == 0 { hosts[host.origin] = nil }
        }
    }
}
