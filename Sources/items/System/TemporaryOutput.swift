import Foundation
import RESTClient
import Synchronization

/// The temporary file that has to be removed when the program ends, even by a signal.
enum TemporaryOutput {
    /// Creates a file in a directory that ends with a slash, and locks it until it is closed. A file of a run that is killed is
    /// removed by a later one, unless it is `isResumable`.
    static func create(
        in directory: String, isResumable: Bool = false
    ) throws(POSIXError) -> (path: String, descriptor: Int32) {
        try FileReplacement.newFile(in: directory, prefix: ".items-", mark: isResumable ? "partial-" : "")
    }

    /// Registers the file. There is one at a time.
    static func register(_ name: String) { free(exchange(strdup(name))) }

    /// Unregisters the file after it was renamed.
    static func unregister() { free(exchange(nil)) }

    /// Removes the file, if there is one. Safe to call in a signal handler.
    static func remove() {
        // Not freed, because `free` is not safe in a signal handler and the program ends.
        if let name = exchange(nil) { unlink(name) }
    }

    private static func exchange(_ name: UnsafeMutablePointer<CChar>?) -> UnsafeMutablePointer<CChar>? {
        let before = address.exchange(UInt(bitPattern: name), ordering: .acquiringAndReleasing)
        return UnsafeMutablePointer(bitPattern: before)
    }
}

/// The address of the name, stored as an integer because pointers are not `Sendable`.
private let address = Atomic<UInt>(0)
