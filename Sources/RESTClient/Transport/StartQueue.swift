import Dispatch

/// Where tasks are made and resumed when there are many of them.
///
/// Both steps wait for the work queue that all sessions of the process share (PLATFORM A6). With dozens of requests in
/// flight, callers who did them would keep every thread of the cooperative pool waiting there, and nobody would be left to
/// take the answers: a fifth of the throughput on two cores. So one thread of this queue waits for all of them.
enum StartQueue {
    private static let queue = DispatchQueue(label: "RESTClient.start")

    /// Runs `start` here, or at once on the caller's thread for someone who `isAlone`: a hop saved.
    static func run(isAlone: Bool, _ start: @escaping @Sendable () -> Void) {
        #if canImport(FoundationNetworking)
        if !isAlone { return queue.async(execute: start) }
        #endif
        start()
    }
}
