import Dispatch
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Brings a loading protocol back to the one place where it may call its client.
///
/// On Linux that is the work queue of URLSession, and `resume()` on a running task calls `startLoading` again
/// there (PLATFORM A8). Not from the work queue itself, which would wait for itself, so from a queue of our own.
enum Pump {
    private static let queue = DispatchQueue(label: "MockTransport.pump")

    static func wake(_ exchange: Exchange, _ task: URLSessionTask) {
        queue.async {
            guard !exchange.isOver, task.state == .running else { return }
            task.resume()
        }
    }

    /// Runs `work` away from the work queue: a cancellation handler may be anyone's code.
    static func async(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }
}
