import Foundation
import RESTClient
import RESTClientHTTP

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A failure to read the list in a file or on the standard input.
struct DocumentError: Error {
    /// The name of the file in messages.
    let file: String
    let failure: ListScanner.Failure
}

extension CommandError {
    /// Describes any error for the user of the command.
    init(_ error: any Error) {
        switch error {
        case let error as CommandError: self = error
        case let error as UsageError: self.init(error)
        case let error as OutputError: self.init(error)
        case let error as DocumentError: self.init(error.failure, in: error.file)
        case let error as RESTClientError: self.init(error)
        case is CancellationError: self.init(.failure, "cancelled")
        default: self.init(.failure, TerminalEscaping.escaped("\(error)", limit: 200))
        }
    }

    /// Describes an output that could not be written completely.
    init(_ failure: OutputError) {
        switch failure {
        case .brokenPipe: self.init(.brokenPipe, "the reader closed the output")
        case .failed(let code): self.init(writing: "standard output", code)
        }
    }

    /// Adds the number of items already printed to the message. Does nothing if there are none.
    func withPrintedCount(_ count: Int) -> Self {
        guard count > 0 else { return self }
        var error = self
        error.message += " (\(count.grouped) \(count == 1 ? "item" : "items") printed)"
        error.addHint("use --atomic to print only complete lists", onlyIfNone: true)
        return error
    }
}

// MARK: Documents

extension CommandError {
    /// - Parameter start: The position of the page that failed, if the document is a page of a list.
    private init(_ failure: ListScanner.Failure, in file: String?, from start: ResumeToken? = nil) {
        let subject = file ?? Self.subject(start)
        let item = ((start?.items ?? 0) + failure.items + 1).grouped
        switch failure.reason {
        case .notJSON(let found):
            let lower = found.lowercased()
            let isHTML = lower.hasPrefix("<!doctype html") || lower.hasPrefix("<html")
            self.init(
                .badList,
                found.isEmpty
                    ? "\(subject) is empty, not JSON"
                    : "\(subject) is \(isHTML ? "HTML, " : "")not JSON (starts \(TerminalEscaping.quoted(found, limit: 40)))",
                hint: isHTML && file != nil ? "pass the URL of its data instead" : nil)
        case .malformed(let reason):
            self.init(
                .badList,
                "\(subject) is not valid JSON at byte \(failure.offset.grouped) (\(failure.place)): "
                    + TerminalEscaping.escaped(reason, limit: 200))
        case .tooDeep(let limit):
            self.init(
                .badList,
                "\(subject) is nested more than \(limit) levels deep at byte \(failure.offset.grouped) (\(failure.place))"
            )
        case .incomplete:
            let isInItem = failure.path.contains("[\(failure.items)]")
            let position = isInItem ? ", inside item \(item)" : ""
            self.init(.badList, "\(subject) ended early at byte \(failure.offset.grouped)\(position)")
        case .itemTooLarge(let limit):
            self.init(
                .limit,
                "item \(item)\(file.map { " of \($0)" } ?? "") is larger than \(limit.grouped) bytes",
                hint: "increase --max-item")
        case .wrongShape(let path, let expected, let found, let keys, let lists):
            let names = keys.prefix(8).map { TerminalEscaping.quoted($0, limit: 40) }.joined(separator: ", ")
            let shown =
                keys.isEmpty
                ? TerminalEscaping.escaped(found, limit: 200) : names + (keys.count > 8 ? ", …" : "")
            let position = "at \(TerminalEscaping.quoted("\(path)"))\(file.map { " in \($0)" } ?? "")"
            self.init(
                .badList, "expected \(expected) \(position), found \(shown)", hint: Self.hint(lists: lists))
        }
    }

    /// The name of the failed document in messages: "the reply" or the number of its page.
    private static func subject(_ start: ResumeToken?) -> String {
        start.flatMap { $0.page > 1 ? "page \($0.page.grouped)" : nil } ?? "the response"
    }

    /// A hint that names another list in the same document.
    private static func hint(lists: [MemberPath]) -> String? {
        guard let list = lists.first else { return nil }
        let path = "\(list)"
        let what = list == .root ? "the document" : TerminalEscaping.quoted(path, limit: 80)
        guard !path.unicodeScalars.contains(where: TerminalEscaping.isUnsafe) else {
            return "\(what) is a list"
        }
        return "\(what) is a list; try --at \(ShellWord.quoted(path))"
    }
}

