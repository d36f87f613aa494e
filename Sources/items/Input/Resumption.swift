import Foundation
import RESTClient

/// The position from which a run resumes, and the file that stores it while the list is incomplete.
struct Resumption {
    /// The position saved by an earlier run, or `nil` if there is none.
    let start: SavedPosition?
    private let options: Options
    private let argument: URLArgument?
    private let file: ResumeFile?

    /// - Throws: `CommandError` if the input cannot be resumed; any error of `ResumeFile.read`.
    init(_ options: Options, of input: Input) throws {
        self.options = options
        argument = if case .url(let argument) = input { argument } else { nil }
        guard let path = options.resumeFile else {
            file = nil
            start = nil
            return
        }
        guard let argument else { throw CommandError.usage("--resume-file requires a URL") }
        var file = ResumeFile(path: path, for: argument.url, options)
        var saved = try file.read()
        // The last run replaced the file of `--output`, and ended before it removed the position.
        if let mark = saved?.output, mark.partial != nil,
            options.output.flatMap({ FileIdentity(path: $0) }) == mark.file
        {
            saved = nil
        }
        self.file = file
        start = saved
    }

    /// The number of items that earlier runs have printed.
    var earlierItems: Int { start?.items ?? 0 }

    /// Returns the checkpoint of a run that writes to `destination`, or `nil` without a file.
    ///
    /// - Throws: `CommandError` if the saved position does not belong to the output.
    func checkpoint(in destination: borrowing Destination, _ messages: Messages) throws -> Checkpoint? {
        guard let file else { return nil }
        // With >, the shell would remove the items before the next run could keep them.
        let isFile = options.output == nil && OutputMark(destination) != nil
        let redirection = isFile && !destination.isAppending ? ", with >> instead of >," : ""
        return try Checkpoint(
            file, from: start, in: destination, hint: "run the same command again\(redirection) to resume",
            messages)
    }

    /// Returns a hint for resuming at `position`, which was not saved.
    func hint(at position: ResumeToken) -> String {
        let page = "stopped on page \(position.pageNumber.groupedText)"
        guard options.isAppendable else { return page }
        let advice = "\(page); use --resume-file FILE to resume a failed run"
        // Resuming would print the header again.
        guard !options.format.hasColumns, options.list.inner == nil else { return advice }
        let url = position.url.absoluteString
        // A position does not contain the secrets of the first URL, without which it would be another list.
        guard let first = argument?.url, [first, position.url].allSatisfy({ Redaction.url($0) == "\($0)" }),
            url.utf8.count <= 200
        else { return advice }
        return "resume with the URL \(TerminalEscaping.shellQuoted(url))\(Self.repetition(of: position.skip))"
    }

    private static func repetition(of count: Int) -> String {
        switch count {
        case 0: ""
        case 1: ", which prints the last item again"
        default: ", which prints the last \(count.groupedText) items again"
        }
    }
}

/// The place in a list and in its output at which the next run continues.
struct SavedPosition: Codable {
    /// The URL of the list, with secrets masked.
    let list: String
    /// A checksum of the options that select and format the items.
    var options: String?
    var token: ResumeToken
    /// The number of items that all runs so far have printed.
    var items: Int
    /// The end of the output, if it is a regular file.
    var output: OutputMark?

    /// `false` for numbers that `items` does not write.
    fileprivate var isValid: Bool {
        0...(.max >> 2) ~= items && output.map { $0.offset >= 0 && $0.partial?.contains("/") != true } ?? true
    }
}

/// A file that stores the position of an incomplete list.
struct ResumeFile {
    let path: String
    /// The URL of the list, with secrets masked.
    let list: String
    let options: String
    /// The file as it was last read or written, or `nil` if there is none.
    private(set) var identity: FileIdentity?

    init(path: String, for url: URL, _ options: Options) {
        self.path = path
        list = Redaction.url(url)
        self.options = options.checksum
    }

    /// The path in messages.
    var label: String { path.escaped() }

    /// Returns the saved position, or `nil` if there is none.
    ///
    /// - Throws: `CommandError` if the file belongs to another list, was not written by `items`, cannot be read, or
    ///   cannot be replaced.
    mutating func read() throws -> SavedPosition? {
        guard let found = FileStatus(at: path) else {
            try Destination.check(path: path)
            return nil
        }
        // Opening any other file could wait for its writer.
        guard found.isRegular, found.isOwn, found.size > 0 else { throw isForeign }
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard let status = FileStatus(of: descriptor), status.isRegular else { throw isForeign }
        let file = FileInput(descriptor: descriptor, name: label, ownsDescriptor: true)
        let lines = try file.text(limit: 1 << 20, orThrow: isForeign).split(separator: "\n")
        guard lines.count == 2, lines[0] == Self.heading,
            let position = try? JSONDecoder().decode(SavedPosition.self, from: Data(lines[1].utf8)),
            position.isValid
        else { throw isForeign }
        guard position.list == list else {
            throw CommandError.usage(
                "\(label) belongs to another list: \(position.list.escaped())",
                hint: "use a separate --resume-file for each list")
        }
        guard position.options.map({ $0 == options }) ?? true else {
            throw CommandError.usage(
                "\(label) belongs to a run with another format, selection or body",
                hint: "run the same command again, or use another --resume-file")
        }
        try Destination.check(path: path)
        identity = FileIdentity(status)
        return position
    }

    /// Replaces the file, readable only by its owner because URLs can contain secrets.
    mutating func write(_ position: SavedPosition) throws {
        let found = FileIdentity(path: path)
        guard found == nil || found == identity else { throw isForeign }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let json = String(decoding: try encoder.encode(position), as: UTF8.self)
        var destination = try Destination(path: path)
        fchmod(destination.descriptor, 0o600)
        do {
            try Output.write("\(Self.heading)\n\(json)\n", to: destination.descriptor)
            guard let status = FileStatus(of: destination.descriptor), fsync(destination.descriptor) == 0
            else { throw OutputError.failed(errno) }
            try destination.commit()
            identity = FileIdentity(status)
        } catch let failure as OutputError { throw destination.error(failure) }
    }

    /// Removes the file, unless another program has replaced it.
    mutating func remove() {
        if identity != nil, FileIdentity(path: path) == identity { unlink(path) }
        identity = nil
    }

    private var isForeign: CommandError {
        .usage(
            "\(label) is not a resume file written by items",
            hint: "use the path of a new file, which items creates")
    }

    private static let heading = "# items: position of an incomplete list; run the same command to resume"
}
