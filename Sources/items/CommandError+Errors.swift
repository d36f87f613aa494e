import Foundation
import RESTClient

extension CommandError {
    /// Describes an error, which can be that of reading `list`.
    init(_ error: any Error, of list: ListPath? = nil) {
        switch error {
        case let error as CommandError: self = error
        case let error as OutputError: self.init(error, to: "standard output")
        case let error as RESTClientError: self.init(error, of: list)
        case let error as POSIXError: self.init(writing: "a temporary file", error.code.rawValue)
        // Only a signal cancels a task of the command.
        case is Interruption, is CancellationError: self.init(.interrupted, "interrupted")
        default: self.init(.failure, "\(error)".escaped())
        }
    }

    /// Describes an output that could not be written completely.
    init(_ failure: OutputError, to name: String) {
        switch failure {
        case .brokenPipe: self.init(.brokenPipe, "the reader closed the output")
        case .failed(let code): self.init(writing: name, code)
        }
    }

    init(writing name: String, _ code: Int32, hint: String? = nil) {
        let isFull = [ENOSPC, EDQUOT].contains(code)
        self.init(
            .outputFailed, "cannot write \(name): \(String(cString: strerror(code)))",
            hint: hint ?? (isFull ? "free some space, or write to another disk" : nil))
    }

    init(reading name: String, _ code: Int32, hint: String? = nil) {
        self.init(.noInput, "cannot read \(name): \(String(cString: strerror(code)))", hint: hint)
    }

    /// Adds the number of items already printed to the message. Does nothing if there are none.
    mutating func addPrintedCount(_ count: Int) {
        guard count > 0 else { return }
        message += " (\(count.text(of: "item")) printed)"
        if !code.isInterruption { addHint("use -o FILE to keep only complete lists", onlyIfNone: true) }
    }
}

// MARK: Documents

extension CommandError {
    /// Describes a failure to read a list: in `file`, or in a response, which can be that of a page at
    /// `start`.
    init(
        _ failure: ListScanner.Failure, in file: String?, of list: ListPath? = nil,
        from start: ResumeToken? = nil
    ) {
        let subject = file ?? Self.subject(start)
        let item = ((start?.itemsBefore ?? 0) + failure.itemCount + 1).groupedText
        switch failure.reason {
        case .notJSON(let found, let isHTML):
            let isSequence = found.contains(/^(-?\d+(\.\d+)?|true|false|null)(\s|$)/)
            let hint = isHTML ? "pass the URL of its data instead" : isSequence ? Self.sequenceHint() : nil
            self.init(.badList, "\(subject) is \(failure)", hint: file == nil ? nil : hint)
        case .malformed(.encoding(let name)):
            self.init(
                .badList, "\(subject) is \(failure)",
                hint: file == nil ? nil : "convert it first with iconv -f \(name) -t UTF-8")
        case .malformed(let error):
            let hint =
                Self.hint(for: error, of: list) ?? (file == nil ? "the server must correct its JSON" : nil)
            self.init(.badList, "\(subject) is \(failure)", hint: hint)
        case .incomplete:
            let position = failure.isAtElement ? ", inside item \(item)" : ""
            self.init(
                .badList, "\(subject) ended early at byte \(failure.offset.groupedText)\(position)",
                hint: file == nil ? "the response was cut off; try again later" : nil)
        case .itemTooLarge(let limit):
            self.init(
                .limit,
                "item \(item)\(file.map { " of \($0)" } ?? "") is larger than \(limit.text(of: "byte"))",
                hint: "increase --max-item")
        case .wrongShape(let path, let expected, let found, let lists):
            let place = "at \("\(path)".quoted(200))\(file.map { " in \($0)" } ?? "")"
            self.init(
                .badList, "expected \(expected) \(place), found \(found)",
                hint: found == .object && expected == .list
                    ? Self.hint(object: path) : Self.hint(lists: lists))
        }
    }

    private static func hint(for error: JSONSyntaxError, of list: ListPath?) -> String? {
        switch error {
        case .expected(_, found: UInt8(ascii: "'")): "in JSON, names and texts have double quotes"
        case .expected(_, found: UInt8(ascii: "/")), .trailingContent(UInt8(ascii: "/")):
            "JSON has no comments; remove them first"
        case .expected(.digit, found: UInt8(ascii: "I")),
            .expected(.value, found: UInt8(ascii: "N")), .expected(.value, found: UInt8(ascii: "I")),
            .expected(.value, found: UInt8(ascii: "T")), .expected(.value, found: UInt8(ascii: "u")):
            "JSON has only null, true and false, and no NaN, Infinity, None or undefined"
        case .invalidUTF8, .unpairedSurrogate: "to go on with U+FFFD in its place, add --replace-invalid"
        case .trailingContent(let byte) where "[{\"-0123456789".utf8.contains(byte):
            sequenceHint(
                joinedBy: [UInt8(ascii: "["): "add", UInt8(ascii: "{"): list?.joiningFilter][byte] ?? nil)
        default: nil
        }
    }

