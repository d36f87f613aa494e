import Foundation
import HTTPCore
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

    init(_ options: Options, environment: Environment = Environment()) {
        self.options = options
        self.environment = environment
        messages = Messages(level: options.talk, environment.say)
    }

    /// Does what the options ask for; says why, if it cannot.
    func run() async -> ExitCode {
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
        } catch OutputFailure.noReader {
            return .brokenPipe
        } catch {
            let complaint = Complaint(error)
            messages.complain(complaint)
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
        switch options.form {
        case .lines: try await list(LineWriter())
        case .json: try await list(JSONWriter())
        case .count: try await list(CountWriter())
        default: throw UsageError("--\(options.form.rawValue) is still to come")
        }
    }

    private func list(_ writer: some ItemWriter) async throws {
        let input = try self.input()
        var sink = ItemSink(
            output: Output(descriptor: environment.output), writer: writer, limit: options.limit)
        do {
            if options.limit != 0 { try await read(input, into: &sink) }
        } catch is LimitReached {
        } catch let failure as OutputFailure {
            throw failure
        } catch {
            // What is out is out before the message that it is not all.
            try sink.flush()
            throw Complaint(error, printed: options.form == .count ? 0 : sink.count)
        }
        try sink.end()
    }

    private func read(_ input: Input, into sink: inout ItemSink<some ItemWriter>) async throws {
        switch input {
        case .url(let argument):
            try await read(argument, over: environment.configuration(), into: &sink)
        case .demo(let scenario):
            messages.note("demo data, no network")
            let demo = Demo(scenario)
            try await read(URLArgument(demo.url), over: demo.configuration, into: &sink)
        case .file(let path):
            try read(FileInput(path: path), into: &sink)
        case .standardInput:
            try read(FileInput(standardInput: environment.input), into: &sink)
        }
    }

    private func read(
        _ argument: URLArgument, over configuration: URLSessionConfiguration,
        into sink: inout ItemSink<some ItemWriter>
    ) async throws {
        let client = try request(argument).client(over: configuration)
        _ = try await client.scan { scanner, piece in try sink.take(piece, through: &scanner) }
    }

    private func read(_ file: consuming FileInput, into sink: inout ItemSink<some ItemWriter>) throws {
        let deadline = options.maxTime.map { ContinuousClock.now.advanced(by: $0) }
        var scanner = ListScanner(at: MemberPath(options.path), maxItemBytes: options.maxItemBytes)
        do {
            try file.read(before: deadline) { piece in try sink.take(piece, through: &scanner) }
            _ = try scanner.finish()
        } catch let failure as ListScanner.Failure {
            throw DocumentFailure(file: file.name, failure: failure)
        }
    }
}

/// What the command touches outside of itself; a test brings its own.
struct Environment: Sendable {
    /// The descriptor that items go to.
    var output: Int32 = 1
    /// The descriptor that `-` reads.
    var input: Int32 = 0
    /// Returns when someone has had enough.
    var interrupt: @Sendable () async -> Void = { await Interrupt.wait() }
    /// What the session is made from.
    var configuration: @Sendable () -> URLSessionConfiguration = { .ephemeral }
    /// Takes the lines that are not items.
    var say: @Sendable (String) -> Void = Messages.toStandardError
    /// Asks for the password of a user.
    var askPassword: @Sendable (_ user: String) throws -> String = { try Password.ask(user: $0) }
    /// The value of an environment variable.
    var variable: @Sendable (_ name: String) -> String? = { name in getenv(name).map { String(cString: $0) } }
    /// What all times and waits of requests are measured on.
    var clock: any Clock<Duration> = ContinuousClock()
}
