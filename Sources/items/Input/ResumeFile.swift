import Foundation
import RESTClient

extension Options {
    /// Returns a hint for resuming the list of `argument` at `position`, which was not saved, or `nil` on its first page.
    func resumeHint(
        at position: ResumeToken, after error: RESTClientError?, of argument: URLArgument?
    ) -> String? {
        // The position after the last item of a page is that before the page that failed.
        let isBetweenPages =
            position.skip > 0 && error?.listingProgress.map { $0.pageCount >= position.pageNumber } ?? false
        let number = position.pageNumber + (isBetweenPages ? 1 : 0)
        guard number > 1 else { return nil }
        let page = "stopped on page \(number.groupedText)"
        guard isAppendable else { return page }
        let advice = "\(page); use --resume-file FILE to resume a failed run"
        // Resuming would print the header again.
        guard !format.hasColumns, list.inner == nil else { return advice }
        let pageURL = isBetweenPages ? error?.url ?? position.url : position.url
        let url = pageURL.absoluteString
        // A position does not contain the secrets of the first URL, without which it would be another list.
        guard let first = argument?.url, [first, pageURL].allSatisfy({ Redaction.url($0) == "\($0)" }),
            !url.contains("***"), url.utf8.count <= 200
        else { return advice }
        let repetition =
            switch isBetweenPages ? 0 : position.skip {
            case 0: ""
            case 1: ", which prints the last item again"
            default: ", which prints the last \(position.skip.groupedText) items again"
            }
        return "resume with the URL \(url.shellQuoted)\(repetition)"
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
    let list: String
    let options: String
    /// The position saved by an earlier run, or `nil` if there is none.
    private(set) var start: SavedPosition?
    /// The file as it was last read or written, or `nil` if there is none.
    private(set) var identity: FileIdentity?

    /// Reads the file of `--resume-file`. Returns `nil` without this option.
    init?(_ options: Options, of input: Input) throws {
        guard let path = options.resumeFile else { return nil }
        guard case .url(let argument) = input else {
            throw CommandError.usage("--resume-file requires a URL")
        }
        (self.path, list, self.options) = (path, Redaction.url(argument.url), options.checksum)
        start = try read()
        // The last run replaced the file of `--output`, and ended before it removed the position.
        if let mark = start?.output, mark.partial != nil,
            options.output.flatMap({ FileStatus(at: $0) }).map(FileIdentity.init) == mark.file
        {
            start = nil
        }
    }

    /// The path in messages.
    var label: String { path.escaped() }

    private mutating func read() throws -> SavedPosition? {
        guard let found = FileStatus(at: path) else {
            try Destination.check(path: path)
            return nil
        }
        // Opening any other file could wait for its writer.
        guard found.isRegular, found.isOwn, found.size > 0 else { throw isForeign }
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        let file = FileInput(descriptor: descriptor, name: label, ownsDescriptor: true)
        guard let status = FileStatus(of: descriptor), status.isRegular, status.size <= 1 << 20 else {
            throw isForeign
        }
        let lines = try file.text(limit: .max, of: "a position").split(separator: "\n")
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

    /// Replaces the file, which only its owner can read because URLs can contain secrets.
    mutating func write(_ position: SavedPosition) throws {
        let found = FileStatus(at: path).map(FileIdentity.init)
        guard found == nil || found == identity else { throw isForeign }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let json = String(decoding: try encoder.encode(position), as: UTF8.self)
        var written: FileStatus?
        try Destination.write("\(Self.heading)\n\(json)\n", to: path) { descriptor in
            written = FileStatus(of: descriptor)
            guard written != nil, fsync(descriptor) == 0 else { throw OutputError.failed(errno) }
        }
        identity = written.map(FileIdentity.init)
    }

    /// Removes the file, unless another program has replaced it.
    mutating func remove() {
        if let identity, FileStatus(at: path).map(FileIdentity.init) == identity { unlink(path) }
        identity = nil
    }

    private var isForeign: CommandError {
        .usage(
            "\(label) is not a resume file written by items",
            hint: "use the path of a new file, which items creates")
    }

    private static let heading = "# items: position of an incomplete list; run the same command to resume"
}
