import Foundation
import RESTClientHTTP

/// The order in which the transport tasks of a session receive connections.
///
/// URLSession opens at most `httpMaximumConnectionsPerHost` connections to a host. Other tasks wait for one in the order
/// of their start, and URLSession does not report when they are sent (PLATFORM A26). This type keeps its own count, so
/// that the idle timeout does not include that wait. With HTTP/2, tasks share connections and do not wait; a task that
/// receives data although it seems to wait shows that its host uses HTTP/2.
final class ConnectionQueue: Sendable {
    /// The place of a task in the queue of its host.
    struct Place {
        fileprivate let host: Origin?
        fileprivate let number: Int
    }

    private struct Host {
        /// The tasks with a connection, and the waiting ones, by their numbers.
        var connected: [Int: TransportTask] = [:]
        var waiting: [Int: TransportTask] = [:]
        var lastNumber = 0
        /// All waiting tasks have greater numbers.
        var passed = 0
        var sharesConnections = false

        /// Adds `task` as a waiting task unless a connection is available.
        mutating func add(_ task: TransportTask, max: Int) -> (number: Int, isConnected: Bool) {
            if waiting.isEmpty { passed = lastNumber }
            lastNumber += 1
            let isConnected = sharesConnections || connected.count < max
            if isConnected { connected[lastNumber] = task } else { waiting[lastNumber] = task }
            return (lastNumber, isConnected)
        }

        /// Removes a task, and returns the waiting task that receives its connection.
        mutating func remove(_ number: Int) -> TransportTask? {
            guard waiting.removeValue(forKey: number) == nil else { return nil }
            connected[number] = nil
            while !waiting.isEmpty {
                passed += 1
                guard let next = waiting.removeValue(forKey: passed) else { continue }
                connected[passed] = next
                return next
            }
            return nil
        }

        mutating func shareConnections() -> [TransportTask] {
            sharesConnections = true
            connected.merge(waiting) { task, _ in task }
            defer { waiting = [:] }
            return Array(waiting.values)
        }
    }

    private let maxConnections: Int
    private let hosts = LockedState<[Origin?: Host]>([:])

    /// - Parameter maxConnections: the maximum number of connections to a host; 0 for any number.
    init(maxConnections: Int) { self.maxConnections = maxConnections > 0 ? maxConnections : .max }

    /// Adds a task, and calls its `connectionAvailable()` now or when earlier tasks have ended.
    func add(_ task: TransportTask, for url: URL?) -> Place {
        let host = Origin(url)
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
            if hosts[place.host].map({ $0.connected.isEmpty && !$0.sharesConnections }) == true {
                hosts[place.host] = nil
            }
            return next ?? nil
        }
        next?.connectionAvailable()
    }

    /// Connects all waiting tasks of the host of a task that has received data while it seemed to wait.
    func shareConnections(with place: Place) {
        let tasks = hosts.withLock { $0[place.host]?.shareConnections() }
        for task in tasks ?? [] { task.connectionAvailable() }
    }

    /// Returns the time of the last activity on the connections to the host.
    func lastActivity(near place: Place) -> Duration? {
        let tasks = hosts.withLock { $0[place.host].map { Array($0.connected.values) } }
        return tasks?.map(\.lastActivity).max()
    }
}
