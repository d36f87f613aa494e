public import Foundation

extension MockServerError: CustomStringConvertible, LocalizedError {
    /// A message with the problem, the request and a suggested fix. Secrets are masked, and values that a cassette masks.
    public var description: String {
        var masker = MessageMasker(masking)
        let text = kind.text(masker: &masker)
        return masker.masked(message: text)
    }

    /// The same text as `description`.
    public var errorDescription: String? { description }
}

extension MockServerError.Kind {
    fileprivate func text(masker: inout MessageMasker) -> String {
        switch self {
        case .unmatched(let request, let routes, let nearest):
            let title =
                switch routes {
                case 0: "cannot be matched: the mock server has no routes."
                case 1: "does not match the only route of the mock server\(nearest.isEmpty ? "." : ":")"
                case _ where nearest.isEmpty: "matches none of the \(routes) routes of the mock server."
                default: "matches none of the \(routes) routes of the mock server; nearest first:"
                }
            return """
                \(masker.masked(request)) \(title)\(nearest.map(\.description).joined())
                Nothing was sent to the network. Add a route for it, or one that replies with Reply.passthrough.
                """
        case .exhausted(let request, let route, let location, let call, let replies):
            return """
                \(masker.masked(request)) is request \(call) for \(route) at \(location), which has \(replies) replies. \
                Add a reply, or add .repeats() to the last one so that it answers all further requests.
                """
        case .exhaustedRecording(let request, let call, let exchanges):
            return """
                \(masker.masked(request)) is request \(call) of its kind, and the archive has \(exchanges) exchanges for it. Record it \
                again, or replay with matching: .ignoring(.count), so that the last one answers all further requests.
                """
        case .changedRecording(let request, let differences):
            return """
                \(masker.masked(request)): the response of the real server differs from the recorded one:\
                \(differences.map { "\n  \($0)" }.joined())
                Adapt the code, and record it again with \(MockServer.RecordMode.variable)=always in the environment.
                """
        case .clockStopped(let request, let route, let location, let limit):
            return """
                \(masker.masked(request)): the handler of \(route) at \(location) has neither returned nor waited on the virtual clock for \
                \(limit) of real time, and the clock cannot advance while it runs. Return a reply, wait on the clock of \
                the server, or create the VirtualClock with a longer handlerLimit.
                """
        case .clockNotShared(let request):
            return """
                \(masker.masked(request)): the reply stalls, and no timeout can end it: the SessionManager has another clock than \
                the server, a VirtualClock on which no task waits. Pass the same clock to both: MockServer(clock: clock).
                """
        case .invalidRoute(let route, let location, let problem):
            return
                "\(route) at \(location) is not valid: \(problem). No request is answered until it is changed."
        case .serverGone(let method, let url):
            return """
                \(HTTPMethod(rawValue: method)) \(masker.text(of: url)): the mock server of this session was \
                deallocated. Make the session from server.configuration, which keeps the server alive, or keep a \
                reference to the MockServer: its protocolClass does not.
                """
        case .unusableReply(let reason): return reason.description
        case .unsupportedTask(let task, let method, let url):
            let title = "\(HTTPMethod(rawValue: method)) \(masker.text(of: url))"
            let advice = """
                Use a data task, or serve the routes on a socket: let loopback = try await server.listen(), and request \
                loopback.url instead of this host.
                """
            return switch task {
            case .download:
                "\(title): a download task cannot be answered in the process on this platform. \(advice)"
            case .upload: "\(title): the body of this upload task cannot be read on this platform. \(advice)"
            case .webSocket: "\(title): a mock server does not answer WebSocket tasks. Nothing was sent."
            }
        case .cassette(.tooLarge(let url)):
            return MockServerError.CassetteProblem.tooLarge(masker.masked(url)).description
        case .cassette(let problem): return problem.description
        case .verification(let issues):
            let title =
                issues.count == 1
                ? "1 expectation was not met:" : "\(issues.count) expectations were not met:"
            return title + issues.map { "\n  " + "\($0)".replacing("\n", with: "\n    ") }.joined()
        case .sharedSessionInUse(isNested: true):
            return """
                replacingSharedSession was called inside the body of another replacingSharedSession, and would never \
                return. Only one server can replace the shared session at a time: add all routes to one server.
                """
        case .sharedSessionInUse(isNested: false):
            return """
                URLSession.shared was used before replacingSharedSession. On this platform the shared session keeps \
                the protocols of its first use. Call replacingSharedSession first, or pass a session made from \
                server.configuration.
                """
        case .sharedSessionRefused(let request, let server):
            return """
                \(masker.masked(request)): this request of URLSession.shared began after replacingSharedSession of the mock server at \
                \(server) had returned. Nothing was sent. In its closure, wait for the work that sends the request, or \
                cancel that work.
                """
        case .tooFewRequests(let expected, let received, let limit):
            let list = received.map { "\n  \(masker.masked($0))" }.joined()
            return "received \(received.count) of \(expected) requests within \(limit)"
                + (list.isEmpty ? "" : ":\(list)")
        }
    }
}

