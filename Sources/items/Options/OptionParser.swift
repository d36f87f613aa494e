import RESTClient

/// Parses a command line in GNU style: options and operands in any order, `--` ends the options, short options can be
/// combined, and a value can be joined to its option or follow it.
struct OptionParser {
    private var rest: ArraySlice<String>
    private var options = Options()

    /// Parses `arguments`, which do not include the name of the program.
    static func parse(_ arguments: [String]) throws -> Options {
        var parser = OptionParser(rest: arguments[...])
        try parser.parse()
        return parser.options
    }

    private mutating func parse() throws {
        while let argument = rest.popFirst() {
            if argument == "--" {
                while let operand = rest.popFirst() { try take(operand: operand) }
            } else if argument.hasPrefix("--") {
                try takeLong(argument.dropFirst(2))
            } else if argument.hasPrefix("-"), argument != "-" {
                try takeShort(argument.dropFirst())
            } else {
                try take(operand: argument)
            }
            // Errors after these two options are ignored, as in other programs.
            if [.showHelp, .showAllHelp, .showVersion].contains(options.action) { return }
        }
        if options.format == .lines, !options.endsWithNull, let output = options.output {
            options.format = Options.Format(ofFile: output)
        }
        try options.check()
    }

    private mutating func take(operand: String) throws(CommandError) {
        if let first = options.input {
            throw .usage(
                "only one input is allowed, not \(URLArgument.masked(first).quoted(200)) and \(URLArgument.masked(operand).quoted(200))",
                hint: hint(forInputs: [first, operand]))
        }
        options.input = operand
    }

