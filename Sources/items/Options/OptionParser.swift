import RESTClientHTTP

/// Reads a command line the way GNU programs do: options and operands in any order, `--` ends the options, short
/// ones may stand together, and values may be joined to their option or follow it.
struct OptionParser {
    private var rest: ArraySlice<String>
    private var options = Options()

    /// What `arguments`, without the name of the program, ask for.
    static func parse(_ arguments: [String]) throws(UsageError) -> Options {
        var parser = OptionParser(rest: arguments[...])
        try parser.parse()
        return parser.options
    }

    private init(rest: ArraySlice<String>) { self.rest = rest }

    private mutating func parse() throws(UsageError) {
        while let argument = rest.popFirst() {
            if argument == "--" {
                try takeOperands()
            } else if argument.hasPrefix("--") {
                try takeLong(argument.dropFirst(2))
            } else if argument.hasPrefix("-"), argument != "-" {
                try takeShort(argument.dropFirst())
            } else {
                try take(operand: argument)
            }
            // Like everywhere else, these two win over whatever else is wrong behind them.
            if options.action == .showHelp || options.action == .showVersion { return }
        }
        try options.check()
    }

    private mutating func takeOperands() throws(UsageError) {
        while let operand = rest.popFirst() { try take(operand: operand) }
    }

    private mutating func take(operand: String) throws(UsageError) {
        if let first = options.input {
            throw UsageError(
                "one input at a time, not \(TerminalEscaping.quoted(Input.redacted(first))) and \(TerminalEscaping.quoted(Input.redacted(operand)))"
            )
        }
        options.input = operand
    }

    private mutating func takeLong(_ text: Substring) throws(UsageError) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let joined = parts.count > 1 ? String(parts[1]) : nil
        guard let option = Option.all.first(where: { $0.name == parts[0] }) else {
            throw Self.unknown("--\(parts[0])")
        }
        switch option.value {
        case .none(let apply):
            guard joined == nil else { throw UsageError("--\(option.name) takes no value") }
            apply(&options)
        case .required(_, _, let apply): try apply(&options, value(of: option, joined: joined))
        case .optional(_, _, let apply): try apply(&options, joined)
        }
    }

    /// A cluster such as `-qv`, of which the last may take a value: `-vu name`, `-H"A: b"`.
    private mutating func takeShort(_ cluster: Substring) throws(UsageError) {
        // Many programs, such as find, write long ones with one dash.
        let name = cluster.prefix { $0 != "=" }
        var cluster = cluster
        while let letter = cluster.popFirst() {
            guard let option = Option.all.first(where: { $0.short == letter }) else {
                let isLong = Option.all.contains { $0.name == name }
                throw Self.unknown(isLong ? "-\(name)" : "-\(letter)")
            }
            switch option.value {
            case .none(let apply): apply(&options)
            case .required(_, _, let apply):
                let joined = cluster.isEmpty ? nil : String(cluster)
                return try apply(&options, value(of: option, joined: joined))
            case .optional(_, _, let apply):
                return try apply(&options, cluster.isEmpty ? nil : String(cluster))
            }
        }
    }

    private mutating func value(of option: Option, joined: String?) throws(UsageError) -> String {
        guard let value = joined ?? rest.popFirst(), !value.isEmpty || !option.takesFile else {
            throw UsageError("--\(option.name) needs a value: \(option.usage)")
        }
        return value
    }

    private static func unknown(_ option: String) -> UsageError {
        let hint = OptionAlias.hint(for: option) ?? nearest(to: option).map { "did you mean \($0)?" }
        return UsageError(
            "unknown option \(TerminalEscaping.escaped(option, limit: 80))",
            hint: hint ?? "items --help names them all")
    }

    /// The option that `text` begins, or that a slip or two make of it.
    private static func nearest(to text: String) -> String? {
        guard text.count <= 40 else { return nil }
        guard text.hasPrefix("--") else {
            // Of one letter in the other case, or long with one dash.
            return text.count > 2
                ? "-\(text)"
                : Option.all.compactMap(\.short).map { "-\($0)" }
                    .first { $0.lowercased() == text.lowercased() }
        }
        let names = Option.all.map { "--\($0.name)" }
        if text.count > 3, let whole = names.first(where: { $0.hasPrefix(text) }) { return whole }
        return names.map { (name: $0, slips: EditDistance.between($0, text)) }
            .filter { $0.slips <= 2 && $0.slips * 2 <= $0.name.count - 2 }
            .min { $0.slips < $1.slips }?.name
    }
}

/// Options of curl, jq and gh that people bring along, and that do not exist here: what does the same, or why nothing does.
enum OptionAlias {
    /// What to do in place of `option`, which is written with its dashes.
    static func hint(for option: String) -> String? { all.first { $0.names.contains(option) }?.hint }

    static let all: [(names: Set<String>, hint: String)] = [
        (["-k", "--insecure"], "certificates are always checked; add yours to those that the system trusts"),
        (["-L", "--location"], "redirects are followed unless --max-redirs 0 says otherwise"),
        (["-s", "-S", "--silent", "--show-error"], "-q says nothing but errors"),
        (["-f", "--fail", "--fail-with-body"], "the exit status tells every failure"),
        (
            ["-X", "--request", "-d", "--data", "--data-raw", "-F", "--form"],
            "a list is asked for with GET alone"
        ),
        (["-G", "--get"], "a list is always asked for with GET; write the query into the URL"),
        (["-i", "--include", "-I"], "-v shows what is sent and what comes back"),
        (["-A", "--user-agent"], "write it as a header field: -H 'User-Agent: NAME'"),
        (["-b", "--cookie"], "write it as a header field: -H 'Cookie: NAME=VALUE'"),
        (["-e", "--referer"], "write it as a header field: -H 'Referer: URL'"),
        (["--token", "--bearer", "--oauth2-bearer"], "a token comes from a file: --token-file FILE"),
        (["--netrc-file"], "-n reads ~/.netrc"),
        (["-x", "--proxy"], "the environment names the proxy: http_proxy, HTTPS_PROXY, NO_PROXY"),
        (["--connect-timeout"], "--idle-timeout counts the time to connect, too"),
        (["--retry-delay"], "the wait grows with each attempt, or is what the server asks for"),
        (["--compressed"], "replies are always asked for compressed"),
        (["--url"], "the URL stands by itself"),
        (["-O", "--remote-name"], "name the file: -o FILE"),
        (["-r", "--raw-output"], "a string is printed as it is; --jsonl prints it as JSON"),
        (["-j", "--raw-output0"], "-0 ends each item with a null byte"),
        (["-c", "--compact-output"], "--jsonl prints each item on a line"),
        (["--jq", "--template"], "--at and --field choose what is printed; --jsonl is for jq"),
        (["--paginate", "--slurp"], "every page is listed; --json prints one array of them"),
    ]
}
