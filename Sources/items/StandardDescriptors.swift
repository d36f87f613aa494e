#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The three descriptors that every program is given, made safe before anything is opened.
enum StandardDescriptors {
    /// Fills a descriptor that the caller has closed, the wrong way round, so that no socket or file gets its number
    /// and items are never written into one; using it fails as if it were still closed.
    static func fill() {
        for (descriptor, mode) in [
            (STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY),
        ]
        where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest free number is the one that is missing, as they are filled in order.
            _ = open("/dev/null", mode)
        }
    }
}
