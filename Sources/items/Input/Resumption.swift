import Foundation
import RESTClient

/// The position from which a run resumes, and the file that stores it when the run fails.
struct Resumption {
    /// The position saved by an earlier run, or `nil` if there is none.
    let start: ResumeToken?
    private let options: Options
    private let argument: URLArgument?
    private let file: ResumeFile?

    /// - Throws: `CommandError` if the input cannot be resumed or `--from` contradicts the file; any error of
    ///   `ResumeFile.read`.
    init(_ options: Options, of input: Input) throws {
        self.options = options
        argument = if case .url(let argument) = input { argument } else { nil }
        if options.from != nil, argument == nil, options.demo == nil { throw Self.needsURL("--from") }
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
            throw CommandError.usage(
                "--from \(from) conflicts with the position saved in \(TerminalEscaping.escaped(path, limit: 200))",
                hint: "omit --from to resume where the last run stopped")
        }
    }

    /// Saves `position` to the file and returns a hint, or returns `nil` without a file.
    func save(_ position: ResumeToken) throws -> String? {
        guard let file else { return nil }
        try file.write(position)
        return "run the same command \(options.from == nil ? "again" : "without --from") to resume"
    }

    /// Returns a hint for resuming at `position`, which was not saved.
    func hint(at position: ResumeToken) -> String {
        let page = "stopped on page \(position.pageNumber.grouped)"
        guard let argument, options.isAppendable else { return page }
        let advice = "\(page); use --resume-file FILE to resume a failed run"
        // Resuming would print the header again.
        guard !options.format.hasColumns, options.list.inner == nil else { return advice }
        if let (number, skip) = options.pagination.value.number(of: position, in: argument.url) {
            return "resume with --from \(number)\(Self.repetition(of: skip))"
        }
        let url = position.url.absoluteString
        guard Redaction.url(position.url) == url, url.utf8.count <= 200 else { return advice }
        return "resume with the URL \(TerminalEscaping.shellQuoted(url))\(Self.repetition(of: position.skip))"
    }

    private static func repetition(of count: Int) -> String {
        switch count {
        case 0: ""
        case 1: ", which prints the last item again"
        default: ", which prints the last \(count.grouped) items again"
        }
    }

    /// Removes the file after the list is complete.
    func finish() { file?.remove() }

    private static func needsURL(_ option: String) -> CommandError {
        .usage("\(option) requires a URL")
    }
}

/// A file that stores the position at which a run failed.
struct ResumeFile {
    let path: String
    /// The URL of the list, with secrets masked.
    private let list: String

    init(path: String, for url: URL) {
        self.path = path
        list = Redaction.url(url)
    }

    /// Returns the saved position, or `nil` if there is none.
    ///
    /// - Throws: `CommandError` if the file belongs to another list, was not written by `items`, cannot be read, or would
    ///   not be writable when a run fails.
    func read() throws -> ResumeToken? {
        try Destination.check(path: path)
        var status = stat()
        guard stat(path, &status) == 0, status.st_size > 0 else { return nil }
        let file = try FileInput(path: path)
        let unknown = CommandError.usage(
            "\(file.name) is not a resume file written by items", hint: "use another file, or remove it")
        let lines = try file.text(limit: 1 << 20, orThrow: unknown).split(separator: "\n")
        guard lines.count == 3, lines[0] == Self.heading, let token = ResumeToken(rawValue: String(lines[2]))
        else { throw unknown }
        guard lines[1] == list else {
            throw CommandError.usage(
                "\(file.name) belongs to another list: \(TerminalEscaping.escaped(lines[1], limit: 200))",
                hint: "use a separate --resume-file for each list")
        }
        return token
    }

    /// Writes `token` to the file, readable only by its owner because URLs can contain secrets.
    func write(_ token: ResumeToken) throws {
        var destination = try Destination(path: path, isAtomic: false)
        fchmod(destination.descriptor, 0o600)
        var output = Output(descriptor: destination.descriptor)
        do {
            try output.append("\(Self.heading)\n\(list)\n\(token.rawValue)\n")
            try output.flush()
            try destination.commit()
        } catch let failure as OutputError { throw destination.error(failure) }
    }

    /// Removes the file after the list is complete.
    func remove() { unlink(path) }

    private static let heading = "# items: position of an incomplete list; run the same command to resume"
}
