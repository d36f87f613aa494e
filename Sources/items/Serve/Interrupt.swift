import Dispatch

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Ctrl-C, for what has something to put away first.
enum Interrupt {
    /// Returns when the interrupt comes; never, where whoever started the program has it ignored.
    static func wait() async {
        let isIgnored = Signals.isIgnoring(signal(SIGINT, SIG_IGN))
        let source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            guard !isIgnored else { return source.activate() }
            source.setEventHandler {
                source.setEventHandler(handler: nil)
                done.resume()
            }
            source.activate()
        }
        source.cancel()
    }

    /// Ends the program by the interrupt itself, as its caller expects.
    static func raise() {
        signal(SIGINT, SIG_DFL)
        _ = kill(getpid(), SIGINT)
    }
}
