import RESTClient

extension Option {
    /// All options, in the order of the help.
    static let all: [Option] = groups.flatMap(\.options)

    static let groups = [selection, format, pagination, request, connection, time, limits, general]

    /// The names of the options that have no effect without a request.
    static let namesOfRequest = Set(request.options.map(\.name))

    private static let selection = Group(
        "Selection",
        [
            "--at PATH: list the array at this path, such as data.results;\nthose in its elements: data[].items; at an index: [1];\nthe members of an object, with their names as key:\nusers{}; . is the document (default: items, or an array\nas document)":
                .value(\.at) { text, _ in try ListPath(text) },
            "--lines: list the values of JSON Lines or of a JSON text\nsequence": .set(\.at, .sequence),
            "--field PATH[,PATH]: print these members of each item, separated by tabs: name, home.city, tags[0], or owners[].name for all; NAME=PATH renames one; separate paths with commas, or repeat the option":
                .add(\.fields) { text, _ in try FieldPath.list(text) },
            "--where PATH=VALUE: print only items that meet this comparison: = != < <=\n> >=, or 'PATH exists'; if repeated, all of them":
                .add(\.conditions) { [try Condition($0, of: $1)] },
            "--while PATH=VALUE: stop at the first item that does not meet this comparison, and request no more pages":
                .add(\.bounds) { [try Condition($0, of: $1)] },
            "--limit N: stop after N items and cancel the transfer": .value(\.limit, OptionValue.count),
            "--demo[=SCENARIO]: list built-in demo data without a network;\n--demo=list prints the scenarios":
                Setting(.words(["list"] + Scenario.all.map(\.name))) { options, text, _ in
                    guard text != "list" else { return options.action = .listScenarios }
                    options.demo = try Scenario(named: text)
                },
            "--serve[=SCENARIO|FILE.har]: serve one demo, all demos, or the replies in an HTTP archive on 127.0.0.1 until interrupted, and print the URLs":
                Setting(.words(Scenario.all.map(\.name))) { options, text, _ in
                    options.action = try .serving(text)
                },
            "--serve-files: with --serve=FILE.har: also serve the files beside it to which it refers":
                .set(\.servesFiles, true),
            "--port N: listen on this port (default: any free port)": .value(\.port, OptionValue.port),
        ])

    private static let format = Group(
        "Output format",
        [
            "-0, --null: end each item with a null byte, as for xargs -0": .set(\.endsWithNull, true),
            "--json: print one JSON array": .choice(\.format, .json),
            "--jsonl: print each item as one line of JSON": .choice(\.format, .jsonl),
            "--csv: print comma-separated values with a header": .choice(\.format, .csv),
            "--tsv: print tab-separated values with a header": .choice(\.format, .tsv),
            "--escape-formulas: with --csv and --tsv: put ' before text that a spreadsheet would run as a formula":
                .set(\.escapesFormulas, true),
            "--null-value TEXT: with --csv, --tsv and --table: print TEXT for null (default: an empty cell)":
                .value(\.nullValue, OptionValue.nullValue),
            "--table: print aligned columns with a header": .choice(\.format, .table),
            "--count: print only the number of items": .choice(\.format, .count),
            "-o, --output FILE: write to FILE, which is replaced when the list is complete; .csv, .tsv, .json and .jsonl name the format unless an option does":
                .value(\.output, of: .file) { text, _ in try Options.output(text) },
        ])

