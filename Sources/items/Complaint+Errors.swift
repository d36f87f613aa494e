import Foundation
import RESTClientHTTP
import RESTClient

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Something wrong with the document in a file, or on the standard input.
struct DocumentFailure: Error {
    /// How the file is called.
    let file: String
    let failure: ListScanner.Failure
}

extension Complaint {
    /// What `error` means to someone at a terminal.
    init(_ error: any Error) {
        switch error {
        case let complaint as Complaint: self = complaint
        case let error as UsageError: self.init(error)
        case let error as OutputFailure: self.init(error)
        case let error as DocumentFailure: self.init(error.failure, in: error.file)
        case let error as RESTClientError: self.init(error)
        case is CancellationError: self.init(.failure, "cancelled")
        default: self.init(.failure, TerminalEscaping.escaped("\(error)", limit: 200))
        }
    }

    /// Not all of the output could be written.
    init(_ failure: OutputFailure) {
        switch failure {
        case .noReader: self.init(.brokenPipe, "nobody reads the output any more")
        case .failed(let code): self.init(writing: "the output", code)
        }
    }

    /// Says how many items are out in spite of it; none is not worth a word.
    func withPrinted(_ count: Int) -> Self {
        guard count > 0 else { return self }
        var complaint = self
        let items = count == 1 ? "the item printed is" : "the \(count.grouped) items printed are"
        complaint.message += "; \(items) not the whole list"
        complaint.addHint("use --atomic to print nothing unless the list is complete", unlessThereIsOne: true)
        return complaint
    }
}

// MARK: Documents

extension Complaint {
    /// - Parameter start: where the document begins that the failure is in, as one page of a list.
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
                hint: isHTML && file != nil ? "list the URL that its data comes from" : nil)
        case .malformed(let error):
            self.init(
                .badList,
                "\(subject) is not valid JSON at byte \(failure.offset.grouped) (\(failure.place)): "
                    + TerminalEscaping.escaped("\(error)", limit: 200))
        case .tooDeep(let limit):
            self.init(
                .badList,
                "\(subject) nests more than \(limit) levels at byte \(failure.offset.grouped) (\(failure.place))"
            )
        case .incomplete:
            let isInItem = failure.path.contains("[\(failure.items)]")
            let place = isInItem ? ", inside item \(item)" : ""
            self.init(.badList, "\(subject) ended early at byte \(failure.offset.grouped)\(place)")
        case .itemTooLarge(let limit):
            self.init(
                .limit,
                "item \(item)\(file.map { " of \($0)" } ?? "") is larger than \(limit.grouped) bytes",
                hint: "allow more with --max-item")
        case .wrongShape(let path, let expected, let found, let lists):
            let place = "at \(TerminalEscaping.quoted("\(path)"))\(file.map { " in \($0)" } ?? "")"
            self.init(
                .badList, "expected \(expected) \(place), found \(found)", hint: Self.hint(lists: lists))
        }
    }

    /// What a document is called that is a page of a list.
    private static func subject(_ start: ResumeToken?) -> String {
        start.flatMap { $0.page > 1 ? "page \($0.page.grouped)" : nil } ?? "the reply"
    }

    /// The list that is there in place of the one asked for.
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
    /// With a comma between groups of three digits: `65,536`.
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

extension Complaint {
    private init(_ error: RESTClientError) {
        if let failure = error.underlying as? ListScanner.Failure {
            switch failure.reason {
            // Only the error knows what type the reply says it is.
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
        self.init(error.exitCode, error.message, hint: error.commandHint)
        if error.kind == .status(304) { message = "the reply has no content (304 Not Modified)" }
    }
}

extension RESTClientError {
    /// How the program ends because of it.
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
        case .invalidResponse, .incompleteBody, .notJSON, .malformedJSON, .wrongShape, .pagination: .badList
        case .limit: .limit
        default: .failure
        }
    }

    /// What to try on the command line; where the library has nothing else to say, its own words do.
    fileprivate var commandHint: String? {
        switch kind {
        case .timedOut(.total): "give it longer with --max-time"
        case .timedOut(.idle): "give it longer with --idle-timeout"
        case .status(304): nil
        case .limit(.pages): "allow more with --max-pages"
        case .limit(.listingBytes): "allow more with --max-bytes"
        case .limit(.itemBytes): "allow more with --max-item"
        case .limit: nil
        case .pagination(let failure): failure.commandHint
        case .status(401): said("\(Self.signIn); check it if you did")
        case .status(403): said("the credential does not allow this")
        case .status(404), .status(410): said("check the path")
        case .status(let status) where status.isRedirect: hint
        case .status: retryAfter.map(said) ?? serverHint
        case .notJSON where isHTML: "this looks like a login page; pass a token with --token-file"
        default: hint
        }
    }

    private static let signIn = "sign in with -u USER, or pass a token with --token-file"

    /// The wait that the server asks for, which was longer than there is time, or came once too often.
    private var retryAfter: String? {
        response.flatMap { RetryAfter.delay(in: $0.headers, now: Date()) }
            .map { "come again in \($0.secondsText) (Retry-After)" }
    }

    private var serverHint: String? { serverMessage.map { "the server said: \($0)" } }

    private func said(_ hint: String) -> String { serverHint.map { "\(hint); \($0)" } ?? hint }
}

extension RESTClientError.PaginationFailure {
    /// The option that may help.
    fileprivate var commandHint: String? {
        switch self {
        case .numberInsteadOfURL, .unknownToken, .unknownNext, .incompleteTotal, .memberMayBeTooLarge,
            .partialContent:
            "name the rule and what the server calls it, as in --pagination token:PATH,QUERY"
        default: nil
        }
    }
}
