import RESTClient

extension Option {
    /// All options, in the order of the help.
    static let all: [Option] = groups.flatMap(\.options)

    /// The sections of the help.
    static let groups = [
        Group(title: "Selection", options: selection),
        Group(title: "Output format", options: format),
        Group(title: "Pagination", options: pagination),
        Group(title: "Request", options: request),
        Group(title: "Connection", options: connection),
        Group(title: "Timeouts and retries (times in seconds, such as 2 or 0.5; 0: no limit)", options: time),
        Group(title: "Limits, in bytes or with K, M, G", options: limits),
        Group(title: "Diagnostics and help", options: general),
    ]

    private static let selection: [Option] = [
        Option(
            "at", "PATH",
            "list the array at this path, such as data.results;\nthose in its elements: data[].items; the members of an\nobject, with their names as key: users{}; . is the\ndocument (default: items, or an array as document)"
        ) { $0.at = try ListPath($1) },
        Option(
            "lines", "list the values of JSON Lines or of a JSON text\nsequence",
            \.at, .sequence),
        Option(
            "field", "PATH[,PATH]",
            "print these members of each item, separated by tabs:\nname, home.city, tags[0], or owners[].name for all;\nNAME=PATH renames one; separate paths with commas, or\nrepeat the option"
        ) { $0.fields += try FieldPath.list($1) },
        Option(
            "where", "PATH=VALUE",
            "print only items that meet this comparison: = != < <=\n> >=, or 'PATH exists'; if repeated, all of them"
        ) { $0.conditions.append(try Condition($1, of: "--where")) },
        Option(
            "while", "PATH=VALUE",
            "stop at the first item that does not meet this\ncomparison, and request no more pages"
        ) { $0.bounds.append(try Condition($1, of: "--while")) },
        Option("limit", "N", "stop after N items and cancel the transfer", \.limit, OptionValue.count),
        Option(
            "demo", optional: "SCENARIO", candidates: .words(["list"] + Scenario.all.map(\.name)),
            "list built-in demo data without a network;\n--demo=list prints the scenarios"
        ) { options, text in
            if text == "list" {
                options.action = .listScenarios
            } else {
                options.demo = try Scenario(named: text)
            }
        },
        Option(
            "serve", optional: "SCENARIO|FILE.har", candidates: .words(Scenario.all.map(\.name)),
            "serve one demo, all demos, or the replies in an HTTP\narchive on 127.0.0.1 until interrupted, and print the\nURLs"
        ) { $0.action = try .serving($1) },
        Option(
            "serve-files", "with --serve=FILE.har: also serve the files beside it to\nwhich it refers",
            \.servesFiles, true),
        Option("port", "N", "listen on this port (default: any free port)", \.port, OptionValue.port),
    ]

    private static let format: [Option] = [
        Option("null", short: "0", "end each item with a null byte, as for xargs -0", \.endsWithNull, true),
        Option("json", "print one JSON array", \.format, .json),
        Option("jsonl", "print each item as one line of JSON", \.format, .jsonl),
        Option("csv", "print comma-separated values with a header", \.format, .csv),
        Option("tsv", "print tab-separated values with a header", \.format, .tsv),
        Option(
            "drop-extra", "with --csv, --tsv and --table: drop values without a\ncolumn instead of failing",
            \.dropsExtra, true),
        Option(
            "escape-formulas",
            "with --csv and --tsv: put ' before text that a\nspreadsheet would run as a formula",
            \.escapesFormulas, true),
        Option(
            "null-value", "TEXT",
            "with --csv, --tsv and --table: print TEXT for null\n(default: an empty cell)", \.nullValue,
            OptionValue.nullValue),
        Option("table", "print aligned columns with a header", \.format, .table),
        Option("count", "print only the number of items", \.format, .count),
        Option(
            "output", short: "o", "FILE", candidates: .file,
            "write to FILE, which is replaced when the list is\ncomplete"
        ) { $0.output = $1 == "-" ? nil : $1 },
        Option("atomic", "print nothing unless the list is complete", \.isAtomic, true),
    ]

