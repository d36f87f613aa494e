import Foundation
import HTTPCore
import RESTClient

#if canImport(FoundationNetworking)
import FoundationNetworking
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
                switch options.form {
                case .lines: try await list(LineWriter())
                case .json: try await list(JSONWriter())
                case .count: try await list(CountWriter())
                }
            case .showHelp: try print(Help.text)
            case .showVersion: try print("items \(Version.current)\n")
            case .nameScenarios: try print(Scenario.list)
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

    private func list(_ writer: some ItemWriter) async throws {
        let input = try Input(options) { FileManager.default.fileExists(atPath: $0) }
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
        let client = MyRESTClient(try request(argument, over: configuration), listing: listing)
        var pause = Pause()
        _ = try await client.scan(
            onPause: {
                try sink.flush()
                pause.letPiecesGather()
            },
            { scanner, piece in
                try sink.take(piece, through: &scanner)
                pause.note(piece.byteCount)
            })
    }

    private func read(_ file: consuming FileInput, into sink: inout ItemSink<some ItemWriter>) throws {
        let deadline = options.maxTime.map { ContinuousClock.now.advanced(by: $0) }
        var scanner = ListScanner(at: listing.path, maxItemBytes: listing.maxItemBytes)
        do {
            try file.read(before: deadline) { piece in
                try sink.take(piece, through: &scanner)
                try sink.flush()
            }
            _ = try scanner.finish()
        } catch let failure as ListScanner.Failure {
            throw DocumentFailure(file: file.name, failure: failure)
        }
    }

    private var listing: ItemListing { ItemListing(at: MemberPath(options.path)) }

    // MARK: The request

    private func request(
        _ argument: URLArgument, over configuration: URLSessionConfiguration
    ) throws -> DataRequest {
        var headers: HTTPHeaders = [.userAgent: "items/\(Version.current)"]
        let fields = try options.headers.flatMap { try HeaderField.fields($0) }
        if fields.contains(where: { HTTPHeaders.Name($0.name) == .userAgent }) { headers[.userAgent] = nil }
        for field in fields { headers.add(HTTPHeaders.Name(field.name), field.value) }

        var interceptors: [any RequestInterceptor] = []
        if let user = options.user ?? argument.user {
            let password = try user.password ?? environment.askPassword(user.name)
            interceptors.append(.basic(user: user.name, password: password, for: argument.url))
        }
        let trace = messages.isVerbose ? Trace(messages: messages) : nil
        if let trace { interceptors.append(trace) }

        let manager = SessionManager(
            configuration: configuration, interceptors: interceptors,
            options: RequestOptions(timeouts: Timeouts(total: options.maxTime)), monitor: trace?.monitor)
        return manager.request(argument.url, headers: headers)
    }
}

/// What the command touches outside of itself; a test brings its own.
struct Environment: Sendable {
    /// The descriptor that items go to.
    var output: Int32 = 1
    /// The descriptor that `-` reads.
    var input: Int32 = 0
    /// What the session is made from.
    var configuration: @Sendable () -> URLSessionConfiguration = { .ephemeral }
    /// Takes the lines that are not items.
    var say: @Sendable (String) -> Void = Messages.toStandardError
    /// Asks for the password of a user.
    var askPassword: @Sendable (_ user: String) throws -> String = { try Password.ask(user: $0) }
}