extension MockServerError.UnusableReply: CustomStringConvertible {
    /// The reason as text.
    public var description: String {
        switch self {
        case .missingResource(let name, let bundle):
            "there is no resource \(TerminalEscaping.quoted(name)) in \(bundle.lastPathComponent)"
        case .notAFile(let url):
            """
            Reply.file was called with \(Redaction.url(url)), which is not the URL of a file and was not requested. \
            Use a file, or Reply.passthrough for the response of a real server.
            """
        case .unreadableFile(let file, let error):
            "the file \(file.shownPath) of the reply cannot be read: \(TerminalEscaping.escaped(error.localizedDescription))"
        case .unencodableValue(let function, let error):
            "the value passed to \(function) cannot be encoded: \(error)"
        case .textAsValue:
            """
            Reply.json was called with JSON text, and would send it as a string in quotes. Use Reply.text(text, as: .json), or \
            a literal: Reply.json(["id": 7])
            """
        case .membersBesideArray(let paths):
            "a bare array has no place for \(paths.map { "\"\($0)\"" }.joined(separator: " and "))"
        case .overlappingMembers(let first, let second):
            "a page cannot have a member \"\(first)\" and a member \"\(second)\""
        case .invalidStatus(let status): "\(status.rawValue) is not the status of a response: use 100 to 999"
        case .incompleteRecording(let request, let reason):
            "the recorded response to \(request) cannot be replayed: \(reason)"
        case .passthroughOverLoopback:
            "Reply.passthrough works only in the process: a loopback server would send the request to itself"
        }
    }
}

extension MockServerError.CassetteProblem: CustomStringConvertible {
    /// The reason as text.
    public var description: String {
        switch self {
        case .missing(let file):
            "there is no cassette at \(file.shownPath): record it with mode .once on a machine with network access"
        case .missingFixture(let file):
            """
            there is no fixture at \(file.shownPath): record it on a machine with network access, with \
            \(MockServer.RecordMode.variable)=once in the environment
            """
        case .outdatedFixture(let file, let days, let limit):
            """
            the fixture \(file.shownPath) \(days.map { "was recorded \($0) days ago" } ?? "has no day of recording"), \
            and may have at most \(limit) days: record it again with \
            \(MockServer.RecordMode.variable)=always in the environment
            """
        case .invalidMode(let value):
            """
            the environment variable \(MockServer.RecordMode.variable) must be never, once, new, always or check, not \
            \(TerminalEscaping.quoted(value))
            """
        case .noCurrentServer:
            "MockServer.current is available only in a test with the trait .replay(…)"
        case .unwritable(let file, let error):
            "the cassette \(file.shownPath) cannot be written: \(TerminalEscaping.escaped(error.localizedDescription))"
        case .tooLarge(let url): "\(Redaction.url(url)): the recorded body exceeds the limit of 64 MB"
        }
    }
}

extension URL {
    fileprivate var shownPath: String { TerminalEscaping.escaped(path) }
}
