import Foundation
import MockTransport
import RESTClient

/// The command: runs the parsed options and returns an exit code.
struct ItemsCommand {
    let options: Options
    let environment: Environment
    private let messages: Messages
    private let progress: ProgressIndicator?
    private let repair: TextRepair?

    init(_ options: Options, environment: Environment = Environment()) {
        (self.options, self.environment) = (options, environment)
        repair = options.replacesInvalidText ? TextRepair() : nil
        let write = environment.writeMessage
        // The reader of a pipe shows progress itself.
        let hasProgress =
            options.action == .list && options.verbosity > .quiet && environment.showsProgress()
            && options.writesToFile(standardOutput: STDOUT_FILENO)
        let progress = hasProgress ? ProgressIndicator(write) : nil
        self.progress = progress
        let hasColor = options.color.isOn(isTerminal: environment.isInteractive(), environment)
        messages = Messages(level: options.verbosity, hasColor: hasColor) { text in
            if let progress { progress.whileHidden { write(text) } } else { write(text) }
        }
    }

    /// Performs the action of the options and reports any error.
    func run() async -> ExitCode {
        defer { progress?.end() }
        do {
            switch options.action {
            case .list: if options.isOffline { try await showRequest() } else { try await list() }
            case .showHelp: try print(Help.short)
            case .showAllHelp: try print(Help.text)
            case .showVersion: try print("items \(Version.current)\n")
            case .listScenarios: try print(Scenario.list)
            case .printCompletion(let shell): try print(shell.script)
            case .showManual: try print(Help.manual)
            case .serve(let scenario): return try await serve(LocalServer(scenario, messages: messages))
            case .serveArchive(let path):
                return try await serve(
                    LocalServer(archive: path, servesFiles: options.servesFiles, messages: messages))
            }
            return .success
        } catch {
            let failure = CommandError(error)
            // A closed output is not an error worth a message.
            if failure.code != .brokenPipe { messages.report(failure) }
            return failure.code
        }
    }

    private func serve(_ server: LocalServer) async throws -> ExitCode {
        try await server.run(on: options.port ?? 0, writingURLs: print, until: environment.interruption)
    }

    private func print(_ text: String) throws { try Output.write(text, to: environment.output) }

    private func input() throws -> Input {
        let input = try Input(
            options, defaultURL: environment.variable("ITEMS_URL"), hasInput: environment.hasInput
        ) { FileManager.default.fileExists(atPath: $0) }
        guard options.putsDataIntoQuery, case .url(let argument) = input else { return input }
        return .url(try argument.adding(query: BodyPart.query(of: options.data, environment)))
    }

    private func request(_ argument: URLArgument) throws -> ListRequest {
        if let folder = ProcessFiles.missingFolder {
            throw CommandError(
                .failure, "a request needs \(folder), which is not mounted",
                hint: "mount it: mount -t proc proc \(folder)")
        }
        return try ListRequest(
            argument: argument, options: options, environment: environment, messages: messages,
            repair: repair)
    }

    /// Prints the request instead of sending it.
    private func showRequest() async throws {
        guard let argument = try input().argument else {
            throw CommandError.usage("no request to show for a file", hint: "pass a URL")
        }
        try print(try await request(argument).preview())
    }

    private func list() async throws {
        let input = try self.input()
        let file = try ResumeFile(options, of: input)
        // Asks for the password, if necessary, before signals are handled in another way.
        let source = options.limit == 0 ? nil : try source(of: input, from: file?.start?.token)
        let watchdog = watchdog()
        defer { watchdog?.cancel() }
        func list(_ writer: some ItemWriter & Sendable) async throws {
            do {
                try await interruptible { try await self.list(input, source, file, writer) }
            } catch {
                do { try source?.cookies?.save() } catch { messages.report(CommandError(error)) }
                throw error
            }
            try source?.cookies?.save()
        }
        let fields = options.fields
        let isTerminal = options.writesToTerminal(standardOutput: environment.output)
        let hasColor = options.color.isOn(isTerminal: isTerminal, environment)
        let form: TextForm = options.endsWithNull && !isTerminal ? .exact : .displayed
        let isReplaced =
            options.output.map { Destination.openFile(at: $0) == nil } == true
            && options.writesToFile(standardOutput: environment.output)
        let terminator = options.endsWithNull ? 0 : UInt8(ascii: "\n")
        switch options.format {
        case .lines where fields.isEmpty: try await list(LineWriter(terminator: terminator, form: form))
        case .lines:
            let cells = CellWriter(.fields(terminator: terminator, form), nullValue: "null")
            try await list(DelimitedWriter(RowReader(fields: fields), cells, hasHeader: false))
        case .json, .jsonl:
            try await list(JSONWriter(fields: fields, isArray: options.format == .json, hasColor: hasColor))
        case .csv, .tsv:
            let cells = CellWriter(
                options.format == .csv ? .csv : .tsv, escapesControls: isTerminal,
                escapesFormulas: options.escapesFormulas, nullValue: options.nullValue)
            try await list(
                DelimitedWriter(
                    RowReader(fields: fields, addsLateColumns: isReplaced), cells,
                    hasHeader: (file?.start?.items ?? 0) == 0)
            )
        case .table:
            try await list(
                TableWriter(
                    RowReader(fields: fields), nullValue: options.nullValue, width: terminalWidth,
                    hasColor: hasColor))
        case .count: try await list(CountWriter())
        }
    }

