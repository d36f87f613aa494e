public import Foundation
import RESTClientHTTP

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension RESTClientError: CustomStringConvertible {
    /// What happened, to which request, and what to try; safe to show.
    public var description: String {
        let text = hint.map { "\(message)\n  hint: \($0)" } ?? message
        guard let listing, listing.items > 0 || listing.pages > 0 else { return text }
        return "\(text)\n  \(listing)"
    }

    /// The failure and the request, on one line; safe to show.
    public var message: String {
        let request = "\(method) \(url.map { Redaction.url($0) } ?? "(no URL)")"
        return switch kind {
        case .invalidRequest(let reason): "cannot send \(request): \(reason)"
        case .shutDown: "cannot send \(request): its session manager was shut down"
        case .connection(let failure): "\(failure): \(request)\(underlyingText)"
        case .timedOut(let timeout): "\(timeout): \(request)"
        case .redirect(.tooMany(let max, let target)):
            "more than \(max) redirects; the last one was to \(TerminalEscaping.escaped(target, limit: 200))"
        case .redirect(.refused(let reason, let target)):
            "refused redirect from \(url.map { Redaction.url($0) } ?? "") to "
                + "\(TerminalEscaping.escaped(target, limit: 200)): \(reason)"
        case .status(let status): "HTTP \(status) from \(url.map { Redaction.url($0) } ?? "")"
        case .authentication(.refreshFailed): "the credential could not be refreshed (\(cause)): \(request)"
        case .invalidResponse(let reason): "the response is not valid HTTP (\(reason)): \(request)"
        case .incompleteBody(let received, let expected):
            "the reply ended early, at byte \(received)\(expected.map { " of \($0)" } ?? ""): \(request)"
        case .notJSON(let found): notJSON(found)
        case .malformedJSON(let offset, let path, let error):
            "the reply is not valid JSON at byte \(offset): \(error) (\(path))"
        case .wrongShape(let path, let expected, let found):
            "expected \(expected) at \(TerminalEscaping.quoted(path)), found \(found)"
        case .pagination(let failure): "cannot follow the pages: \(failure)"
        case .limit(let limit): "too much: \(limit)"
        case .file(let path, let failure):
            "cannot use \(TerminalEscaping.quoted(path)): \(failure)"
        }
    }

    /// A suggestion for what to try, if there is one; safe to show.
    public var hint: String? {
        switch kind {
        case .shutDown: "keep the manager until its requests have ended, or make another"
        case .connection(.hostNotFound): "check the host's name, and whether this machine has a network"
        case .connection(.refused): "check the port, and whether the server runs"
        case .connection(.tls): "check the certificate of the server, and the time of this machine"
        case .timedOut(.idle): "give it longer with Timeouts(idle:)"
        case .timedOut(.total): "give it longer with timeout(_:)"
        case .status(401): serverHint ?? "the request needs a credential, or another one"
        case .status(403): serverHint ?? "the credential does not allow this"
        case .status(let status) where status.isRedirect: redirectText
        case .status: serverHint
        case .notJSON: isHTML ? "this looks like a login page; the request may need a credential" : nil
        case .wrongShape:
            otherLists.first.map { "\(TerminalEscaping.quoted("\($0)")) is a list; ask for it instead" }
        case .pagination(let failure): failure.hint
        case .limit(let limit): "raise \(limit.setting) if the response is meant to be this large"
        default: nil
        }
    }

    /// `true` if the response is an HTML page, such as a login page.
    public var isHTML: Bool {
        if response?.mediaType?.essence == "text/html" { return true }
        guard case .notJSON(let found) = kind else { return false }
        return found.lowercased().hasPrefix("<!doctype html") || found.lowercased().hasPrefix("<html")
    }

    /// The message of the server: the detail or title of a problem (RFC 9457), or a short body of text. Quoted and escaped.
    public var serverMessage: String? {
        guard let response, !response.body.isEmpty else { return nil }
        if let problem, let text = problem.detail ?? problem.title { return TerminalEscaping.quoted(text) }
        guard !isHTML, response.mediaType?.isJSON != true || response.body.count <= 200,
            let text = String(validating: response.body, as: UTF8.self)
        else { return nil }
        return TerminalEscaping.quoted(text.trimmingCharacters(in: .whitespacesAndNewlines))
    }

    private var serverHint: String? { serverMessage.map { "the server said: \($0)" } }

    private func notJSON(_ found: String) -> String {
        guard !found.isEmpty else {
            return response?.status.hasNoBody == true
                ? "the reply has no content" : "the reply is empty, not JSON"
        }
        let type = response?.mediaType.map { "\(TerminalEscaping.escaped($0.essence, limit: 80)), " } ?? ""
        let start = TerminalEscaping.quoted(found, limit: 40)
        return "the reply is \(isHTML ? "HTML, " : "")not JSON (\(type)starts \(start))"
    }

    private var otherLists: [MemberPath] {
        guard let failure = underlying as? ListScanner.Failure,
            case .wrongShape(_, _, _, let lists) = failure.reason
        else { return [] }
        return lists
    }

    /// The text of an error of another module may contain a secret.
    private var cause: String {
        (underlying as? RESTClientError)?.message ?? underlying.map { "\(type(of: $0))" } ?? "no cause"
    }

    private var redirectText: String? {
        response?.headers[.location].map {
            "it redirects to \(TerminalEscaping.quoted($0)), which was not followed"
        }
    }

    private var underlyingText: String {
        guard let underlying else { return "" }
        return " (\(TerminalEscaping.escaped(underlying.localizedDescription, limit: 200)))"
    }
}

extension RESTClientError: LocalizedError {
    /// What happened, to which request, in one line; safe to show.
    public var errorDescription: String? { message }

    /// What to try.
    public var recoverySuggestion: String? { hint }
}

extension RESTClientError.Progress: CustomStringConvertible {
    /// How far it got, in words; safe to show.
    public var description: String {
        let got =
            "\(items) \(items == 1 ? "item" : "items") of \(pages) complete \(pages == 1 ? "page" : "pages")"
        return "\(got) came before\(resume.map { "; it can go on at page \($0.page)" } ?? "")"
    }
}
