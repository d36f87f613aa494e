import Foundation
public import RESTClientHTTP

/// The message of a server about a failure, from the body of its response and the challenge for a credential.
struct ServerMessage {
    /// The message on one line, as the server wrote it.
    private(set) var text: String
    /// `true` if the text is a whole body of JSON.
    private let isJSON: Bool
    /// `true` if the body says that the request failed, whatever its status: it has an error, or denies its success.
    let isFailure: Bool

    /// Returns `nil` if neither the body nor the challenge has a message.
    init?(_ response: DataResponse) {
        let challenge = response.headers[.wwwAuthenticate].flatMap(Self.text(ofChallenge:))
        let isEmpty = [Data(), ErrorSecrets.leftOut].contains(response.body)
        guard let message = isEmpty ? nil : Self(ofBody: response) else {
            guard let challenge else { return nil }
            self.init(challenge, isFailure: true)
            return
        }
        self = message
        guard let challenge, !text.contains(challenge) else { return }
        text += "; \(challenge)"
    }

    private init?(ofBody response: DataResponse) {
        guard let body = try? response.text() else { return nil }
        let type = response.mediaType
        let start = body.first { !$0.isWhitespace }
        if type?.isJSON ?? true || start == "{", let json = try? JSONLiteral(parsing: response.body) {
            let message = Self.text(of: json).flatMap { $0 == response.status.reasonPhrase ? nil : $0 }
            guard let text = message ?? (body.utf8.count <= Self.maxBytes ? body : nil) else { return nil }
            self.init(text, isJSON: message == nil, isFailure: Self.deniesSuccess(json))
        } else if start == "<" {
            let text = Self.text(ofMarkup: body)
            guard let text, text != "\(response.status)" else { return nil }
            self.init(text, isFailure: type?.essence != "text/html")
        } else {
            guard type?.isJSON != true else { return nil }
            self.init(String(body.prefix(1_000)), isFailure: false)
        }
    }

    private init?(_ text: String, isJSON: Bool = false, isFailure: Bool) {
        let words = text.split { $0.isWhitespace }
        guard !words.isEmpty else { return nil }
        (self.text, self.isJSON, self.isFailure) = (words.joined(separator: " "), isJSON, isFailure)
    }

    /// The text, safe to show: in quotes, unless it is JSON, which has quotes of its own.
    var shownText: String {
        isJSON ? TerminalEscaping.escaped(text, limit: 200) : TerminalEscaping.quoted(text, limit: 200)
    }

    /// The size of a body of JSON that is shown as it is.
    private static let maxBytes = 200

    // MARK: JSON

    /// The members that have the message, by their names in lower case without separators; the first is the most specific.
    private static let messageNames = [
        "errordescription", "exceptionmessage", "message", "errormessage", "errormsg", "errmsg", "detail",
        "msg", "faultstring",
        "description", "title", "reason", "error",
    ]
    /// The members that contain a value with the message, or a list of such values.
    private static let containerNames = [
        "error", "fault", "errors", "errormessages", "detail", "details", "exception", "violations",
        "invalidparams",
    ]
    /// The members that name the place of a mistake in the request.
    private static let placeNames = ["field", "loc", "path", "param", "property", "pointer", "name"]

    private static func text(of json: JSONLiteral, depth: Int = 0) -> String? {
        guard depth < 4 else { return nil }
        switch json.node {
        case .string(let text): return text.isEmpty ? nil : text
        case .array(let values):
            let texts = values.prefix(3).compactMap { text(of: $0, depth: depth + 1) }
            return texts.isEmpty ? nil : texts.joined(separator: "; ")
        case .object(let members):
            let members = members.map { (name: folded($0.key), value: $0.value) }
            func member(_ name: String) -> JSONLiteral? { members.first { $0.name == name }?.value }
            let own = messageNames.lazy.compactMap { name in
                member(name).flatMap { $0.ownText.map { (name: name, text: $0) } }
            }.first
            let inner = containerNames.lazy.compactMap { name -> String? in
                guard let value = member(name), value.ownText == nil else { return nil }
                return text(of: value, depth: depth + 1) ?? fieldTexts(of: value)
            }.first
            let place = placeNames.lazy.compactMap { member($0)?.placeText }.first
            // In an error, a code alone is the message.
            let isError = depth > 0 || place != nil
            let codeText = ["code", "errorcode", "type"].lazy.compactMap { member($0)?.ownText }.first
            guard let text = own?.text ?? inner ?? (isError ? codeText : nil) else { return nil }
            var parts = depth > 0 && place.map { !text.contains($0) } == true ? [place ?? ""] : []
            parts.append(text)
            if own != nil, let inner, inner != text { parts.append(inner) }
            // A code is what a program or a search looks for, such as that of an OAuth error (RFC 6749, section 5.2).
            let code =
                ["error", "code", "errorcode"].lazy.filter { $0 != own?.name }
                .compactMap { member($0)?.ownText }.first
            let whole = parts.dropFirst().reduce(parts[0]) { $0 + ($0.hasSuffix(".") ? " " : ": ") + $1 }
            return whole + (code.map { $0 == text ? "" : " (\($0))" } ?? "")
        default: return nil
        }
    }