    /// Ends the program two seconds after `--max-time`, if the items that were received cannot be written before, because their
    /// reader waits.
    private func watchdog() -> (any DispatchSourceTimer)? {
        guard let time = options.maxTime, let end = environment.end else { return nil }
        let timer = DispatchSource.makeTimerSource()
        let patience = DispatchTimeInterval.seconds(Interrupt.patience)
        timer.schedule(deadline: .now() + time / .seconds(1) + patience)
        timer.setEventHandler { [messages] in
            TemporaryOutput.remove()
            // The message can have the same reader.
            DispatchQueue.global().asyncAfter(deadline: .now() + patience) { end(.timedOut) }
            messages.report(CommandError(.timedOut, "timed out writing", hint: "increase --max-time"))
            end(.timedOut)
        }
        timer.activate()
        return timer
    }

    /// The width of the terminal that the items are written to, or `nil` if they go elsewhere.
    private var terminalWidth: Int? {
        guard let path = options.output else {
            return isatty(environment.output) == 1 ? environment.terminalWidth(environment.output) : nil
        }
        return Destination.withTerminal(path: path, environment.terminalWidth) ?? nil
    }

    /// Runs `body` in a task that a signal cancels, and whose error then has the exit code of the signal.
    private func interruptible(_ body: @escaping @Sendable () async throws -> Void) async throws {
        // Until the second task runs, a signal ends the program at once.
        let (start, starting) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            for await _ in start {}
            try await body()
        }
        let signal = Task { [environment] in
            starting.finish()
            let code = await environment.interruption()
            task.cancel()
            return code
        }
        defer { signal.cancel() }
        do { try await task.value } catch var error as CommandError where error.code.isInterruption {
            error.code = await signal.value
            throw error
        }
    }

    private func list(
        _ input: Input, _ source: Source?, _ file: ResumeFile?, _ writer: some ItemWriter
    ) async throws {
        var destination =
            if let path = options.output {
                try Destination(path: path, isResumable: file != nil, continuing: file?.start?.output)
            } else { Destination(standardOutput: environment.output) }
        var checkpoint: Checkpoint?
        if let file { checkpoint = try Checkpoint(file, in: destination, options, messages) }
        if checkpoint != nil { destination.keepsPartial = true }
        defer {
            if checkpoint?.isStored == false { destination.keepsPartial = false }
            checkpoint?.end()
        }
        let earlier = file?.start?.items ?? 0
        let limit = options.limit.map { max(0, $0 - earlier) }
        var sink = ItemSink(
            output: Output(descriptor: destination.descriptor), writer: writer, limit: limit,
            list: options.list, filter: ItemFilter(options), allowsIncomplete: options.allowsIncomplete)
        var expectationError: CommandError?
        do {
            do {
                if limit == 0 { throw LimitReached() }
                if let source {
                    try await read(source, into: &sink, &checkpoint)
                } else {
                    try await read(FileInput(input.path, environment), into: &sink)
                }
            } catch is LimitReached {} catch let failure as OutputError { throw failure } catch {
                // Prints the pending items before the error message.
                try sink.finish(isComplete: false)
                let printed = destination.isDirect && options.format != .count ? sink.count : 0
                let position = (error as? Interruption)?.position
                let token = (error as? RESTClientError)?.listingProgress?.resume ?? position
                let hint = checkpoint?.stop(at: token, items: sink.count)
                throw incompleteError(error, of: input, printed: printed, at: token, hint: hint)
            }
            try sink.finish(isComplete: true)
            expectationError = sink.failure ?? checkExpectation(of: earlier + sink.count)
            if expectationError == nil {
                if let widening = try sink.widening() { try destination.widen(widening) }
                try destination.commit()
            }
        } catch let failure as OutputError {
            var error = CommandError(failure, to: destination.label)
            if let hint = checkpoint?.rollBack() { error.addHint(hint) }
            throw error
        }
        progress?.end()
        checkpoint?.finish()
        for warning in sink.warnings + [repair?.warning].compactMap(\.self) { messages.info(warning) }
        if let expectationError { throw expectationError }
        if let summary = progress?.summary { messages.info(summary) }
    }

    /// Returns an error if a complete list does not meet `--expect`.
    private func checkExpectation(of count: Int) -> CommandError? {
        guard let expected = options.expectation, !expected.contains(count) else { return nil }
        if expected.upperBound == .max, count == 0 { return CommandError(.failure, "the list is empty") }
        let more = expected.upperBound == .max ? " or more" : ""
        return CommandError(
            .failure, "expected \(expected.lowerBound.text(of: "item"))\(more), found \(count.groupedText)")
    }

    // MARK: Resuming

    /// Describes why the list is incomplete, and the position to resume from, which is saved if there is a `hint`.
    private func incompleteError(
        _ cause: any Error, of input: Input, printed: Int, at token: ResumeToken?, hint: String?
    ) -> CommandError {
        var error = CommandError(cause, of: options.list)
        if let hint = Proxy.hint(for: cause, options.connection, environment) { error.hint = hint }
        if let hint { error.addHint(hint) }
        error.addPrintedCount(printed)
        if error.code.isInterruption, printed == 0, options.format != .count, hint == nil {
            let file = options.output.flatMap { Destination.isTerminal(path: $0) ? nil : $0 }
            let action = file.flatMap { FileStatus(at: $0) } == nil ? "created" : "changed"
            error.message += file.map { " (\($0.escaped()) was not \(action))" } ?? " (no items printed)"
        }
        if hint == nil, let token, printed > 0 {
            let argument: URLArgument? = if case .url(let argument) = input { argument } else { nil }
            let hint = options.resumeHint(at: token, after: cause as? RESTClientError, of: argument)
            if let hint { error.addHint(hint) }
        }
        return error
    }

    // MARK: Reading

    private struct Source: Sendable {
        let client: MyRESTClient
        let start: ResumeToken?
        let pages: PageSaver?
        let cookies: CookieJar?
        /// The server of a demo, which exists as long as the list is read.
        let server: MockServer?
    }

    /// Returns the list to request, or `nil` for a file.
    private func source(of input: Input, from start: ResumeToken?) throws -> Source? {
        guard let argument = try input.argument else {
            guard options.pagesDirectory == nil else {
                throw CommandError.usage("--save-pages requires a URL")
            }
            if let option = options.requestOption {
                let isInput = options.input == nil && options.inputHint?.contains("\(option) ") == true
                throw CommandError.usage(
                    "\(option) requires a URL",
                    hint: isInput ? options.inputHint : "a file is read without a request")
            }
            return nil
        }
        var server: MockServer?
        if case .demo(let scenario) = input {
            messages.info("demo data, no network")
            server = MockServer.demo([scenario])
        }
        let pages = try options.pagesDirectory.map { try PageSaver($0, from: start) }
        let request = try request(argument)
        let client = try request.client(over: server?.configuration ?? environment.configuration(), pages)
        return Source(
            client: client, start: start, pages: pages, cookies: request.cookies, server: server)
    }

    private func read(
        _ source: Source, into sink: inout ItemSink<some ItemWriter>, _ checkpoint: inout Checkpoint?
    ) async throws {
        defer { source.pages?.end() }
        var lastPage: PageInfo?
        // Used by one task at a time: a batch that is read ahead is awaited before anything else.
        nonisolated(unsafe) var batches = source.client.elements(from: source.start).makeAsyncIterator()
        var members = ElementMembers()
        func write(_ batch: ElementBatch, at position: ResumeToken?) throws {
            try sink.write(batch, &members)
            progress?.advance(items: sink.count, bytes: batch.receivedBytes)
            if let end = batch.pageEnd {
                lastPage = end.info
                progress?.endPage(number: end.info.number, total: end.info.totalItems)
                try source.pages?.save(end.info)
            }
            guard !batch.hasMoreBuffered else { return }
            try sink.flush()
            if let position { try checkpoint?.record(position, items: sink.count) }
        }
        try checkpoint?.begin(at: batches.position)
        do {
            var next = try await batches.next()
            while let batch = next {
                // The position after these items, and not after those that are read ahead.
                let position = !batch.hasMoreBuffered && checkpoint?.isDue == true ? batches.position : nil
                if batch.isEmpty || Task.isCancelled {
                    try write(batch, at: position)
                    if !batch.endsList { try Task.checkCancellation() }
                    next = try await batches.next()
                } else {
                    // The rest of the page is received and scanned while these items are written.
                    async let following = batches.next()
                    try write(batch, at: position)
                    next = try await following
                }
            }
        } catch is CancellationError { throw Interruption(position: batches.position) }
        if options.pagination == .auto, environment.isInteractive() {
            if let lastPage, lastPage.isPossiblyIncomplete {
                messages.info(
                    "the response does not show whether the list has more than these \(lastPage.itemCount) items",
                    hint:
                        "if it has, name the parameter for the next page, for example --pagination page:page"
                )
            }
        }
    }

    private func read(
        _ input: consuming FileInput, into sink: inout ItemSink<some ItemWriter>
    ) async throws {
        var file = input
        let deadline = options.maxTime.map { ContinuousClock.now.advanced(by: $0) }
        let layout = try await file.layout(of: options.list, before: deadline)
        var scanner = ListScanner(at: options.list.member, layout: layout, maxItemBytes: options.maxItemBytes)
        // Empty, because a number at the end has no members.
        var members = ElementMembers()
        var bytes = 0
        let repaired = repair?.repairing()
        do {
            try await file.read(before: deadline) { piece in
                bytes += piece.byteCount
                if let limit = options.maxBytes, bytes > limit {
                    throw CommandError(
                        .limit, "\(file.name) is larger than \(limit.text(of: "byte"))",
                        hint: "increase --max-bytes")
                }
                if let chunk = repaired?(piece.withUnsafeBytes { Data($0) }) {
                    try scanner.scanParts(sink.writer.usedParts, of: chunk.bytes) {
                        try sink.write($0, $1, &$2)
                    }
                } else {
                    try scanner.scanParts(sink.writer.usedParts, of: piece) { try sink.write($0, $1, &$2) }
                }
                try sink.flush()
                progress?.advance(items: sink.count, bytes: piece.byteCount)
            }
            if let rest = repaired?(nil) { try scanner.scan(rest.bytes) { try sink.write($0, [], &members) } }
            try scanner.endSequence { try sink.write($0, [], &members) }
            let envelope = try scanner.finish()
            if !options.allowsIncomplete,
                let text = envelope.incompleteness(ofListAt: options.list.member, itemCount: sink.readCount)
            {
                throw CommandError(
                    .badList, "the list in \(file.name) is incomplete: \(text.quoted(200))",
                    hint: CommandError.incompleteHint)
            }
            // Any URL: a page in a file has none.
            let page = PageInfo(
                url: URL(filePath: "/page"), envelope: envelope, itemCount: sink.readCount)
            if options.pagination == .auto, !options.allowsIncomplete, page.hasNext {
                throw CommandError(
                    .badList, "\(file.name) is one page of a longer list",
                    hint: "list the URL, whose pages are followed, or this page alone with --pagination none")
            }
        } catch let failure as ListScanner.Failure {
            guard file.isEmptyList(failure, at: options.list.member, length: bytes) else {
                var error = CommandError(failure, in: file.name, of: options.list)
                // The input was probably meant to be that argument.
                if bytes == 0, options.input == nil, let hint = options.inputHint { error.hint = hint }
                throw error
            }
        }
    }
}

/// The end of a listing by a signal.
struct Interruption: Error {
    /// The position after the printed items, or `nil` if the listing cannot be resumed.
    let position: ResumeToken?
}

extension ElementBatch {
    /// `true` at the end of the last page: the list is complete, and an interruption has nothing to save.
    /// Even `true` before a page without a position, at which the sequence itself throws if it is cancelled.
    var endsList: Bool { pageEnd.map { $0.resume == nil } ?? false }
}

extension PageInfo {
    /// `true` if the response names a next page, or shows that there is one. Members that are too large to be kept do not show it.
    fileprivate var hasNext: Bool {
        do { return try !StandardPagination.automatic.pages(after: self).isEmpty } catch {
            switch (error as? RESTClientError)?.kind {
            case .pagination(.envelopeTruncated), .pagination(.memberMayBeTooLarge): return false
            default: return true
            }
        }
    }

    /// `true` for a page that may be the first of several, although nothing in the response shows it: a full page of a usual size.
    fileprivate var isPossiblyIncomplete: Bool {
        let usualSizes = [10, 20, 25, 30, 50, 100, 200, 250, 500, 1000]
        return number == 1 && usualSizes.contains(itemCount) && !hasPaginationFields
    }
}
