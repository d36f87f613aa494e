import RESTClientHTTP
import RESTClient

/// What a run knows of one that stopped before it, and leaves for one behind it.
struct Resumption {
    /// Where an earlier run left word that it stopped; `nil` is where the command line says.
    let start: ResumeToken?
    private let options: Options
    private let argument: URLArgument?
    private let file: ResumeFile?

    /// - Throws: `UsageError` for what cannot go on, or for two places to go on at; what `ResumeFile.read` throws.
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
    func note(_ place: ResumeToken) throws -> String? {
        guard let file else { return nil }
        try file.write(place)
        return
            "the same command\(options.from == nil ? "" : " without --from") goes on where this one stopped"
    }

    /// What to write to go on at `place`, of which no word is left.
    func hint(at place: ResumeToken) -> String {
        let page = "it stopped on page \(place.page.grouped)"
        guard let argument, options.canBeAddedTo else { return page }
        // The header of --csv would begin again.
        guard options.form != .csv,
            let (number, itemsBefore) = options.paging.pagination.number(of: place, in: argument.url)
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
    func end() { file?.remove() }

    private static func needsURL(_ option: String) -> UsageError {
        UsageError("\(option) is for URLs: only pages can be asked for from the middle on")
    }
}
