import Foundation
import RESTClientHTTP
import RESTClient

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The command: from options to items on the output, and a code to end with.
struct ItemsCommand {
    let options: Options
    let environment: Environment
    private let messages: Messages
    private let progress: Progress?

    init(_ options: Options, environment: Environment = Environment()) {
        self.options = options
        self.environment = environment
        let say = environment.say
        let hasProgress = environment.showsProgress(options)
        let progress = hasProgress ? Progress(say) : nil
        self.progress = progress
        messages = Messages(level: options.talk) { text in
            if let progress { progress.aside { say(text) } } else { say(text) }
        }
    }

    /// Does what the options ask for; says why, if it cannot.
    func run() async -> ExitCode {
        defer { progress?.end() }
        do {
            switch options.action {
            case .list:
                if let preview = options.preview { try await show(preview) } else { try await list() }
            case .showHelp: try print(Help.text)
            case .showVersion: try print("items \(Version.current)\n")
            case .nameScenarios: try print(Scenario.list)
            case .complete(let shell): try print(shell.script)
            case .showManual: try print(Manual.page)
            case .serve(let scenario):
                try await Serve(scenario, port: options.port ?? 0)
                    .run(saying: print, messages: messages, until: environment.interrupt)
                return .interrupted
            }
            return .success
        } catch {
            let complaint = Complaint(error)
            // Who went away does not want to hear about it.
            if complaint.code != .brokenPipe { messages.complain(complaint) }
            return complaint.code
        }
    }

    private func print(_ text: String) throws {
        var output = Output(descriptor: environment.output)
        try output.append(text)
        try output.flush()
    }

    private func input() throws -> Input {
        try Input(options, standard: environment.variable("ITEMS_URL")) {
            FileManager.default.fileExists(atPath: $0)
        }
    }

    private func request(_ argument: URLArgument) -> ListRequest {
        ListRequest(argument: argument, options: options, environment: environment, messages: messages)
    }

    /// Shows the request in place of sending it.
    private func show(_ preview: Options.Preview) async throws {
        switch try input() {
        case .url(let argument): try print(try await request(argument).preview(preview))
        case .demo(let scenario):
            try print(try await request(try URLArgument(Demo(scenario).url)).preview(preview))
        case .file, .standardInput:
            throw UsageError("no request is sent for a file", hint: "give a URL to see its request")
        }
    }

    private func list() async throws {
        let fields = options.fields
        switch options.form {
        case .lines where !fields.isEmpty:
            let terminator = options.endsWithNull ? 0 : UInt8(ascii: "\n")
            try await list(FieldWriter(fields: fields, terminator: terminator))
        case .lines where options.endsWithNull:
            try await list(NullWriter(isGuarded: options.output == nil && isatty(environment.output) == 1))
        case .lines: try await list(LineWriter())
        case .json: try await list(JSONWriter(fields: fields))
        case .jsonl: try await list(JSONLinesWriter(fields: fields))
        case .csv:
            let resumption = try Resumption(options, of: try input())
            try await list(CSVWriter(fields: fields, hasHeader: resumption.start == nil))
        case .table: try await list(TableWriter(fields: fields))
        case .count: try await list(CountWriter())
        }
    }

    private func list(_ writer: some ItemWriter) async throws {
        let input = try self.input()
        let resumption = try Resumption(options, of: input)
        var destination = try self.destination()
        var sink = ItemSink(
            output: Output(descriptor: destination.descriptor), writer: writer, limit: options.limit)
        var unmet: Complaint?
        do {
            do {
                if options.limit != 0 { try await read(input, from: resumption.start, into: &sink) }
            } catch is LimitReached {
            } catch let failure as OutputFailure {
                throw failure
            } catch {
                // What is out is out before the message that it is not all.
                try sink.abandon()
                let printed = destination.isDirect && options.form != .count ? sink.count : 0
                throw stopped(error, printed: printed, resumption)
            }
            try sink.end()
            unmet = unmetExpectation(of: sink.count)
            if unmet == nil { try destination.commit() }
        } catch let failure as OutputFailure {
            throw destination.complaint(failure)
        }
        progress?.end()
        resumption.end()
        if let unmet { throw unmet }
        for remark in sink.remarks { messages.note(remark) }
    }