    private static let pagination = Group(
        "Pagination",
        [
            """
            --pagination RULE: find the next page by this rule (default: auto); rules:
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
            """:
                .value(\.pagination, of: .words(PaginationOption.words)) { text, _ in
                    try PaginationOption(text)
                },
            "--max-pages N: fail if there are more than N pages (default: 1000)":
                .value(\.maxPages, OptionValue.positive),
            "--jobs N: request up to N pages concurrently, if their URLs are known in advance (default: 2)":
                .value(\.jobs, OptionValue.positive),
            "--allow-origin URL: also follow pages to this scheme, host and port; no credential and no field of -H is sent to it":
                .add(\.allowedOrigins) { [try OptionValue.origin($0, of: $1)] },
            "--replace-invalid: print U+FFFD for text that is not valid Unicode instead of failing, and report the number":
                .set(\.replacesInvalidText, true),
            "--allow-incomplete: accept a list of which the server says that it is incomplete, as by a timeout, or by errors of GraphQL":
                .set(\.allowsIncomplete, true),
            "--resume-file FILE: save the position in FILE until the list is complete, and continue from it on the next run":
                .text(\.resumeFile, of: .file),
            "--save-pages DIR: write the body of each page to DIR as well, as it came: 0001.json, 0002.json and so on":
                .text(\.pagesDirectory, of: .file),
        ])

    private static let request = Group(
        "Request",
        [
            "-H, --header NAME:VALUE|@FILE: send a header field, or those in FILE, one per line":
                .add(\.headers) { text, _ in [text] },
            "-X, --request METHOD: use this method (default: GET, with --data POST)":
                .text(\.method, of: .words(["GET", "POST", "PUT", "QUERY", "REPORT"])),
            "-d, --data DATA|@FILE: send this body, or the contents of FILE: as JSON if it begins with { or [, otherwise as a form; parameters of further pages are put into JSON, otherwise into the URL":
                .add(\.data, of: .bodyFile) { text, _ in [BodyPart(kind: .data, text: text)] },
            "--data-raw DATA: send this body, in which @ has no special meaning":
                .add(\.data) { text, _ in [BodyPart(kind: .raw, text: text)] },
            "--data-binary DATA|@FILE: send this body, or FILE with its line breaks":
                .add(\.data, of: .bodyFile) { text, _ in [BodyPart(kind: .binary, text: text)] },
            "--data-urlencode DATA: send CONTENT, NAME=CONTENT, @FILE or NAME@FILE with CONTENT encoded for a form":
                .add(\.data) { text, _ in [BodyPart(kind: .urlEncoded, text: text)] },
            "-G, --get: put the data into the query of the URL": .set(\.putsDataIntoQuery, true),
            "-b, --cookie NAME=VALUE|FILE: send this cookie, or those in FILE (format of Netscape), and those that the server sets; -b '' sends only the latter":
                .add(\.cookies) { text, _ in [text] },
            "-c, --cookie-jar FILE: write all cookies to FILE at the end, and send those that the server sets":
                .text(\.cookieJar, of: .file),
            "-u, --user USER[:PASSWORD]: authenticate with Basic, only at the origin of the URL; prompt for a missing password":
                .value(\.user, of: .name) { text, _ in OptionValue.user(text) },
            "--token-file FILE|-: authenticate with the bearer token in FILE": .text(\.tokenFile, of: .file),
            "-n, --netrc: authenticate with the entry for the host in ~/.netrc, only at the origin of the URL":
                .set(\.usesNetrc, true),
            "--max-redirs N: follow at most N redirects (default: 10)":
                .value(\.maxRedirects, OptionValue.count),
        ])

