import Foundation
import RESTClient
import RESTClientHTTP

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// What a run knows of one that stopped before it, and leaves for one behind it.
struct Resumption {
    /// Where an earlier run left word that it stopped; `nil` is where the command line says.
    let start: ResumeToken?
    private let options: Options
    private let argument: URLArgument?
    private let file: ResumeFile?

    /// - Throws: `UsageError` for what cannot go on, or for two cells to go on at; what `ResumeFile.read` throws.
    init(_ options: Options, of input: Input) throws {
        self.options = options
        switch input {
        case .url(let argument): self.argument = argument
        case .demo: argument = nil
        case .file, .standardInput:
            argument = nil
            if options.from != nil { throw Self.needsURL("--from") }
        }
        guard let path = options.resumeFile else {
            file = nil
            start = nil
            return
        }
        guard let argument else { throw Self.needsURL("--resume-file") }
        let file = ResumeFile(path: path, for: argument.url)
        self.file = file
        start = try file.read()
        if let from = options.from, start != nil {
            throw UsageError(
                "--from \(from) says where to begin, and so does \(TerminalEscaping.escaped(path, limit: 200))",
                hint: "leave one of them out; without --from the run goes on where the last one stopped")
        }
    }

    /// Leaves word that a run can go on at `place`, and says how it does; `nil` where there is no file for it.
    func save(_ place: ResumeToken) throws -> String? {
        guard let file else { return nil }
        try file.write(place)
        return
            "the same command\(options.from == nil ? "" : " without --from") goes on where this one stopped"
    }

    /// What to write to go on at `place`, of which no word is left.
    func hint(at place: ResumeToken) -> String {
        let page = "it stopped on page \(place.page.grouped)"
        guard let argument, options.isAppendable else { return page }
        // The header of --csv would begin again.
        guard options.format != .csv,
            let (number, itemsBefore) = options.pagination.value.number(of: place, in: argument.url)
        else { return "\(page); --resume-file FILE lets a run go on where one stopped" }
        let again =
            switch itemsBefore {
            case 0: ""
            case 1: ", which prints the last item again"
            default: ", which prints the last \(itemsBefore.grouped) items again"
            }
        return "go on with --from \(number)\(again)"
    }

    /// Takes word of an earlier run away: the list is complete.
    func finish() { file?.remove() }

    private static func needsURL(_ option: String) -> UsageError {
        UsageError("\(option) is for URLs: only pages can be asked for from the middle on")
    }
}

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
    /// - Throws: `UsageError` for a file of another list, or that no run has written; `CommandError` for one that cannot be
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
        } catch let failure as OutputError {
            throw destination.error(failure)
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