    private func destination() throws -> Destination {
        guard let path = options.output else {
            return try Destination(standardOutput: environment.output, isAtomic: options.isAtomic)
        }
        return try Destination(path: path, isAtomic: options.isAtomic)
    }

    /// What a script expects of a list that is complete, and is not so.
    private func unmetExpectation(of count: Int) -> Complaint? {
        if let expected = options.expectedCount, expected != count {
            let items = expected == 1 ? "item" : "items"
            return Complaint(.failure, "expected \(expected.grouped) \(items), found \(count.grouped)")
        }
        return options.failsWhenEmpty && count == 0 ? Complaint(.failure, "the list is empty") : nil
    }

    // MARK: Going on

    /// Why the list is not complete, and where a run can go on, of which word is left.
    private func stopped(_ error: any Error, printed: Int, _ resumption: Resumption) -> Complaint {
        var complaint = Complaint(error)
        let token = (error as? RESTClientError)?.listing?.resume
        do {
            if let token, let hint = try resumption.note(token) {
                complaint.addHint(hint)
                return complaint.withPrinted(printed)
            }
        } catch {
            messages.complain(Complaint(error))
        }
        complaint = complaint.withPrinted(printed)
        if let token, printed > 0, token.page > 1 {
            complaint.addHint(resumption.hint(at: token))
        }
        return complaint
    }

    // MARK: Reading

    private func read(
        _ input: Input, from start: ResumeToken?, into sink: inout ItemSink<some ItemWriter>
    ) async throws {
        switch input {
        case .url(let argument):
            try await read(argument, over: environment.configuration(), from: start, into: &sink)
        case .demo(let scenario):
            messages.note("demo data, no network")
            let demo = Demo(scenario)
            try await read(URLArgument(demo.url), over: demo.configuration, from: nil, into: &sink)
        case .file(let path):
            try read(FileInput(path: path), into: &sink)
        case .standardInput:
            try read(FileInput(standardInput: environment.input), into: &sink)
        }
    }

    private func read(
        _ argument: URLArgument, over configuration: URLSessionConfiguration, from start: ResumeToken?,
        into sink: inout ItemSink<some ItemWriter>
    ) async throws {
        let request = request(argument)
        let client = try request.client(over: configuration)
        var pause = Pause()
        for try await batch in client.elements(from: start ?? request.beginning) {
            try sink.take(batch)
            pause.note(batch.receivedBytes)
            progress?.advance(items: sink.count, bytes: batch.receivedBytes)
            guard !batch.hasMoreBuffered else { continue }
            try sink.flush()
            pause.letPiecesGather()
        }
    }

    private func read(_ file: consuming FileInput, into sink: inout ItemSink<some ItemWriter>) throws {
        let deadline = options.maxTime.map { ContinuousClock.now.advanced(by: $0) }
        var scanner = ListScanner(at: MemberPath(options.path), maxItemBytes: options.maxItemBytes)
        var bytes = 0
        do {
            try file.read(before: deadline) { piece in
                bytes += piece.byteCount
                if let limit = options.maxBytes, bytes > limit {
                    throw Complaint(
                        .limit, "\(file.name) is larger than \(limit.grouped) bytes",
                        hint: "allow more with --max-bytes")
                }
                try sink.take(piece, through: &scanner)
                try sink.flush()
                progress?.advance(items: sink.count, bytes: piece.byteCount)
            }
            _ = try scanner.finish()
        } catch let failure as ListScanner.Failure {
            throw DocumentFailure(file: file.name, failure: failure)
        }
    }
}