    /// A hint for several documents, with the filter of jq that joins their lists, if it is known.
    private static func sequenceHint(joinedBy filter: String? = nil) -> String {
        let advice = filter.map { ", or join their lists with jq -s \($0.shellQuoted)" }
        return "these are several documents: list each with --lines\(advice ?? "")"
    }

    static let incompleteHint = "to accept it, add --allow-incomplete"

    /// The name of the failed document in messages: "the response", or the number of its page.
    private static func subject(_ start: ResumeToken?) -> String {
        start.flatMap { $0.pageNumber > 1 ? "page \($0.pageNumber.groupedText)" : nil } ?? "the response"
    }

    /// A hint for an object in the place of the list.
    private static func hint(object path: MemberPath) -> String? {
        let text = path == .root ? "" : "\(path)"
        guard !text.unicodeScalars.contains(where: TerminalEscaping.isUnsafe) else { return nil }
        return "to list the members of the object, use --at \("\(text){}".shellQuoted)"
    }

    /// A hint that names another list in the same document, if there is one.
    private static func hint(lists: [MemberPath]) -> String {
        guard let list = lists.first(where: { !$0.isOfErrors }) else {
            return "check the input and --at, or print the document as one item with --lines"
        }
        let path = "\(list)"
        let what = list == .root ? "the document" : path.quoted()
        let isSafe = !path.unicodeScalars.contains(where: TerminalEscaping.isUnsafe)
        return "\(what) is a list" + (isSafe ? "; try --at \(path.shellQuoted)" : "")
    }
}

// MARK: Requests

extension CommandError {
    private init(_ error: RESTClientError, of list: ListPath?) {
        switch (error.kind, error.underlying as? ListScanner.Failure) {
        // The scanner does not know the content type; the error does.
        case (.notJSON, _): self.init(error.exitCode, error.message, hint: error.commandHint)
        case (_, let failure?):
            self.init(failure, in: nil, of: list, from: error.listingProgress?.resume)
            message = error.message(message)
            if error.serverHint != nil { hint = error.commandHint }
            let charset = /charset="?(?!utf-?8\b)([\w-]+)/.ignoresCase()
            if case .malformed(.invalidUTF8) = failure.reason,
                let name = error.response?.mediaType?.rawValue.firstMatch(of: charset)?.1
            {
                hint = "convert the body first: curl … | iconv -f \(name) -t UTF-8 | items -"
            }
        case (.incompleteBody(let received, let expected), _):
            let total = expected.map { " of \($0.groupedText)" } ?? ""
            let subject = Self.subject(error.listingProgress?.resume)
            self.init(
                .badList, error.message("\(subject) ended early at byte \(received.groupedText)\(total)"),
                hint: error.commandHint)
        default:
            self.init(
                error.exitCode, Self.namingOptions(error.message),
                hint: error.commandHint.map(Self.namingOptions))
        }
    }

    /// Replaces the options of the library by those of the command.
    private static func namingOptions(_ text: String) -> String {
        guard text.contains("ConnectionOptions.") else { return text }
        let names = [
            "caFile": "cacert", "caFolder": "capath", "clientCertificate": "cert", "clientKey": "key",
            "keyPassword": "pass", "pinnedPublicKeys": "pinnedpubkey", "unixSocket": "unix-socket",
            "proxy": "proxy", "addresses": "resolve", "connectTimeout": "connect-timeout",
            "usesHTTP1Only": "http1.1",
        ]
        return text.replacing(/ConnectionOptions\.(\w+)/) { match in
            "--\(names[String(match.1)] ?? String(match.1))"
        }
    }
}

extension RESTClientError {
    var exitCode: ExitCode {
        switch kind {
        case .invalidRequest: .usage
        case .connection: .noConnection
        case .timedOut: .timedOut
        case .redirect: .redirectRefused
        case .status(304): .badList
        case .status(let status):
            [3: ExitCode.redirection, 4: .clientError, 5: .serverError][status.rawValue / 100] ?? .failure
        case .invalidResponse, .incompleteBody, .notJSON, .malformedJSON, .wrongShape, .incompleteList,
            .pagination:
            .badList
        case .limit: .limit
        default: .failure
        }
    }

    /// The hint for the user of the command. Defaults to the hint of the library.
    var commandHint: String? {
        let parts = [commandAdvice, serverHint].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }

