import Foundation

/// The files in which Linux describes processes.
enum ProcessFiles {
    /// Throws if URLSession cannot be used. To find the path of the program, Foundation reads a link in `/proc`, and ends the
    /// process without it.
    static func check() throws(CommandError) {
        #if canImport(FoundationNetworking)
        guard access("/proc/self/exe", F_OK) == 0 else {
            throw CommandError(
                .failure, "a request needs /proc, which is not mounted",
                hint: "mount it: mount -t proc proc /proc")
        }
        #endif
    }
}
