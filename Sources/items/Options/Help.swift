/// The text of `--help`, made from the declarations of the options.
enum Help {
    /// The ways to call it.
    static let usages = [
        "items [OPTIONS] URL | FILE | -",
        "items --demo[=SCENARIO] [OPTIONS]",
        "items --serve[=SCENARIO] [--port N]",
    ]

    static var text: String {
        var text = """
            Usage: \(usages.joined(separator: "\n       "))

            Lists everything behind a REST collection: one item a line, as it arrives.

            """
        for group in Option.Group.allCases {
            text += "\n\(group.rawValue)\n"
            for option in Option.all where option.group == group { text += entry(option) }
        }
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
        Environment: ITEMS_URL is listed where no input is named; ITEMS_TOKEN_FILE has
        the token for its origin; http_proxy, HTTPS_PROXY and NO_PROXY name proxies.

        """

    private static let exits = """
        Exit status: 0 the list is complete, or --limit was reached; 2 out of time;
        3, 4, 5 the server said 3xx, 4xx, 5xx; 6 a redirect refused; 7 no connection;
        8 not a valid or not a complete list; 9 a limit; 64 usage; 66 no such file;
        70 internal error; 74 output failed; 130, 141 interrupted; 1 anything else.

        """
}
