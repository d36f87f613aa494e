public import Foundation
import RESTClientHTTP

extension RESTClientError: CustomStringConvertible {
    /// What happened, to which request, and what to try; safe to show.
    public var description: String {
        let text = hint.map { "\(message)\n  hint: \($0)" } ?? message
        guard let listing, listing.items > 0 || listing.pages > 0 else { return text }
        return "\(text)\n  \(listing)"
    }

    /// What happened, to which request, in one line.
    package var message: String {
        let request = "\(method) \(Redaction.url(url))"
        return switch kind {
        case .invalidRequest(let reason): "cannot send \(request): \(reason)"
        case .shutDown: "cannot send \(request): its session manager was shut down"
        case .connection(let failure): "\(failure.words): \(request)\(underlyingText)"
        case .timedOut(.idle): "no byte for too long: \(request)"
        case .timedOut(.total): "took too long: \(request)"
        case .redirect(let reason): reason
        case .status(let status): "HTTP \(status) from \(Redaction.url(url))"
        case .authentication(let reason): "\(reason): \(request)"
        case .invalidResponse(let reason):
            "the reply is not valid HTTP (\(TerminalEscaping.escaped(reason, limit: 200))): \(request)"
        case .incompleteBody(let received, let expected):
            "the reply ended early, at byte \(received)\(expected.map { " of \($0)" } ?? ""): \(request)"
        case .notJSON(let found): notJSON(found)
        case .malformedJSON(let offset, let reason):
            "the reply is not valid JSON at byte \(offset): \(reason)"
        case .wrongShape(let path, let expected, let found):
            "expected \(expected) at \(TerminalEscaping.quoted(path)), found \(shapeText(found))"
        case .pagination(let reason): "cannot follow the pages: \(reason)"
        case .limit(let reason): "too much: \(reason)"
        }
    }

    /// What to try.
    package var hint: String? {
        switch kind {
        case .shutDown: "keep the manager until its requests have ended, or make another"
        case .connection(.hostNotFound): "check the host's name, and whether this machine has a network"
        case .connection(.refused): "check the port, and whether the server runs"
        case .connection(.tls): "check the certificate of the server, and the time of this machine"
        case .timedOut(.idle): "give it longer with Timeouts(idle:)"
        case .timedOut(.total): "give it longer with timeout(_:)"
        case .status(401): serverText ?? "the request needs a credential, or another one"
        case .status(403): serverText ?? "the credential does not allow this"
        case .status(let status) where status.isRedirect: redirectText
        case .status: serverText
        case .notJSON: isHTML ? "this looks like a login page; the request may need a credential" : nil
        case .wrongShape:
            shape?.lists.first.map { "\(TerminalEscaping.quoted("\($0)")) is a list; ask for it instead" }
        case .limit: "raise the limit if the reply is meant to be this large"
        default: nil
        }
    }

    /// Whether the reply is a page for people.
    package var isHTML: Bool {
        if response?.mediaType?.essence == "text/html" { return true }
        guard case .notJSON(let found) = kind else { return false }
        return found.lowercased().hasPrefix("<!doctype html") || found.lowercased().hasPrefix("<html")
    }

    /// What the server said in the body, if it is something to read.
    package var serverText: String? {
        guard let response, !response.body.isEmpty else { return nil }
        if let problem, let text = problem.detail ?? problem.title {
            return "the server said: \(TerminalEscaping.quoted(text))"
        }
        guard !isHTML, response.mediaType?.isJSON != true || response.body.count <= 200,
            let text = String(validating: response.body, as: UTF8.self)
        else { return nil }
        return
            "the server said: \(TerminalEscaping.quoted(text.trimmingCharacters(in: .whitespacesAndNewlines)))"
    }

    private func notJSON(_ found: String) -> String {
        guard !found.isEmpty else {
            return response?.status.hasNoBody == true
                ? "the reply has no content" : "the reply is empty, not JSON"
        }
        let type = response?.mediaType.map { "\(TerminalEscaping.escaped($0.essence, limit: 80)), " } ?? ""
        let start = TerminalEscaping.quoted(found, limit: 40)
        return "the reply is \(isHTML ? "HTML, " : "")not JSON (\(type)starts \(start))"
    }

    private func shapeText(_ found: String) -> String {
        guard let keys = shape?.keys, !keys.isEmpty else {
            return TerminalEscaping.escaped(found, limit: 200)
        }
        let shown = keys.prefix(8).map { TerminalEscaping.quoted($0, limit: 40) }.joined(separator: ", ")
        return keys.count > 8 ? "\(shown), …" : shown
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

extension RESTClientError.Connection {
    var words: String {
        switch self {
        case .hostNotFound: "the host was not found"
        case .refused: "the connection was refused"
        case .tls: "the connection is not secure"
        case .reset: "the connection was reset"
        case .emptyReply: "the connection was closed without a reply"
        case .other: "the connection failed"
        }
    }
}

extension RESTClientError {
    /// A problem as a server describes it (RFC 9457), from a body of type `application/problem+json`.
    public struct Problem: Decodable, Hashable, Sendable {
        /// Names the kind of problem.
        public var type: URL?
        /// The status, as the server that had the problem gave it.
        public var status: Int?
        /// Says what kind of problem it is.
        public var title: String?
        /// Says what happened this time.
        public var detail: String?
        /// Names this time.
        public var instance: URL?

        private enum CodingKeys: CodingKey { case type, status, title, detail, instance }

        /// Reads an object; a member of another type than it should have counts as missing (RFC 9457, section 3.1).
        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            type = try? members.decode(URL.self, forKey: .type)
            status = try? members.decode(Int.self, forKey: .status)
            title = try? members.decode(String.self, forKey: .title)
            detail = try? members.decode(String.self, forKey: .detail)
            instance = try? members.decode(URL.self, forKey: .instance)
        }
    }

    /// The problem as the server described it (RFC 9457), if it did.
    public var problem: Problem? {
        guard let response, response.mediaType?.essence == MediaType.problemJSON.rawValue else { return nil }
        return try? JSONDecoder().decode(Problem.self, from: response.body)
    }
}

extension RESTClientError.Progress: CustomStringConvertible {
    /// How far it got, in words; safe to show.
    public var description: String {
        let got =
            "\(items) \(items == 1 ? "item" : "items") of \(pages) complete \(pages == 1 ? "page" : "pages")"
        return "\(got) came before\(resume.map { "; it can go on at page \($0.page)" } ?? "")"
    }
}