    /// Returns a hint for an input that is an option after another dash, a filter of jq, or a query or a header field in the syntax
    /// of HTTPie.
    static func hint(forInput input: String) -> String? {
        guard URLArgument.scheme(of: input) == nil else { return nil }
        if let word = input.wholeMatch(of: #/[—–―−]+([\w-]+)(=.*)?/#)?.output.1 {
            return "did you mean \(word.count == 1 ? "-" : "--")\(word)?"
        }
        if FieldPath.isFilter(input) { return FieldPath.filterHint }
        if input.contains(#/^[\w.-]+==/#) { return "put the query into the URL: 'https://…?page=2'" }
        // Not a host with a port.
        let field = input.wholeMatch(of: #/([A-Za-z][\w-]+):(?!\d+(?:\/|$))[^\/].*/#)
        return field.map { "a header field is the value of -H: -H '\($0.1): …'" }
    }

    private func hint(forInputs inputs: [String]) -> String? {
        if let hint = inputs.lazy.compactMap(Self.hint(forInput:)).first { return hint }
        if !options.fields.isEmpty, inputs.contains(where: { !$0.contains(/[^\w\[\]]/) }) {
            return "separate the paths of --field with commas: --field id,name"
        }
        if inputs.contains(where: { $0.hasPrefix("{") || $0.hasPrefix("[") }) {
            return "send a body with -d; --json is the format of the output"
        }
        if let method = inputs.map({ $0.uppercased() }).first(where: ["GET", "POST", "PUT"].contains) {
            return "the method is the value of -X: -X \(method)"
        }
        if inputs.contains(where: { Int($0) != nil }) {
            return "to stop after a number of items, use --limit"
        }
        // The shell has split it.
        let isSplit = inputs.first.flatMap(URLArgument.scheme) != nil
        return isSplit && URLArgument.scheme(of: inputs[1]) == nil
            ? "a URL with spaces or & must be in quotes; write a space as %20" : nil
    }

    private mutating func takeLong(_ text: Substring) throws {
        let (name, joined) = text.divided(at: "=")
        guard let option = Option.all.first(where: { $0.name == name }) else {
            throw Self.unknown("--\(name)")
        }
        guard option.value != nil || joined == nil else {
            throw CommandError.usage("--\(option.name) does not take a value")
        }
        try option.apply(&options, value(of: option, joined: joined))
    }

    /// Parses combined short options such as `-qv`. The last one can take a value: `-vu name`, `-H"A: b"`.
    private mutating func takeShort(_ cluster: Substring) throws {
        // Other programs, such as find, write long options with one dash: -count is not the cookie jar "ount".
        let name = cluster.divided(at: "=").head
        guard !Option.all.contains(where: { $0.name == name }) else { throw Self.unknown("-\(name)") }
        var cluster = cluster.unicodeScalars
        while let letter = cluster.popFirst().map(Character.init) {
            guard let option = Option.all.first(where: { $0.short == letter }) else {
                throw Self.unknown("-\(letter)")
            }
            // A letter with an optional value, -h, can be followed by other letters.
            let hasValue = option.value.map { !$0.isOptional } ?? false
            let joined = cluster.isEmpty || !hasValue ? nil : String(cluster)
            try option.apply(&options, value(of: option, joined: joined))
            if hasValue { return }
        }
    }

    /// Returns the joined value or, if the value is required, the next argument.
    private mutating func value(of option: Option, joined: String?) throws(CommandError) -> String? {
        guard let value = option.value else { return joined }
        if value.takesNextWord, joined == nil, case .words(let words) = value.candidates,
            let next = rest.first
        {
            return words.contains(next) ? rest.popFirst() : nil
        }
        guard !value.isOptional else { return joined }
        let isLast = joined == nil && rest.count == 1
        let canBeEmpty = [.any, .bodyFile].contains(value.candidates)
        guard let text = joined ?? rest.popFirst(), canBeEmpty || !text.isEmpty else {
            throw .usage("--\(option.name) requires a value: \(option.usage)")
        }
        let looksLikeInput = text.contains { "./".contains($0) } && Double(text) == nil
        if isLast && looksLikeInput || URLArgument.scheme(of: text) != nil
            || Options.Format(ofFile: text) != .lines
        {
            options.inputHint = "the value of --\(option.name) looks like the input"
        }
        return text
    }

    private static func unknown(_ option: String) -> CommandError {
        let hint = OptionAlias.hint(for: option) ?? nearest(to: option).map { "did you mean \($0)?" }
        return .usage("unknown option \(option.escaped(80))", hint: hint ?? "see items --help")
    }

    /// Returns the option that starts with `text` or differs from it by at most two added or removed letters.
    private static func nearest(to text: String) -> String? {
        guard text.count <= 40 else { return nil }
        guard text.hasPrefix("--") else {
            // A long option with one dash, or a letter in the other case.
            return text.count > 2
                ? "-\(text)"
                : Option.all.compactMap(\.short).map { "-\($0)" }
                    .first { $0.lowercased() == text.lowercased() }
        }
        let names = Option.all.map { "--\($0.name)" }
        if text.count > 3, let whole = names.first(where: { $0.hasPrefix(text) }) { return whole }
        return text.nearest(in: names)
    }
}

/// Options of curl, jq, gh and earlier versions that `items` does not have, with hints for the equivalents.
enum OptionAlias {
    /// The hint for `option`, which includes its dashes.
    static func hint(for option: String) -> String? { all.first { $0.names.contains(option) }?.hint }

    static let all: [(names: Set<String>, hint: String)] = table.split(separator: "\n").map { row in
        let (names, hint) = row.divided(at: ":")
        return (Set(names.split(separator: " ").map(String.init)), String((hint ?? "").dropFirst()))
    }

    private static let table = """
        -k --insecure --no-verify --verify: certificates are always verified; trust yours with --cacert
        -L --location --follow: redirects are followed by default; use --max-redirs 0 to disable them
        -s -S --silent --show-error: use -q to print only errors
        -f --fail --fail-with-body --check-status: every failure has an exit status; --field selects members
        -N --no-buffer --stream: items are printed as they arrive
        -K --config: give the options on the command line
        -w --write-out --timing: use -v, which prints the times of each request, and all headers
        --method: use -X METHOD
        --input --file: pass the FILE as an argument
        --parallel --parallel-max --concurrency: use --jobs for the number of pages at the same time
        --session: use -c FILE and -b FILE for cookies
        --no-retry: use --retry 0
        --data-ascii: use --data
        -F --form: use --data, or --data-urlencode for a form without files
        --colour: use --color auto, always or never
        --url-query: put the query into the URL, or use --get with --data-urlencode
        -i --include -I --head -D --dump-header --print: use -v to print requests and responses, or --limit for the first items
        -A --user-agent: use a header field: -H 'User-Agent: NAME'
        -e --referer: use a header field: -H 'Referer: URL'
        --token --bearer --oauth2-bearer: use --token-file FILE
        --auth: use -u USER, or --token-file FILE
        --timeout: use --max-time for the whole list, or --idle-timeout
        --http2 --http2-prior-knowledge: HTTP/2 is used if the server supports it
        -T --upload-file: use -X PUT --data-binary @FILE
        --graphql --query: send a query with -d, as in -d '{"query": "…"}'
        --dry-run --curl: use --offline to print the request
        --debug --trace --trace-ascii: use -v
        --no-color --nocolor: use --color never
        --icsv --ijson --ixml: the input is JSON; use mlr or another program for other formats
        --format --output-format: use --csv, --tsv, --table, --json or --jsonl
        --ndjson --json-lines --jsonlines --compact --compact-output: use --jsonl to print each item on one line
        --retries: use --retry
        --select --columns --cols --exclude --drop-extra: use --field to name the members that are printed
        --append: use >> of the shell
        --skip --tail: pipe the items to tail, as in '| tail -n 5', or '| tail -n +2' without the first
        --filter: use --where to select items
        --since --until: use --while to stop at the first other item, as in --while 'date>=2026-01-31'
        --manual: use --man for the manual page
        --path --root: use --at for the path of the list
        --max --max-items --first --take: use --limit to stop after a number of items
        --page --per-page --page-size --from --offset --cursor --start --after: put it into the URL, as in 'https://…?page=2&per_page=100'
        --sort --sort-by --order --order-by --distinct --unique --uniq --group-by --reverse: pipe the items to sort, uniq, jq or DuckDB
        --pretty --indent: pipe --json to jq
        --xml --yaml --html --markdown: pipe --json to a program that converts it
        --no-header --no-headers --no-header-row --headers-off: use --field without --csv for values without a header
        --delimiter --sep --separator: use --csv or --tsv; csvformat and mlr write others
        --parquet --sqlite --excel --xlsx --duckdb: pipe --csv or --jsonl to DuckDB or sqlite3, as in items --man
        --proxy-user: put them into the URL: --proxy http://USER:PASSWORD@HOST:PORT
        --netrc-file: use -n, which reads ~/.netrc
        --noproxy: set NO_PROXY, or use --proxy ''
        --retry-delay: the delay increases with each attempt, unless the server sets it with Retry-After or as the reset of a rate limit
        --compressed: compression is always requested
        --url: pass the URL without an option
        -O --remote-name: use -o FILE
        -r --raw --raw-output: strings are printed raw by default; --jsonl prints them as JSON
        --atomic: use -o FILE, which is replaced only by a complete list
        --no-paginate: use --pagination none
        --fail-empty: use --expect 1+
        -j --raw-output0: use -0 to end each item with a null byte, or --jobs for pages at the same time
        --jq --template --json-path --jsonpath: \(FieldPath.filterHint)
        --all --all-pages --pages --paginate --slurp: all pages are listed by default; --json prints one array
        """
}