    /// Returns the texts of an object whose members are the fields of the request: `{"email": ["is invalid"]}`.
    private static func fieldTexts(of json: JSONLiteral) -> String? {
        guard case .object(let members) = json.node else { return nil }
        let texts = members.prefix(3).compactMap { member -> String? in
            guard case .array(let values) = member.value.node else { return nil }
            let texts = values.prefix(3).compactMap(\.ownText)
            return texts.isEmpty ? nil : "\(member.key): \(texts.joined(separator: ", "))"
        }
        return texts.isEmpty ? nil : texts.joined(separator: "; ")
    }

    private static func folded(_ name: String) -> String { name.lowercased().filter { $0.isLetter } }

    /// Returns the words of a server whose document says that the request failed, whatever its status, or `nil`.
    ///
    /// - Parameters:
    ///   - json: The document, or the object with its list.
    ///   - hasItems: `true` if there are items. Then the failure must be a denied success, a state or an error: a number can have
    ///     another meaning, and `errors` can be about other items.
    static func ofFailure(in json: JSONLiteral, hasItems: Bool) -> String? {
        guard case .object(let members) = json.node else { return nil }
        let certain = members.filter { member in
            if case .integer = member.value.node { return false }
            return canDenySuccess(member.key)
        }
        guard deniesSuccess(hasItems ? JSONLiteral(.object(certain)) : json) else { return nil }
        return text(of: json) ?? "the request failed"
    }

    /// Returns `true` for the name of a member that can deny the success of a request although there are items.
    static func canDenySuccess(_ name: String) -> Bool { certainNames.contains(folded(name)) }

    private static let certainNames: Set = [
        "ok", "success", "successful", "haserror", "iserror", "status", "result", "state", "stat", "error",
        "exception", "errormessage", "errormsg", "errmsg",
    ]

    private static func deniesSuccess(_ json: JSONLiteral, depth: Int = 0) -> Bool {
        guard case .object(let members) = json.node else { return false }
        return members.contains { member in
            let name = folded(member.key)
            switch (name, member.value.node) {
            case ("ok", .bool(false)), ("success", .bool(false)), ("successful", .bool(false)): return true
            case ("haserror", .bool(true)), ("iserror", .bool(true)), ("error", .bool(true)): return true
            case ("success", .string(let text)): return text.lowercased() == "false"
            case ("status", .string(let text)), ("result", .string(let text)), ("state", .string(let text)),
                ("stat", .string(let text)):
                return isFailure(text)
            case ("error", let value), ("fault", let value), ("exception", let value): return isError(value)
            case ("errors", .array(let values)): return !values.isEmpty
            case ("errors", .object): return isError(member.value.node)
            case ("errormessage", .string(let text)), ("errormsg", .string(let text)),
                ("errmsg", .string(let text)):
                return isError(.string(text))
            case ("type", .string(let text)): return member.key.hasPrefix("_") && text.hasSuffix("Exception")
            case ("status", .integer(let code)), ("code", .integer(let code)),
                ("statuscode", .integer(let code)), ("httpstatus", .integer(let code)):
                return 400..<600 ~= code
            case (_, .object)
            where depth == 0 && ["status", "meta", "header", "responseheader"].contains(name):
                return deniesSuccess(member.value, depth: 1)
            case (_, let value) where ["errcode", "errorcode", "errno", "retcode"].contains(name):
                // `{"ErrorCode": 1, "ErrorStatus": "Success"}`
                return isError(value)
                    && !members.contains {
                        folded($0.key) == "errorstatus" && $0.value.ownText != nil && !isError($0.value.node)
                    }
            default: return false
            }
        }
    }

