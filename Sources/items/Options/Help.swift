import Foundation

/// The texts of `--help` and `--help all`, generated from the option declarations.
enum Help {
    /// The synopsis lines.
    static let usages = [
        "items [OPTIONS] URL | FILE | -",
        "items --demo[=SCENARIO] [OPTIONS]",
        "items --serve[=SCENARIO|FILE.har] [--port N]",
    ]

    /// One screen: the most common options, and examples.
    static var short: String {
        var text = """
            Usage: \(usages[0])

            Lists all items of a REST collection, one per line, following all pages.


            """
        for (name, meaning) in common {
            guard let option = Option.all.first(where: { $0.name == name }) else { continue }
            let short = option.short.map { "-\($0), " } ?? "    "
            let usage = option.usage.prefix { $0 != "|" }
            let head = "  \(short)\(usage)"
            text += head.padding(toLength: max(commonColumn, head.count + 2), withPad: " ", startingAt: 0)
            text += meaning + "\n"
        }
        return text + "\nExamples:\n" + examples.map { "  \($0)\n" }.joined()
    }

    /// The common options, and their descriptions on one line.
    static let common: KeyValuePairs<String, String> = [
        "at": "list the array at this path, such as data.results",
        "field": "print these members of each item, such as id,name",
        "limit": "stop after N items",
        "json": "print one JSON array (--jsonl: one line per item)",
        "csv": "print comma-separated values (--table: aligned)",
        "output": "write to FILE, when the list is complete",
        "header": "send a header field",
        "token-file": "authenticate with the bearer token in FILE",
        "resume-file": "continue a failed or interrupted list on the next run",
        "verbose": "print requests and responses",
        "man": "print the manual page: items --man | man -l -",
        "help": "print this help, or that of all options",
    ]

    static let examples = [
        "items https://api.example.com/v1/items",
        "items --at data.results --field id,name --table https://api.example.com/find",
        "items --csv -o items.csv --token-file token https://api.example.com/v1/items",
    ]

    private static let commonColumn = 27

    /// All options, the environment and the exit codes.
    static var text: String {
        var text = """
            Usage: \(usages.joined(separator: "\n       "))

            Lists all items of a REST collection, one per line, as they arrive.

            """
        for group in Option.groups { text += "\n\(group.title)\n" + group.options.map(entry).joined() }
        return text + "\n" + environment + "\n" + exits
    }

    private static func entry(_ option: Option) -> String {
        let short = option.short.map { "-\($0), " } ?? "    "
        let head = "  \(short)\(option.usage)"
        let lines = option.help.split(separator: "\n")
        let indent = String(repeating: " ", count: column)
        let fits = head.count + 2 <= column
        let first = fits ? head + String(repeating: " ", count: column - head.count) : head + "\n" + indent
        return first + lines.joined(separator: "\n\(indent)") + "\n"
    }

    private static let column = 24

    private static let environment = """
        Environment: ITEMS_URL is the default input; ITEMS_TOKEN_FILE is the file with
        the token for its origin; http_proxy, HTTPS_PROXY and NO_PROXY select proxies.

        """

    private static let exits = """
        Exit status: 0 complete, or --limit reached; 2 timeout; 3, 4, 5 response 3xx,
        4xx, 5xx; 6 redirect refused; 7 no connection; 8 invalid or incomplete list;
        9 limit exceeded; 10 value without column, or no such field; 64 usage error;
        66 file not readable; 74 output failed; 129 ended by SIGHUP; 130 interrupted;
        141 output closed by its reader; 143 ended by SIGTERM; 1 any other.

        """
}
