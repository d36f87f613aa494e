/// The manual page, made from the same declarations as the help.
enum Manual {
    static var page: String {
        var page = Roff()
        page.macro("TH", "ITEMS", "1", Version.date, "items \(Version.current)", "User Commands")
        page.section("NAME")
        page.line("items - list everything behind a REST collection")
        synopsis(&page)
        description(&page)
        options(&page)
        output(&page)
        page.section("EXIT STATUS")
        for code in ExitCode.allCases { page.entry(Roff.bold("\(code.rawValue)"), code.meaning) }
        page.section("ENVIRONMENT")
        for variable in environment { page.entry(Roff.bold(variable.name), variable.meaning) }
        page.section("FILES")
        for file in files { page.entry(Roff.italic(file.name), file.meaning) }
        examples(&page)
        page.section("SEE ALSO")
        page.line("curl(1), jq(1)")
        return page.text
    }

    private static func synopsis(_ page: inout Roff) {
        page.section("SYNOPSIS")
        for (index, usage) in Help.usages.enumerated() {
            if index > 0 { page.raw(".br") }
            page.raw(Roff.bold("items") + Roff.plain(usage.dropFirst("items".count)))
        }
    }

    private static func description(_ page: inout Roff) {
        page.section("DESCRIPTION")
        page.line(
            """
            Lists everything behind a REST collection, a file (FILE) or the standard input (-): every page, one \
            item a line, as it arrives. The list is complete, or the exit status and a message say that it is not.
            """)
        page.paragraph(
            """
            An option about requests, times or retries that curl has means here what it means there. Options and \
            the input may come in any order; of two forms of output, or two values of one option, the later counts; -- ends the \
            options. A PATH names members from the outside in, with dots between; a dot or a comma that belongs to \
            a name has a backslash before it, and . alone is the whole document, or the whole item.
            """)
    }

    private static func options(_ page: inout Roff) {
        page.section("OPTIONS")
        for group in Option.Group.allCases {
            page.subsection(group.rawValue)
            for option in Option.all where option.group == group {
                let short = option.short.map { Roff.bold("-\($0)") + ", " } ?? ""
                let text = option.help.split(separator: "\n").joined(separator: " ")
                page.entry(short + tag(option), text.prefix(1).uppercased() + text.dropFirst() + ".")
            }
        }
    }

    private static func tag(_ option: Option) -> String {
        let name = Roff.bold("--\(option.name)")
        return switch option.value {
        case .none: name
        case .required(let placeholder, _, _): "\(name) \(Roff.italic(placeholder))"
        case .optional(let placeholder, _, _): "\(name)[=\(Roff.italic(placeholder))]"
        }
    }

    private static func output(_ page: inout Roff) {
        page.section("OUTPUT")
        page.line(
            """
            The standard output has items and nothing else; everything else goes to the standard error. A line is \
            an item: a string as it is, any other value as compact JSON. A string with a control character, a line \
            separator or a text-direction mark in it, or with a quote at its start, is printed as JSON, those \
            characters escaped. So nothing that a server sends can drive the terminal, and wc -l counts items.
            """)
        page.paragraph(
            """
            With --null a string is printed as it is, unless it begins with a quote, holds a null byte, or goes to a \
            terminal. A member of --field that an item does not have is an empty cell; in CSV a string without \
            characters is a pair of quotes.
            """)
        page.paragraph(
            """
            FILE of --output is written beside its name and renamed when the list is complete, so it is all there or \
            as it was before; a device, a pipe, or what a link leads to is written directly.
            """)
    }

    private static let environment: [(name: String, meaning: String)] = [
        ("ITEMS_URL", "The URL to list where the command line names no input."),
        (
            "ITEMS_TOKEN_FILE",
            """
            The file whose token signs in at the origin of ITEMS_URL, and nowhere else, unless the command line \
            signs in itself.
            """
        ),
        (
            "http_proxy, HTTPS_PROXY, NO_PROXY",
            "The proxy for requests of that scheme, and the hosts that are asked without it."
        ),
        ("TMPDIR", "The folder for the temporary file of --atomic, /tmp by default."),
    ]

    private static let files: [(name: String, meaning: String)] = [
        ("~/.netrc", "Users and passwords by host, read with --netrc alone.")
    ]

    private static func examples(_ page: inout Roff) {
        page.section("EXAMPLES")
        page.line("All items of all pages:")
        page.example("items https://api.example.com/v1/items")
        page.paragraph("How many there are, where the list is at another place:")
        page.example("items --count --at data.results https://api.example.com/v1/search")
        page.paragraph("Through a pipe, where the document itself is the list:")
        page.example("curl -s https://api.example.com/v1/tags | items --at . - | sort")
        page.paragraph("To a file, from where the last run stopped, if it failed:")
        page.example("items --resume-file list.stopped https://api.example.com/v1/items >> list")
        page.paragraph("Without a network:")
        page.example("items --demo")
    }
}

extension ExitCode {
    /// When the program ends with it.
    var meaning: String {
        switch self {
        case .success: "The list is complete, even if it is empty, or as long as --limit allows."
        case .failure: "Anything that has no number of its own."
        case .timedOut: "Out of time."
        case .redirection: "The server answered 3xx, and not with a redirect to follow."
        case .clientError: "The server answered 4xx."
        case .serverError: "The server answered 5xx."
        case .redirectRefused: "Too many redirects, or one that is not safe to follow."
        case .noConnection: "No connection: name, network, encryption, or a reset before the answer."
        case .badList: "The reply is no valid list, or not a complete one."
        case .limit: "A limit was reached, such as that of bytes."
        case .usage: "The command line cannot be followed."
        case .noInput: "There is no such file, or it cannot be read."
        case .trap: "An internal error, usually of the platform's HTTP library on this reply."
        case .outputFailed: "The output cannot be written."
        case .interrupted: "Interrupted: SIGINT."
        case .brokenPipe: "Nobody reads the output any more: SIGPIPE."
        }
    }
}
