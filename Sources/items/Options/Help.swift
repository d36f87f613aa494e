/// The text of `--help`, generated from the option declarations.
enum Help {
    /// The synopsis lines.
    static let usages = [
        "items [OPTIONS] URL | FILE | -",
        "items --demo[=SCENARIO] [OPTIONS]",
        "items --serve[=SCENARIO] [--port N]",
    ]

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
        66 file not readable; 70 internal error; 74 output failed; 130 interrupted;
        141 output closed by its reader; 1 any other.

        """
}