    private static let pagination: [Option] = [
        Option(
            "pagination", "RULE", candidates: .words(PaginationOption.words),
            """
            find the next page by this rule (default: auto); rules:
            auto, none, link, next:PATH, page:PARAMETER,PATH,
            offset:PARAMETER,PATH, token:PARAMETER,PATH,FLAG,
            last:PARAMETER,PATH,FLAG, header:SENT-AS,NAME,
            graphql:VARIABLE, scroll:PARAMETER,PATH,URL,body=JSON,
            or a preset such as stripe, notion or github-graphql,
            which also selects the list unless --at is given;
            add ,more=FLAG for a flag that is true while items
            follow (FLAG alone means this), ,last=FLAG for one that
            is true on the last page, ,first=N for the number of the
            first page or item; PATH is - if there is none, or
            header:NAME for a token in a header field; FLAG=TEXT is
            a flag that has this text
            """
        ) { $0.pagination = try PaginationOption($1) },
        Option(
            "max-pages", "N", "fail if there are more than N pages (default: 1000)", \.maxPages,
            OptionValue.positive),
        Option(
            "jobs", "N",
            "request up to N pages concurrently, if their URLs are\nknown in advance (default: 2)",
            \.jobs, OptionValue.positive),
        Option(
            "allow-origin", "URL",
            "also follow pages to this scheme, host and port; no\ncredential and no field of -H is sent to it"
        ) { $0.allowedOrigins.append(try OptionValue.origin($1)) },
        Option(
            "replace-invalid",
            "print U+FFFD for text that is not valid Unicode instead\nof failing, and report the number",
            \.replacesInvalidText, true),
        Option(
            "allow-incomplete",
            "accept a list of which the server says that it is\nincomplete, as by a timeout, or by errors of GraphQL",
            \.allowsIncomplete, true),
        Option(
            "from", "N",
            "start at this page number or offset; the query item is\ntaken from --pagination or the URL (default: page)",
            \.from, OptionValue.count),
        Option(
            "resume-file", "FILE", candidates: .file,
            "save the position in FILE until the list is complete,\nand continue from it on the next run"
        ) { $0.resumeFile = $1 },
        Option(
            "save-pages", "DIR", candidates: .file,
            "write the body of each page to DIR as well, as it came:\n0001.json, 0002.json and so on"
        ) { $0.pagesDirectory = $1 },
    ]

    private static let request: [Option] = [
        Option(
            "header", short: "H", "NAME:VALUE|@FILE", "send a header field, or those in FILE, one per line"
        ) { $0.headers.append($1) },
        Option(
            "request", short: "X", "METHOD", candidates: .words(["GET", "POST", "PUT", "QUERY", "REPORT"]),
            "use this method (default: GET, with --data POST)"
        ) { $0.method = $1 },
        Option(
            "data", short: "d", "DATA|@FILE", candidates: .bodyFile,
            "send this body, or the contents of FILE: as JSON if it\nbegins with { or [, otherwise as a form; parameters of\nfurther pages are put into JSON, otherwise into the URL"
        ) { $0.data.append(BodyPart(kind: .data, text: $1)) },
        Option("data-raw", "DATA", "send this body, in which @ has no special meaning") {
            $0.data.append(BodyPart(kind: .raw, text: $1))
        },
        Option(
            "data-binary", "DATA|@FILE", candidates: .bodyFile,
            "send this body, or FILE with its line breaks"
        ) { $0.data.append(BodyPart(kind: .binary, text: $1)) },
        Option(
            "data-urlencode", "DATA",
            "send CONTENT, NAME=CONTENT, @FILE or NAME@FILE with\nCONTENT encoded for a form"
        ) { $0.data.append(BodyPart(kind: .urlEncoded, text: $1)) },
        Option("get", short: "G", "put the data into the query of the URL", \.putsDataIntoQuery, true),
        Option(
            "user", short: "u", "USER[:PASSWORD]",
            "authenticate with Basic, only at the origin of the URL;\nprompt for a missing password"
        ) { $0.user = OptionValue.user($1) },
        Option("token-file", "FILE|-", candidates: .file, "authenticate with the bearer token in FILE") {
            $0.tokenFile = $1
        },
        Option(
            "netrc", short: "n",
            "authenticate with the entry for the host in ~/.netrc,\nonly at the origin of the URL",
            \.usesNetrc, true),
        Option(
            "max-redirs", "N", "follow at most N redirects (default: 10)", \.maxRedirects, OptionValue.count),
    ]

