import Foundation

/// The files in which Linux describes processes.
enum ProcessFiles {
    /// `true` if Foundation cannot create a session. To find the path of the program, it reads a link in `/proc`, and ends the
    /// process without it.
    static var areMissing: Bool {
        #if canImport(FoundationNetworking)
        access("/proc/self/exe", F_OK) != 0
        #else
        false
        #endif
    }
}