    private var commandAdvice: String? {
        switch kind {
        case .timedOut(.total): "try again later, or increase --max-time"
        case .timedOut(.idle): "try again later, or increase --idle-timeout"
        case .limit(.pages): "increase --max-pages"
        case .limit(.listingBytes): "increase --max-bytes"
        case .limit(.itemBytes): "increase --max-item"
        case .limit, .shutDown: nil
        case .incompleteList: CommandError.incompleteHint
        case .pagination(.otherOrigin(let url?, _)):
            "if this server may be asked, too, add --allow-origin \(url.originText)"
        case .pagination(let failure):
            (suggestedPagination.flatMap(PaginationOption.text).map { text in
                // Which of the two it is, the total does not say.
                var other = text.hasSuffix(",-,first=0") ? ", or first=1 if the total counts other items" : ""
                if case .emptyPage = failure { other = ", unless the list has changed" }
                return "most likely: --pagination \(text)\(other)"
            } ?? failure.commandHint) + (isPagedByDefault ? ", or omit --pagination" : "")
        case .invalidRequest(.reservedHeader("Host")):
            "put the host into the URL, and its address into --resolve HOST:PORT:ADDRESS"
        case .invalidRequest(.bodyNotAllowed):
            "omit -X for a POST, or add --get to put the data into the query"
        case .status where isRedirectOfBody:
            advice.map { "\($0), because the body would go to another origin" }
        case .status(401) where otherScheme != nil:
            otherScheme.map {
                "items has no \($0) authentication: curl --\($0.lowercased()) -u USER … | items -"
            }
        case .status(401):
            "pass a credential with -u USER or --token-file, or check the given credential"
        case .status(406): "name a type of the server, such as -H 'Accept: application/vnd.api+json'"
        case .notJSON where compression != nil:
            compression.map { "the body is compressed with \($0): curl … | \($0) -dc | items -" }
        case .notJSON where method == .head: "a response to HEAD has no body; omit -X"
        case .notJSON where isLoginPage: "this looks like a login page; pass a token with --token-file"
        case .notJSON where !isHTML: "check the URL"
        case .file(_, .system): "check the temporary directory, or set TMPDIR to another one"
        default: advice
        }
    }

    /// The program that has compressed the body, whose bytes an error does not contain.
    private var compression: String? {
        guard case .notJSON(let found, _) = kind else { return nil }
        return Compression(ofText: found)?.rawValue
    }

    /// `true` if the target of a redirect that keeps the body is at another origin.
    private var isRedirectOfBody: Bool {
        guard [307, 308].contains(status?.rawValue), method != .get,
            let own = try? URLArgument(url?.absoluteString ?? ""),
            let target = try? URLArgument(response?.headers[.location] ?? "")
        else { return false }
        return !own.hasSameOrigin(as: target)
    }

    /// The scheme of a challenge, if it allows neither Basic nor a token.
    private var otherScheme: String? {
        guard let challenge = response?.headers[.wwwAuthenticate] else { return nil }
        guard !challenge.contains(/\b(Basic|Bearer)\b/.ignoresCase()) else { return nil }
        return challenge.firstMatch(of: /\b(Digest|NTLM|Negotiate)\b/.ignoresCase()).map { String($0.1) }
    }
}

extension URL {
    /// The scheme, host and port, as a word of a shell command.
    fileprivate var originText: String {
        let port = port.map { ":\($0)" } ?? ""
        return "\(scheme ?? "")://\((host(percentEncoded: true) ?? "").shellQuoted)\(port)"
    }
}

extension RESTClientError.PaginationFailure {
    /// The hint for users of the command.
    fileprivate var commandHint: String {
        switch self {
        case .nextRequiresMethod: "send the request with --data"
        case .unclearUnit:
            "request a page as large as the list, or name a pagination that does not count items"
        case .bodyNotObject: "correct the body in --data, or the parameter in --pagination"
        case .positionMoved:
            "remove the file of --resume-file to list from the first page, or accept such a list with --allow-incomplete"
        case .listMoved: "list it again, or accept such a list with --allow-incomplete"
        case .emptyPage, .emptyNumberedPage, .moreThanTotal:
            "the list may have changed; list it again"
        default:
            "look up how the API requests its next page\(examples) or list this page with --pagination none"
        }
    }

    /// Conventions with placeholders for what the response does not say.
    private var examples: String {
        switch self {
        case .unknownToken(in: let path, let token) where !token.contains(" "):
            // The name of a header field, such as `CB-AFTER`, but not of a member such as `next-id`.
            let isField = path.names.count == 1 && path.names[0].contains(#/^(?:[A-Z].*-|x-)/#)
            let convention: PaginationConvention =
                isField ? .token(header: "\(path)", parameter: "name") : .token(at: path, parameter: "name")
            return ", for example \(Self.option(convention)),"
        case .incompleteTotal(_, _, let total):
            return """
                : \(Self.option(.number(parameter: "name", count: nil))) for a page number (with ,first=0 if it counts from 0), \
                \(Self.option(.offset(parameter: "name", total: total))) for an offset;
                """
        case .missingNext, .unknownToken: return Self.examplesWithoutCount
        // A number of remaining items.
        case .unknownNext(in: _, let reference) where Int(reference) != nil: return Self.examplesWithoutCount
        default: return ", for example --pagination token:PARAMETER,PATH,"
        }
    }

    private static let examplesWithoutCount = """
        : \(option(.number(parameter: "name", count: nil))) for a page number (with ,first=0 if it counts from 0), \
        \(option(.offset(parameter: "name", total: nil))) for an offset, \
        \(option(.lastItem("id", parameter: "name"))) for the last item;
        """

    /// Returns the option for a convention whose parameter is unknown.
    private static func option(_ convention: PaginationConvention) -> String {
        let text = PaginationOption.text(convention) ?? "token:name,PATH"
        return "--pagination \(text.replacing(":name,", with: ":PARAMETER,", maxReplacements: 1))"
    }
}
