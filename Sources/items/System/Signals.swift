import Foundation
import Synchronization

enum Signals {
    /// Unblocks the signals that end or stop a program, which a parent may have blocked, as Foundation's
    /// `Process` does, and installs their handlers. A closed pipe and a file size limit (`ulimit -f`) become
    /// errors of `write`. Returns `true` if the signal of a closed pipe was already ignored.
    static func prepare() -> Bool {
        for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGPIPE] { unblock(signal) }
        let ignoredBrokenPipe = isIgnoring(signal(SIGPIPE, SIG_IGN))
        signal(SIGXFSZ, SIG_IGN)
        for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] { handle(number) { Signals.end(with: $0) } }
        handle(SIGTSTP, stop)
        return ignoredBrokenPipe
    }

    /// Unblocks a signal. Safe in a signal handler.
    fileprivate static func unblock(_ number: Int32) {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, number)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }

    /// Erases the progress line and the temporary file, and ends the program with a signal. Safe in a signal
    /// handler.
    static func end(with number: Int32) {
        ProgressIndicator.eraseForSignal()
        TemporaryOutput.remove()
        signal(number, SIG_DFL)
        // Threads of Dispatch and of the concurrency runtime block signals.
        unblock(number)
        _ = kill(getpid(), number)
    }

    typealias Handler = @convention(c) (Int32) -> Void

    /// `true` if `before` is the handler that ignores a signal, compared by its address.
    static func isIgnoring(_ before: Handler?) -> Bool {
        unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN as Handler?, to: Int.self)
    }

    /// Installs a handler and returns `true`, unless the parent process ignores the signal, as `nohup` does.
    @discardableResult fileprivate static func handle(_ number: Int32, _ handler: @escaping Handler) -> Bool {
        guard isIgnoring(signal(number, handler)) else { return true }
        signal(number, SIG_IGN)
        return false
    }
}

/// Erases the progress line and stops the program, and installs itself again when the program continues. Safe in a signal
/// handler.
private let stop: Signals.Handler = { number in
    ProgressIndicator.eraseForSignal()
    signal(number, SIG_DFL)
    // The signal is blocked while its handler runs.
    raise(number)
    Signals.unblock(number)
    signal(number, stop)
}

/// Writes the number of a signal to the pipe that `Interrupt` reads.
private let passOn: Signals.Handler = { number in
    let before = errno
    var byte = UInt8(truncatingIfNeeded: number)
    _ = write(pipeEnd.load(ordering: .sequentiallyConsistent), &byte, 1)
    errno = before
}

private let pipeEnd = Atomic<Int32>(-1)

/// Ctrl-C, SIGTERM and SIGHUP, for actions that have to finish something first.
enum Interrupt {
    /// The seconds after which the program ends even if the action has not finished, as if its output is not read. On a busy
    /// machine, it can take one second to write the last items.
    static let patience = 2

    /// Returns the exit code of the first signal; if the parent process ignores all signals, only when the
    /// task is cancelled. Further signals have no effect, because `timeout` sends two of them.
    static func wait(
        for signals: [(number: Int32, code: ExitCode)] = [
            (SIGINT, .interrupted), (SIGTERM, .terminated), (SIGHUP, .hungUp),
        ]
    ) async -> ExitCode {
        let queue = DispatchQueue(label: "items.signals")
        var ends: [Int32] = [-1, -1]
        let isOpen = pipe(&ends) == 0
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        pipeEnd.store(ends[1], ordering: .sequentiallyConsistent)
        // A parent process that ignores the signal, such as nohup, is respected.
        let signals = isOpen ? signals.filter { Signals.handle($0.number, passOn) } : []
        guard !signals.isEmpty else {
            while !Task.isCancelled { try? await Task.sleep(for: .seconds(86_400)) }
            return .interrupted
        }
        return await withCheckedContinuation { (done: CheckedContinuation<ExitCode, Never>) in
            let source = DispatchSource.makeReadSource(fileDescriptor: ends[0], queue: queue)
            source.setEventHandler {
                source.cancel()
                var byte: UInt8 = 0
                _ = read(Int32(source.handle), &byte, 1)
                let number = Int32(byte)
                ProgressIndicator.eraseForSignal()
                queue.asyncAfter(deadline: .now() + .seconds(patience)) { Signals.end(with: number) }
                done.resume(returning: signals.first { $0.number == number }?.code ?? .interrupted)
            }
            source.activate()
        }
    }
}
