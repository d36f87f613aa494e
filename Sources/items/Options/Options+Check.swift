import RESTClientHTTP

extension Options {
    /// Refuses what cannot be meant together.
    func check() throws(UsageError) {
        if case .serve = action {
            guard demo == nil, input == nil else {
                throw UsageError(
                    "--serve lists nothing",
                    hint: "list the URLs that it prints; a scenario is joined to it: --serve=html")
            }
        } else if port != nil {
            throw UsageError("--port belongs to --serve")
        }
        if demo != nil, let input {
            throw UsageError(
                "--demo lists its own data, not \(TerminalEscaping.quoted(Input.shown(input)))",
                hint: "a scenario is joined to it: --demo=html")
        }
        if endsWithNull, form != .lines {
            throw UsageError("-0 ends items, and --\(form.rawValue) has none that end")
        }
        if !fields.isEmpty, form == .count { throw UsageError("--count prints no --field") }
        if let limit, let expectedCount, limit < expectedCount {
            throw UsageError(
                "--limit \(limit) stops before there are the \(expectedCount) items of --expect",
                hint: "leave out --limit to count them all")
        }
        if tokenFile == "-", input == "-" {
            throw UsageError("the standard input is either the token or the list")
        }
        let signs = [user != nil ? "-u" : nil, tokenFile.map { _ in "--token-file" }, usesNetrc ? "-n" : nil]
        let given = signs.compactMap(\.self)
        if given.count > 1 {
            throw UsageError("sign in one way at a time, not with \(given.joined(separator: " and "))")
        }
        if from != nil, [.none, .link, .next, .token].contains(paging.rule) {
            let rule = paging.rule == .none ? "--no-paginate" : "--pagination \(paging.rule.rawValue)"
            throw UsageError(
                "with \(rule) pages have no numbers for --from",
                hint: "write the page into the URL, or use --pagination page or offset")
        }
        if resumeFile != nil { try checkResuming() }
    }

    /// A run that goes on adds to what the one before has printed, so that must be out, and must be such that it can be
    /// added to.
    private func checkResuming() throws(UsageError) {
        if output != nil || isAtomic {
            throw UsageError(
                "--resume-file goes on behind what is out, and \(isAtomic ? "--atomic" : "-o") leaves nothing of a run that failed",
                hint: "append to a file: items … >> FILE")
        }
        if limit != nil {
            throw UsageError("--resume-file is for runs that fail, and --limit ends one on purpose")
        }
        if !hasFormToAddTo {
            throw UsageError(
                "--resume-file cannot go on with --\(form.rawValue)",
                hint: form == .csv
                    ? "name the columns with --field" : "print lines, --jsonl, or --csv with --field")
        }
    }

    /// Whether what a run has printed is something that the next one can add to.
    var canBeAddedTo: Bool { output == nil && !isAtomic && limit == nil && hasFormToAddTo }

    private var hasFormToAddTo: Bool {
        switch form {
        case .lines, .jsonl: true
        case .csv: !fields.isEmpty
        case .json, .table, .count: false
        }
    }
}
