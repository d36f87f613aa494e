import Foundation

/// The memory allocator of the C library.
enum Heap {
    /// Makes all threads allocate from one heap. By default, glibc creates one for each thread, and a list of 3 GB would
    /// need 12 MB more. Other C libraries have no such setting.
    static func useOne() {
        guard let symbol = dlsym(nil, "mallopt") else { return }
        let mallopt = unsafeBitCast(symbol, to: (@convention(c) (CInt, CInt) -> CInt).self)
        let maximumHeaps: CInt = -8  // M_ARENA_MAX in malloc.h
        _ = mallopt(maximumHeaps, 1)
    }
}
