import Foundation

/// The files in which Linux describes processes.
enum ProcessFiles {
    /// The folder that Foundation needs to create a session, if it is missing. To find the path of the program, Foundation reads a
    /// link in `/proc`, and ends the process without it.
    static var missingFolder: String? {
        // The systems of Apple tell a program its path without such files.
        #if canImport(FoundationNetworking)
        access("/proc/self/exe", F_OK) == 0 ? nil : "/proc"
        #else
        nil
        #endif
    }
}