    /// Returns `true` for a state such as `error` or `OVER_QUERY_LIMIT`.
    private static func isFailure(_ text: String) -> Bool {
        let words = text.lowercased().split { !$0.isLetter }
        let failures: Set = [
            "error", "fail", "failed", "failure", "denied", "invalid", "throttled", "timeout", "timedout",
            "aborted", "incomplete", "unavailable", "interrupted",
        ]
        return words.count < 4 && words.first != "no"
            && (words.contains { failures.contains(String($0)) } || words == ["timed", "out"]
                || words.first == "over" && words.last == "limit")
    }

    /// Returns `false` for the values that servers send without an error: `null`, `"OK"`, or `{"code": "ok", "message": ""}`.
    private static func isError(_ value: JSONLiteral.Node) -> Bool {
        switch value {
        case .integer(let code): return code != 0 && code != 200
        case .string(let text):
            let ends: Set = [
                "200", "ok", "none", "no", "false", "success", "successful", "succeeded", "succeed", "succ",
                "成功", "请求成功",
            ]
            return !text.allSatisfy { $0 == "0" } && !ends.contains(text.lowercased())
        case .array(let values): return !values.isEmpty
        case .object(let members):
            // `{"faultCode": 0, "faultString": ""}`
            let code = members.first { folded($0.key) == "code" }
            return code.map { isError($0.value.node) } ?? members.contains { saysSomething($0.value.node) }
        default: return false
        }
    }

    private static func saysSomething(_ value: JSONLiteral.Node) -> Bool {
        switch value {
        case .null, .integer(0), .string(""), .bool(false): false
        default: true
        }
    }

    // MARK: Challenges

    /// Returns the description and the code of an error in a challenge, such as that of a bearer token (RFC 6750, section 3).
    private static func text(ofChallenge challenge: String) -> String? {
        var parameters: [String: String] = [:]
        for match in challenge.prefix(2_000).matches(of: /(\w+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^",\s]+))/) {
            let value = match.output.2 ?? match.output.3 ?? ""
            parameters[match.output.1.lowercased()] =
                value.isEmpty ? nil : String(value.replacing("\\", with: ""))
        }
        let description = parameters["error_description"]
        guard let code = parameters["error"] else { return description }
        return description.map { "\($0) (\(code))" } ?? code
    }

    // MARK: XML and HTML

    private static func text(ofMarkup body: String) -> String? {
        let head = String(body.prefix(8 << 10))
        func text(of name: String) -> String? {
            // To compile a regular expression takes longer than to search most bodies for a name.
            guard head.contains(name) else { return nil }
            let start = "<(?:[A-Za-z0-9]+:)?\(name)(?:\\s[^>]*)?>"
            let pattern = start + "(?:<!\\[CDATA\\[([\\s\\S]*?)\\]\\]>|([^<]+)<)"
            let regex = try? Regex(pattern, as: (Substring, Substring?, Substring?).self)
            let match = regex.flatMap { head.firstMatch(of: $0)?.output }
            return match?.1.map { String($0) } ?? match?.2.map { unescaped(String($0)) }
        }
        let names = ["faultstring", "Text", "Message", "message", "detail", "description", "title", "h1"]
        let message = names.lazy.compactMap(text).first
        // A code, such as `NoSuchKey`, is what a program or a search looks for. That of a page is a sample.
        let isPage = body.prefix(1 << 10).lowercased().contains("<html")
        let code = isPage ? nil : ["Code", "code", "faultcode"].lazy.compactMap(text).first
        return message.map { $0 + (code.map { " (\($0))" } ?? "") } ?? code
    }

    private static func unescaped(_ text: String) -> String {
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&apos;", "'"), ("&amp;", "&")]
            .reduce(text) { $0.replacing($1.0, with: $1.1) }
    }
}

extension JSONLiteral {
    /// The text of a string that is not empty.
    fileprivate var ownText: String? {
        if case .string(let text) = node, !text.isEmpty { text } else { nil }
    }

    /// The text of a place: a string, or a path as a list.
    fileprivate var placeText: String? {
        switch node {
        case .array(let steps):
            steps.map { step in
                if case .integer(let index) = step.node { "\(index)" } else { step.ownText ?? "" }
            }.joined(separator: ".")
        default: ownText
        }
    }
}

extension MemberPath {
    /// A Boolean value that indicates whether the last name is that of a list of errors, which is hardly the list of the items.
    public var isOfErrors: Bool {
        ["error", "errors", "warnings", "faults", "violations"].contains(names.last?.lowercased() ?? "")
    }
}
