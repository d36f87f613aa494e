/// The manual page, generated from the option declarations.
enum Manual {
    static var page: String {
        var page = Roff()
        page.macro("TH", "ITEMS", "1", Version.date, "items \(Version.current)", "User Commands")
        page.section("NAME")
        page.line("items - list all items of a REST collection")
        synopsis(&page)
        description(&page)
        options(&page)
        paging(&page)
        output(&page)
        page.section("EXIT STATUS")
        for code in ExitCode.allCases { page.entry(Roff.bold("\(code.rawValue)"), code.meaning) }
        page.section("ENVIRONMENT")
        for variable in environment { page.entry(Roff.bold(variable.name), variable.meaning) }
        page.section("FILES")
        for file in files { page.entry(Roff.italic(file.name), file.meaning) }
        examples(&page)
        page.section("SEE ALSO")
        page.line("curl(1), jq(1), mlr(1), sqlite3(1)")
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
            Lists all items of a REST collection, a file (FILE) or standard input (-), following all pages. Items \
            are printed one per line as they arrive. If the list is not complete, the program prints an error \
            message and ends with an exit status other than 0.
            """)
        page.paragraph(
            """
            Without a URL and a FILE, standard input is read if it is a pipe or a file. Options that also exist in curl have the same meaning, but some have other defaults. Options and the \
            input can be given in any order. If an option or an output format is given twice, or --lines as well as \
            --at, the last one is used; --field and --header add to the earlier ones. -- ends the options.
            """)
        page.subsection("Formats")
        page.line(
            """
            The input is a JSON document. Without --at, its member items is the list, or the document itself.
            """)
        page.paragraph(
            """
            The input can also be JSON Lines or a JSON text sequence (RFC 7464). A file or standard input is read in \
            these formats if --lines is given, if its name ends in .jsonl or .ndjson, or if another value follows on the \
            line after the first one, which has no list items. To tell the formats apart, up to 128 KB are read before \
            the first item is printed, unless --lines or --at is given. A response is read in these formats if --lines \
            is given or, without --at, if its media type says so. If it has another media type than application/json, or \
            none, the end of the path of its URL counts as that of a file. An empty input is an empty list \
            only with --lines or such a name.
            """)
        page.subsection("Paths")
        page.line(
            """
            A PATH consists of member names separated by dots. A backslash escapes a dot or comma in a name, and . \
            alone is the whole document or item.
            """)
        page.paragraph(
            """
            In --at, [] are the elements of a list, which contain the lists: data[].items. If no element has such a \
            list, the exit status is 8. {} are the members of an object: users{}. Each item is then an object with the \
            name of the member as key, and its members or its value. A name in the braces is used instead of key.
            """)
        page.paragraph(
            """
            In --field, [0] is the first element of a list and [] are all of them, which are printed with commas \
            between them, or as a list with --json and --jsonl. A name in double quotes can contain dots, commas, \
            brackets and equals signs. NAME=PATH prints the value with another NAME: owner=user.login.
            """)
        page.subsection("Comparisons")
        page.line(
            """
            The operators of --where and --while are = != < <= > and >=. If the value on the right is a number, numbers \
            and strings that contain one are compared as numbers; all other strings are compared as text, byte by byte, \
            which is the order of dates such as 2026-01-31. Put the value into double quotes to compare it as text in any \
            case. true, false and null can be compared with = and !=. PATH exists selects items with a value that is not null.
            """)
        page.paragraph(
            """
            An item without the member, or with null, meets no comparison except != (and =null, if it has null). With [] in PATH, one of the \
            values has to meet the comparison, or all of them for !=. If no item has the member, the exit status is 10, \
            except with != and exists; and an item without the member of --while is an error as well, because it does not show whether \
            the list ends there. --limit, --count and --expect count the selected items. For all other conditions, pipe --jsonl to jq.
            """)
    }

    private static func options(_ page: inout Roff) {
        page.section("OPTIONS")
        for group in Option.groups {
            page.subsection(group.title)
            for option in group.options {
                let short = option.short.map { Roff.bold("-\($0)") + ", " } ?? ""
                let usage = option.usage(name: Roff.bold, placeholder: Roff.italic)
                let text = option.help.split(separator: "\n").joined(separator: " ")
                page.entry(short + usage, text.prefix(1).uppercased() + text.dropFirst() + ".")
            }
        }
    }

    private static func paging(_ page: inout Roff) {
        page.section("PAGING")
        page.line(
            """
            The next page is found automatically by the conventions of most servers: a Link header, a URL, a token, page \
            numbers or offsets in the response. If the response shows that the list is not complete, and the next page \
            cannot be determined, the run fails, and the hint says what is unknown, or names the --pagination that most likely lists all pages. \
            If the server says that the list is incomplete, as by errors beside the data of GraphQL, "timed_out": true, \
            "partial": true or a number of failed shards, all items are printed, and the exit status is 8, unless \
            --allow-incomplete is given. All pages must have the same scheme, host and port, unless --allow-origin names others. No credential from any \
            option, file or variable, no field of -H and no body is sent to those.
            """)
        page.paragraph(
            """
            A request that fails is repeated (--retry). A page whose body breaks off is requested again and continued \
            after the last printed item, if it still begins with the same items. If that fails, or after Ctrl-C, \
            SIGTERM or SIGHUP, the items received so far are printed; if that takes longer than a second after the \
            signal, the program ends without them. The hint says how to continue, if the output can be appended to.
            """)
        page.subsection("Continuing")
        page.line(
            """
            A run with --resume-file that ends early is continued by the next run of the same command, so that all runs \
            together print each item once. --limit and --expect count the items of all runs, and a header is printed \
            once. The file is created by items, readable only by its owner, and removed when the list is complete. A \
            file that items did not write, a device, a pipe or a symbolic link is refused.
            """)
        page.paragraph(
            """
            If the output is a file (>> or --output), the position is saved with the length of the file before the \
            first request, about once a second after that, and at the end of the run. The next run removes whatever \
            follows that length in the file. Therefore no item is lost or repeated, even if the run was killed or the \
            disk was full. The next run is refused if the output is shorter, for example because the shell has emptied \
            it for >, or if another file would have to be cut. Append with >> instead.
            """)
        page.paragraph(
            """
            If the output is a pipe or a terminal, the position is saved only after an error or a signal, and is that \
            after the last item written to it; whether the reader has used all items is not known. After a run that was \
            killed, or whose reader ended, the next run starts where that run started.
            """)
    }

    private static func output(_ page: inout Roff) {
        page.section("OUTPUT")
        page.line(
            """
            Only items are written to standard output; all messages go to standard error. Each line is an item: a \
            string is printed as it is, any other value as compact JSON. A string that contains a control character, \
            a line separator or a text direction mark, or starts with a quote, is printed as JSON with these \
            characters escaped. Therefore text from a server cannot control the terminal, and wc -l counts the \
            items.
            """)
        page.paragraph(
            """
            With --null a string is always printed as it is, except to a terminal. A string that contains a null byte is \
            an error with the exit status 74. A member of --field that an item does not have is empty; if no item has \
            it, the exit status is 10.
            """)
        page.subsection("Columns")
        page.line(
            """
            A cell of --csv and --tsv is the value: the text of a string, or any other value as compact JSON. Null and a \
            missing member are an empty cell; with --null-value TEXT, null is TEXT. In CSV, a cell with a comma, quote or \
            control character is quoted (RFC 4180), and so is a string that is empty, equals TEXT or starts with #. Therefore PostgreSQL, \
            and DuckDB with allow_quoted_nulls=false, read an empty cell as null and a pair of quotes as an empty string; \
            most other programs read both as an empty string. If there is only one column, an empty cell is a pair of \
            quotes as well, because many programs skip empty lines. In TSV, a tab is \\t, a line feed \\n, a carriage return \\r and a backslash \\\\. \
            On a terminal, a cell with a control character is printed as JSON instead. The columns of --table are aligned, \
            numbers at the right; on a terminal, wide cells are cut, with an ellipsis at the end, so that a row fits its width. With \
            --escape-formulas, text that starts with =, +, -, @, a tab or a line break gets an apostrophe before it.
            """)
        page.paragraph(
            """
            The columns are those of --field or, without it, all members of the items in the order in which they \
            appear; an item that is not an object is in the column item. Therefore rows are printed at the end of the \
            list, or after 16 MB (with --table: also after 1,000 rows). A later value without a column is an error with \
            the exit status 10, unless --drop-extra is given; with --csv or --tsv to the FILE of --output, it adds a column \
            to all rows. With --field, each row is printed as it arrives.
            """)
        page.paragraph(
            """
            If standard output is a file, or with --output, a line on the terminal shows the progress, and a summary follows. \
            If a member occurs twice in an item, the last value is printed, and a warning counts such items. --replace-invalid \
            prints U+FFFD for bytes that are not UTF-8 and for surrogate escapes without their other half, which otherwise end the list.
            """)
        page.paragraph(
            """
            --save-pages DIR writes the body of each complete page to a file of its own, as it came (after its compression), \
            and refuses to replace a file. The page on which --limit or --while ends the list is saved only if it was complete.
            """)
        page.paragraph(
            """
            The FILE of --output is written under a temporary name and renamed when the list is complete, so it is \
            either complete or unchanged. With --resume-file, the temporary file of an incomplete list is kept for the \
            next run. A file that is replaced keeps its mode, and a new one has the mode 0600. If FILE is a symbolic \
            link, its target is replaced. A device or a pipe is written directly.
            """)
    }

    private static let environment: [(name: String, meaning: String)] = [
        ("ITEMS_URL", "The URL to list if the command line has no input."),
        (
            "ITEMS_TOKEN_FILE",
            """
            The path of the file that contains the token for the origin of ITEMS_URL. It is not used for other \
            origins, or if the command line has a credential.
            """
        ),
        (
            "http_proxy, HTTPS_PROXY, NO_PROXY",
            "The proxies for http and https, and the hosts that are contacted without a proxy."
        ),
        ("NO_COLOR", "If it is not empty, --color auto uses no color."),
        ("TMPDIR", "The directory for the temporary file of --atomic (default: /tmp)."),
    ]

    private static let files: [(name: String, meaning: String)] = [
        ("~/.netrc", "User names and passwords by host. It is read only with --netrc."),
        (
            "FILE of --resume-file",
            "The position of an incomplete list, and the length of its output. It exists only until the list is complete."
        ),
    ]

    private static func examples(_ page: inout Roff) {
        page.section("EXAMPLES")
        page.line("All items of all pages:")
        page.example("items https://api.example.com/v1/items")
        page.paragraph("The number of items of a list at another path:")
        page.example("items --count --at data.results https://api.example.com/v1/search")
        page.paragraph("A document from a pipe, which is an array itself:")
        page.example("curl -s https://api.example.com/v1/tags | items - | sort")
        page.paragraph("The members of JSON Lines:")
        page.example("items --jsonl https://api.example.com/v1/items | items --lines --field id,name -")
        page.paragraph("Append to a file, and resume if the last run failed:")
        page.example("items --resume-file list.position https://api.example.com/v1/items >> list")
        page.paragraph("A search that is requested with POST, and one with an encoded query:")
        page.example("items -d '{\"query\": \"tea\"}' --at results https://api.example.com/v1/search")
        page.example("items -G --data-urlencode 'q=green tea' https://api.example.com/v1/items")
        page.paragraph(
            "What is new since a date, in a list with the latest change first, with other names of members:")
        page.example(
            "items --while 'updated_at>=2026-01-01' --field repo=full_name,stars --csv https://api.example.com/v1/repos"
        )
        page.paragraph("The open ones with many stars:")
        page.example("items --where state=open --where 'stars>=100' --count https://api.example.com/v1/repos")
        page.paragraph("The body of each page, as it came:")
        page.example("items --save-pages pages --count https://api.example.com/v1/items")
        page.paragraph("Demo data without a network:")
        page.example("items --demo")
        page.subsection("Other programs")
        page.line(
            """
            Items can be selected, changed and counted by other programs. Each of the following reads all pages of \
            https://api.example.com/v1/people:
            """)
        for pipeline in pipelines {
            page.paragraph("\(pipeline.purpose):")
            page.example("items \(pipeline.command)")
        }
    }

    /// Pipelines into other programs, which `Scripts/command pipelines` runs.
    static let pipelines: [(purpose: String, command: String)] = [
        (
            "The names of those over 40, with jq",
            "--jsonl https://api.example.com/v1/people | jq -r 'select(.age > 40) | .name'"
        ),
        (
            "Sorted by age, with Miller",
            "--csv https://api.example.com/v1/people | mlr --icsv --opprint sort -nr age"
        ),
        (
            "The number by city, with SQLite",
            "--csv https://api.example.com/v1/people | sqlite3 :memory: '.import --csv /dev/stdin people' 'SELECT city, count(*) FROM people GROUP BY city'"
        ),
        (
            "The average age, with DuckDB",
            "--jsonl https://api.example.com/v1/people | duckdb -c \"SELECT avg(age) FROM read_json('/dev/stdin', format='newline_delimited')\""
        ),
    ]
}
