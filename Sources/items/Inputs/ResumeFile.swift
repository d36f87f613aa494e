import Foundation
import RESTClientHTTP
import RESTClient

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The file in which a run that failed leaves word where another can go on.
struct ResumeFile {
    let path: String
    /// The list that is meant, secrets masked.
    private let list: String

    init(path: String, for url: URL) {
        self.path = path
        list = Redaction.url(url)
    }

    /// Where to go on; `nil` where no run has failed.
    ///
    /// - Throws: `UsageError` for a file of another list, or that no run has written; `Complaint` for one that cannot be
    ///   read, or could not be written when a run fails.
    func read() throws -> ResumeToken? {
        try Destination.check(path: path)
        var status = stat()
        guard stat(path, &status) == 0, status.st_size > 0 else { return nil }
        let file = try FileInput(path: path)
        var bytes: [UInt8] = []
        try file.read { piece in
            piece.withUnsafeBytes { bytes.append(contentsOf: $0) }
            guard bytes.count <= 1 << 20 else { throw unknown(file.name) }
        }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        guard lines.count == 3, lines[0] == Self.heading, let token = ResumeToken(rawValue: String(lines[2]))
        else { throw unknown(file.name) }
        guard lines[1] == list else {
            throw UsageError(
                "\(file.name) is about another list: \(TerminalEscaping.escaped(lines[1], limit: 200))",
                hint: "give each list a --resume-file of its own")
        }
        return token
    }

    /// Leaves word that a run can go on at `token`; for its owner's eyes alone, as URLs may hold secrets.
    func write(_ token: ResumeToken) throws {
        var destination = try Destination(path: path, isAtomic: false)
        fchmod(destination.descriptor, 0o600)
        var output = Output(descriptor: destination.descriptor)
        do {
            try output.append("\(Self.heading)\n\(list)\n\(token.rawValue)\n")
            try output.flush()
            try destination.commit()
        } catch let failure as OutputFailure {
            throw destination.complaint(failure)
        }
    }

    /// Takes it away: the list is complete.
    func remove() { unlink(path) }

    private func unknown(_ name: String) -> UsageError {
        UsageError(
            "\(name) is no --resume-file that items has written", hint: "name another one, or remove it")
    }

    private static let heading = "# items: where a list stopped; the same command goes on there"
}
