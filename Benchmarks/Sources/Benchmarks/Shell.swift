import Foundation

/// Runs and measures shell commands.
enum Shell {
    struct Run {
        let status: Int32
        let seconds: Double
        /// The processor time of all processes.
        let processorSeconds: Double
        /// The peak resident memory of the largest process in bytes.
        let peakResident: Int
    }

    /// Runs `command` and waits until it has ended.
    @discardableResult static func run(_ command: String) throws -> Run {
        let words: [String] = ["/bin/sh", "-c", command]
        let arguments = words.map { strdup($0) } + [nil]
        // Writes buffered output before the command prints.
        fflush(nil)
        defer { for argument in arguments { free(argument) } }
        var identifier: pid_t = 0
        let start = ContinuousClock.now
        guard posix_spawn(&identifier, "/bin/sh", nil, nil, arguments, environ) == 0 else {
            throw Failure("cannot run \(command)")
        }
        var status: Int32 = 0
        var usage = rusage()
        while wait4(identifier, &status, 0, &usage) < 0, errno == EINTR {}
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        return Run(
            status: status, seconds: seconds,
            processorSeconds: usage.ru_utime.seconds + usage.ru_stime.seconds,
            peakResident: usage.ru_maxrss * 1024)
    }

    /// The path of `items`: `$ITEMS`, or the result of `make install` or of a release build.
    static var items: String {
        get throws {
            let candidates = [
                ProcessInfo.processInfo.environment["ITEMS"], "../.build-install/release/items",
                "../.build/release/items",
            ]
            guard
                let path = candidates.compactMap({ $0 }).first(where: {
                    FileManager.default.isExecutableFile(atPath: $0)
                })
            else {
                throw Failure("items not found: run make install PREFIX=…, or set ITEMS to its path")
            }
            return path
        }
    }

    /// The path of the simulation, which `make release` builds.
    static let simulate = "../.build-release/release/RESTClientSimulate"

    /// The path of a client with async-http-client: `$PEER`, or the result of its release build.
    static var peer: String {
        ProcessInfo.processInfo.environment["PEER"] ?? "AsyncHTTPClient/.build/release/Peer"
    }

    /// The path of this program.
    static var own: String { CommandLine.arguments[0] }
}

extension timeval {
    fileprivate var seconds: Double { Double(tv_sec) + Double(tv_usec) / 1e6 }
}

extension Collection where Element == Double {
    /// The median, or NaN if the collection is empty.
    var median: Double {
        let sorted = sorted()
        return sorted.isEmpty ? .nan : sorted[sorted.count / 2]
    }
}

extension Int {
    /// A short form for powers of ten, such as `10^6`, or the number.
    var short: String {
        let text = String(self)
        return text.dropFirst().allSatisfy { $0 == "0" } && text.first == "1" ? "10^\(text.count - 1)" : text
    }
}

struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
