import Foundation

/// The stream `stderr` of the C library, to which the Swift runtime writes the reason of a trap.
enum StandardErrorStream {
    /// Discards what is written to the stream. The descriptor is not affected, so messages of this program appear.
    static func discard() {
        // `stderr` is a variable of this name in glibc only: musl declares a constant, and Apple platforms give the
        // variable another name. There is no other arm: the reason of the trap is printed, too.
        #if canImport(Glibc)
        guard let symbol = dlsym(nil, "stderr"), let null = fopen("/dev/null", "we") else { return }
        symbol.storeBytes(of: UInt(bitPattern: null), as: UInt.self)
        #endif
    }
}