extension BinaryInteger {
    /// The number with commas between groups of three digits, such as `65,536`.
    var grouped: String {
        var digits = Array(String(magnitude))
        for index in stride(from: digits.count - 3, to: 0, by: -3) { digits.insert(",", at: index) }
        return (self < 0 ? "-" : "") + String(digits)
    }
}

extension ListScanner.Failure {
    fileprivate var place: String { TerminalEscaping.escaped(path, limit: 80) }
}

// MARK: Requests

extension CommandError {
    private init(_ error: RESTClientError) {
        if let failure = error.underlying as? ListScanner.Failure {
            switch failure.reason {
            // Only the error has the content type of the response.
            case .notJSON: break
            default:
                self.init(failure, in: nil, from: error.listing?.resume)
                return
            }
        }
        if case .incompleteBody(let received, let expected) = error.kind {
            let whole = expected.map { " of \($0.grouped)" } ?? ""
            self.init(
                .badList,
                "\(Self.subject(error.listing?.resume)) ended early at byte \(received.grouped)\(whole)")
            return
        }
        self.init(error.exitCode, Setting.inCommandWords(error.message), hint: error.commandHint)
        if error.kind == .status(304) { message = "the response has no content (304 Not Modified)" }
    }
}

extension RESTClientError {
    /// The exit code for the error.
    var exitCode: ExitCode {
        switch kind {
        case .invalidRequest: .usage
        case .connection: .noConnection
        case .timedOut: .timedOut
        case .redirect: .redirectRefused
        case .status(304): .badList
        case .status(let status):
            switch status.rawValue {
            case 300..<400: .redirection
            case 400..<500: .clientError
            case 500..<600: .serverError
            default: .failure
            }
        case .pagination where Setting.named(in: message) != nil: .limit
        case .invalidResponse, .incompleteBody, .notJSON, .malformedJSON, .wrongShape, .pagination: .badList
        case .limit: .limit
        default: .failure
        }
    }

    /// The hint for the user of the command. Defaults to the hint of the library.
    fileprivate var commandHint: String? {
        switch kind {
        case .timedOut(.total): "increase --max-time"
        case .timedOut(.idle): "increase --idle-timeout"
        case .status(304): nil
        case .limit, .pagination:
            Setting.named(in: message).map { "increase \($0.option)" } ?? pagingHint
        case .status(401): withServerText("\(Self.credentialHint), or check the one given")
        case .status(403): withServerText("the credential lacks permission")
        case .status(404), .status(410): withServerText("check the path")
        case .status(let status) where status.isRedirect: hint
        case .status: retryAfter.map(withServerText) ?? serverText
        case .notJSON where isHTML: "this looks like a login page; pass a token with --token-file"
        default: hint
        }
    }

    private static let credentialHint = "pass a credential with -u USER or --token-file"

    private var pagingHint: String? {
        guard case .pagination = kind, Setting.isAdvice(in: message) else { return nil }
        return "specify the pagination, as in --pagination token:PATH,QUERY"
    }

    /// The `Retry-After` of the response, if it was not waited for.
    private var retryAfter: String? {
        response.flatMap { RetryAfter.delay(in: $0.headers, now: Date()) }
            .map { "the server allows a retry after \($0.secondsText) (Retry-After)" }
    }

    private func withServerText(_ hint: String) -> String { serverText.map { "\(hint); \($0)" } ?? hint }
}

/// A setting of the library that an option changes; messages of the library name it in parentheses, or as advice.
private struct Setting {
    let name: String
    let option: String

    static func named(in message: String) -> Setting? { all.first { message.hasSuffix("(\($0.name))") } }

    /// `message` without what only somebody knows who writes code.
    static func inCommandWords(_ message: String) -> String {
        if let setting = named(in: message) { return String(message.dropLast(" (\(setting.name))".count)) }
        let advice = advices.compactMap { message.range(of: $0) }.first
        return advice.map { String(message[..<$0.lowerBound]) } ?? message
    }

    /// Whether the library says which of its paginations may help.
    static func isAdvice(in message: String) -> Bool { advices.contains { message.contains($0) } }

    private static let advices = ["; say which query item", "; use .token(", "; name the pagination"]

    private static let all = [
        Setting(name: "maxPages", option: "--max-pages"), Setting(name: "maxBytes", option: "--max-bytes"),
    ]
}