    private static let connection: [Option] = [
        Option(
            "cacert", "FILE", candidates: .file,
            "trust the authorities in FILE (PEM) instead of those of\nthe system"
        ) { $0.connection.caFile = $1 },
        Option(
            "capath", "DIR", candidates: .file,
            "trust the authorities in DIR, which openssl rehash has\nprepared, instead of those of the system"
        ) { $0.connection.caFolder = $1 },
        Option(
            "cert", short: "E", "FILE[:PASSWORD]", candidates: .file,
            "authenticate with the certificate and the key in FILE\n(PEM)"
        ) { options, text in
            let (file, password) = text.divided(at: ":")
            options.connection.clientCertificate = file
            if let password { options.connection.keyPassword = password }
        },
        Option("key", "FILE", candidates: .file, "read the key of --cert from FILE (PEM)") {
            $0.connection.clientKey = $1
        },
        Option("pass", "PASSWORD", "decrypt the key of --cert with PASSWORD") {
            $0.connection.keyPassword = $1
        },
        Option(
            "pinnedpubkey", "HASHES",
            "accept only servers with one of these public keys, such\nas 'sha256//...=;sha256//...='"
        ) { $0.connection.pinnedPublicKeys = $1.split(separator: ";").map(String.init) },
        Option(
            "unix-socket", "PATH", candidates: .file, "send all requests to the Unix socket PATH"
        ) { $0.connection.unixSocket = $1 },
        Option(
            "proxy", short: "x", "URL",
            "use this proxy (http, https, socks4, socks5, socks5h),\nor none if URL is empty (default: the environment)"
        ) { $0.connection.proxy = $1 },
        Option(
            "resolve", "HOST:PORT:ADDRESS", "use this address of the host instead of looking it up"
        ) { $0.connection.addresses.append($1) },
        Option("http1.1", "do not use HTTP/2", \.connection.usesHTTP1Only, true),
        Option("ipv4", short: "4", "use addresses of IPv4 only", \.connection.ipVersion, .v4),
        Option("ipv6", short: "6", "use addresses of IPv6 only", \.connection.ipVersion, .v6),
    ]

    private static let time: [Option] = [
        Option(
            "connect-timeout", "SECONDS",
            "fail if no connection is open after this time (default:\nthat of --idle-timeout)",
            \.connection.connectTimeout, OptionValue.seconds),
        Option(
            "idle-timeout", "SECONDS", "fail if no data is received for this time (default: 30)",
            \.idleTimeout, OptionValue.seconds),
        Option(
            "max-time", short: "m", "SECONDS", "fail after this time in total (default: none)", \.maxTime,
            OptionValue.seconds),
        Option(
            "retry", "N", "retry transient failures up to N times, but no idle\ntimeouts (default: 2)",
            \.retries, OptionValue.count),
        Option(
            "rate", "N/UNIT", "start at most N requests per s, m or h, such as 10/s", \.requestInterval,
            OptionValue.interval),
        Option(
            "retry-max-time", "SECONDS", "start no retry after this time (default: 60)", \.retryMaxTime,
            OptionValue.seconds),
    ]

    private static let limits: [Option] = [
        Option(
            "max-bytes", "SIZE", "limit the total size of all pages (default: 4G)", \.maxBytes,
            OptionValue.size),
        Option(
            "max-item", "SIZE", "limit the size of an item (default: 16M)", \.maxItemBytes, OptionValue.size),
    ]

    private static let general: [Option] = [
        Option(
            "verbose", short: "v", "print requests and responses, with secrets masked", \.verbosity, .verbose),
        Option(
            "timing",
            "report the times of the slowest requests at the end:\nlookup of the host, connection, TLS, wait for the\nresponse, and total; and the number of connections",
            \.reportsTiming, true),
        Option("quiet", short: "q", "print only errors", \.verbosity, .quiet),
        Option(
            "color", "WHEN", candidates: .words(ColorMode.allCases.map(\.rawValue)),
            "color JSON, headers and errors: auto (on a terminal,\nunless NO_COLOR is set; the default), always or never"
        ) { $0.color = try OptionValue.color($1) },
        Option("offline", "print the request without sending it", \.preview, .request),
        Option("curl", "print an equivalent curl command", \.preview, .curl),
        Option(
            "expect", "N[+]", "fail unless there are N items, or with + at least N", \.expectation,
            OptionValue.expectation),
        Option(
            "completion", Shell.allCases.map(\.rawValue).joined(separator: "|"),
            candidates: .words(Shell.allCases.map(\.rawValue)), "print a completion script for the shell"
        ) { $0.action = .printCompletion(try Shell(named: $1)) },
        Option("man", "print the manual page (roff)", \.action, .showManual),
        Option(
            "help", short: "h", optional: "all", candidates: .words(["all"]),
            "print the common options; --help all prints this help", takesNextWord: true
        ) { options, text in
            guard text == nil || text == "all" else {
                throw CommandError.usage("--help takes no value, or all")
            }
            options.action = text == nil ? .showHelp : .showAllHelp
        },
        Option("version", short: "V", "print the version", \.action, .showVersion),
    ]
}
