import HTTPCore
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
    ///
    /// - Parameter printed: how many items are out already.
    init(_ error: any Error, printed: Int = 0) {
        switch error {
        case let complaint as Complaint: self = complaint
        case let error as UsageError: self.init(.usage, error.message, hint: error.hint)
        case let error as OutputFailure: self.init(error)
        case let error as DocumentFailure: self.init(error.failure, in: error.file)
        case let error as RESTClientError: self.init(error)
        case is CancellationError: self.init(.failure, "cancelled")
        default: self.init(.failure, SafeText.escaped("\(error)", limit: 200))
        }
        if printed > 0 {
            let items = printed == 1 ? "item" : "\(printed.grouped) items"
            message += "; the \(items) printed \(printed == 1 ? "is" : "are") not the whole list"
        }
    }

    private init(_ failure: OutputFailure) {
        switch failure {
        case .noReader: self.init(.brokenPipe, "nobody reads the output any more")
        case .failed(let code):
            self.init(.outputFailed, "cannot write the output: \(String(cString: strerror(code)))")
        }
    }
}

// MARK: Documents

extension Complaint {
    private init(_ failure: ListScanner.Failure, in file: String?) {
        let subject = file ?? "the reply"
        switch failure.reason {
        case .notJSON(let found):
            let lower = found.lowercased()
            let isHTML = lower.hasPrefix("<!doctype html") || lower.hasPrefix("<html")
            self.init(
                .badList,
                found.isEmpty
                    ? "\(subject) is empty, not JSON"
                    : "\(subject) is \(isHTML ? "HTML, " : "")not JSON (starts \(SafeText.quoted(found, limit: 40)))"
            )
        case .malformed(let reason):
            self.init(
                .badList,
                "\(subject) is not valid JSON at byte \(failure.offset.grouped) (\(failure.place)): "
                    + SafeText.escaped(reason, limit: 200))
        case .tooDeep(let limit):
            self.init(
                .badList,
                "\(subject) nests more than \(limit) levels at byte \(failure.offset.grouped) (\(failure.place))"
            )
        case .incomplete:
            let isInItem = failure.path.contains("[\(failure.items)]")
            let place = isInItem ? ", inside item \((failure.items + 1).grouped)" : ""
            self.init(.badList, "\(subject) ended early at byte \(failure.offset.grouped)\(place)")
        case .itemTooLarge(let limit):
            self.init(
                .limit,
                "item \((failure.items + 1).grouped) of \(subject) is larger than \(limit.grouped) bytes")
        case .wrongShape(let path, let expected, let found, let keys, let lists):
            let names = keys.prefix(8).map { SafeText.quoted($0, limit: 40) }.joined(separator: ", ")
            let shown =
                keys.isEmpty ? SafeText.escaped(found, limit: 200) : names + (keys.count > 8 ? ", …" : "")
            let place = "at \(SafeText.quoted("\(path)"))\(file.map { " in \($0)" } ?? "")"
            self.init(
                .badList, "expected \(expected) \(place), found \(shown)", hint: Self.hint(lists: lists))
        }
    }

    /// The list that is there in place of the one asked for.
    private static func hint(lists: [MemberPath]) -> String? {
        guard let list = lists.first else { return nil }
        let path = "\(list)"
        let what = list == .root ? "the document" : SafeText.quoted(path, limit: 80)
        guard !path.unicodeScalars.contains(where: SafeText.isUnsafe) else { return "\(what) is a list" }
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
    fileprivate var place: String { SafeText.escaped(path, limit: 80) }
}

// MARK: Requests

extension Complaint {
    private init(_ error: RESTClientError) {
        if let failure = error.underlying as? ListScanner.Failure {
            switch failure.reason {
            // Only the error knows what type the reply says it is.
            case .notJSON: break
            default:
                self.init(failure, in: nil)
                return
            }
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
        case .timedOut(.idle), .limit, .status(304): nil
        case .status(401): said("\(Self.signIn); check it if you did")
        case .status(403): said("the credential does not allow this")
        case .status(404), .status(410): said("check the path")
        case .status(let status) where status.isRedirect: hint
        case .status: serverText
        case .notJSON where isHTML: "this looks like a page for people; \(Self.signIn)"
        default: hint
        }
    }

    private static let signIn = "sign in with -u USER, or send a credential with -H"

    private func said(_ hint: String) -> String { serverText.map { "\(hint); \($0)" } ?? hint }
}