    private static let connection = Group(
        "Connection",
        [
            "--cacert FILE: trust the authorities in FILE (PEM) instead of those of the system":
                .text(\.connection.caFile, of: .file),
            "--capath DIR: trust the authorities in DIR, which openssl rehash has prepared, instead of those of the system":
                .text(\.connection.caFolder, of: .file),
            "-E, --cert FILE[:PASSWORD]: authenticate with the certificate and the key in FILE (PEM)":
                Setting(.file) { options, text, _ in
                    let (file, password) = (text ?? "").divided(at: ":")
                    options.connection.clientCertificate = file
                    if let password { options.connection.keyPassword = password }
                },
            "--key FILE: read the key of --cert from FILE (PEM)": .text(\.connection.clientKey, of: .file),
            "--pass PASSWORD: decrypt the key of --cert with PASSWORD": .text(\.connection.keyPassword),
            "--pinnedpubkey HASHES: accept only servers with one of these public keys, such as 'sha256//...=;sha256//...='":
                .value(\.connection.pinnedPublicKeys) { text, _ in
                    text.split(separator: ";").map(String.init)
                },
            "--unix-socket PATH: send all requests to the Unix socket PATH":
                .text(\.connection.unixSocket, of: .file),
            "-x, --proxy URL: use this proxy (http, https, socks4, socks5, socks5h), or none if URL is empty (default: the environment)":
                .text(\.connection.proxy),
            "--resolve HOST:PORT:ADDRESS: use this address of the host instead of looking it up":
                .add(\.connection.addresses) { [try OptionValue.address($0, of: $1)] },
            "--http1.1: do not use HTTP/2": .set(\.connection.usesHTTP1Only, true),
            "-4, --ipv4: use addresses of IPv4 only": .set(\.connection.ipVersion, .v4),
            "-6, --ipv6: use addresses of IPv6 only": .set(\.connection.ipVersion, .v6),
        ])

    private static let time = Group(
        "Timeouts and retries (times in seconds, such as 2 or 0.5; 0: no limit)",
        [
            "--connect-timeout SECONDS: fail if no connection is open after this time (default: that of --idle-timeout)":
                .value(\.connection.connectTimeout, OptionValue.seconds),
            "--idle-timeout SECONDS: fail if no data is received for this time (default: 30)":
                .value(\.idleTimeout, OptionValue.seconds),
            "-m, --max-time SECONDS: fail after this time in total (default: none)":
                .value(\.maxTime, OptionValue.seconds),
            "--retry N: retry transient failures up to N times, but no idle timeouts (default: 2)":
                .value(\.retries, OptionValue.count),
            "--rate N/UNIT: start at most N requests per s, m or h, such as 10/s":
                .value(\.requestsPerSecond, OptionValue.rate),
            "--retry-max-time SECONDS: start no retry after this time (default: 60)":
                .value(\.retryMaxTime, OptionValue.seconds),
        ])

    private static let limits = Group(
        "Limits, in bytes or with K, M, G",
        [
            "--max-bytes SIZE: limit the total size of all pages (default: 4G)":
                .value(\.maxBytes, OptionValue.size),
            "--max-item SIZE: limit the size of an item (default: 16M)":
                .value(\.maxItemBytes, OptionValue.size),
        ])

    private static let general = Group(
        "Diagnostics and help",
        [
            "-v, --verbose: print requests and responses, with secrets masked, and their times": .choice(
                \.verbosity, .verbose),
            "-q, --quiet: print only errors, and no progress, which is shown only if the items go to a file":
                .choice(\.verbosity, .quiet),
            "--color WHEN: color JSON, headers and errors: auto (the default: on a terminal, unless NO_COLOR is set), always or never":
                .value(\.color, of: .words(ColorMode.allCases.map(\.rawValue)), OptionValue.word),
            "--offline: print the request without sending it": .set(\.isOffline, true),
            "--expect N[+]: fail unless there are N items, or with + at least N":
                .value(\.expectation, OptionValue.expectation),
            "--completion bash|zsh|fish: print a completion script for the shell":
                .value(\.action, of: .words(Shell.allCases.map(\.rawValue))) {
                    .printCompletion(try OptionValue.word($0, of: $1))
                },
            "--man: print the manual page (roff)": .set(\.action, .showManual),
            "-h, --help [all]: print the common options; --help all prints this help":
                Setting(.words(["all"])) { options, text, _ in
                    guard text == nil || text == "all" else {
                        throw CommandError.usage("--help takes no value, or all")
                    }
                    options.action = text == nil ? .showHelp : .showAllHelp
                },
            "-V, --version: print the version": .set(\.action, .showVersion),
        ])
}
