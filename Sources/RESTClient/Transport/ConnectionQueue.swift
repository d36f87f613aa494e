import Foundation
import RESTClientHTTP

/// The order in which the transport tasks of a session receive connections.
///
/// URLSession opens at most `httpMaximumConnectionsPerHost` connections to a host. Other tasks wait for one in the order
/// of their start, and URLSession does not report when they are sent (PLATFORM A26). This type counts along, so that
/// the idle timeout does not include that wait. HTTP/2 sends more requests on one connection. There, the idle timeout of
/// such a request begins with its first response bytes, or when the earlier requests have ended.
final class ConnectionQueue: Sendable {
    /// The place of a task in the queue of its host.
    struct Place {
        fileprivate let host: String
        fileprivate let number: Int
    }

    private struct Host {
        /// The number of tasks with a connection.
        var connected = 0
        /// The waiting tasks by their numbers, which are all greater than `passed`.
        var waiting: [Int: TransportTask] = [:]
        var lastNumber = 0
        var passed = 0

        /// Adds `task` as a waiting task unless a connection is available.
        mutating func add(_ task: TransportTask, max: Int) -> (number: Int, isConnected: Bool) {
            if waiting.isEmpty { passed = lastNumber }
            lastNumber += 1
            let isConnected = connected < max
            if isConnected { connected += 1 } else { waiting[lastNumber] = task }
            return (lastNumber, isConnected)
        }

        /// Removes a task, and returns the waiting task that receives its connection.
        mutating func remove(_ number: Int) -> TransportTask? {
            guard waiting.removeValue(forKey: number) == nil else { return nil }
            while !waiting.isEmpty {
                passed += 1
                if let next = waiting.removeValue(forKey: passed) { return next }
            }
            connected -= 1
            return nil
        }
    }

    private let maxConnections: Int
    private let hosts = LockedState<[String: Host]>([:])

    /// - Parameter maxConnections: the maximum number of connections to a host; 0 for any number.
    init(maxConnections: Int) { self.maxConnections = maxConnections > 0 ? maxConnections : .max }

    /// Adds a task, and calls its `connectionAvailable()` now or when earlier tasks have ended.
    func add(_ task: TransportTask, for url: URL?) -> Place {
        let host = "\(url?.scheme ?? "")://\(url?.host() ?? ""):\(url?.port ?? 0)".lowercased()
        let (number, isConnected) = hosts.withLock {
            $0[host, default: Host()].add(task, max: maxConnections)
        }
        if isConnected { task.connectionAvailable() }
        return Place(host: host, number: number)
    }

    /// Removes a task that has ended. If it had a connection, the first waiting task receives it.
    func remove(_ place: Place) {
        let next: TransportTask? = hosts.withLock { hosts in
            let next = hosts[place.host]?.remove(place.number)
            if hosts[place.host]?.connected == 0 { hosts[place.host] = nil }
            return next ?? nil
        }
        next?.connectionAvailable()
    }
}
