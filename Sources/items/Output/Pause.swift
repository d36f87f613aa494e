#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Lets the pieces of a fast transfer gather, so that there is not a change of threads for each of them: that takes
/// more time than to read the piece.
///
/// Only once what has come is out, only for a moment, and only behind a burst: a server that takes its time never meets
/// it, and the first item not either. It holds the thread, which is the program's own, because a sleeping task costs as
/// much as what is saved.
struct Pause {
    /// About what a piece of 16 KB takes to be sent on loopback, to be received and to wake somebody up, eight times.
    private static let microseconds: UInt32 = 50
    /// As many bytes in one go say that more are on the way: the platform hands over 16 KB at most.
    private static let burst = 16 << 10

    private var bytes = 0

    /// Notes what has come since the last pause.
    mutating func note(_ count: Int) { bytes += count }

    /// Waits for a moment, if that is worth it.
    mutating func letPiecesGather() {
        if bytes >= Self.burst { usleep(Self.microseconds) }
        bytes = 0
    }
}
