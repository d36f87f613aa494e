import Foundation
import RESTClient

extension ListRequest {
    /// The credential for the origin of the list: that of the options, then the user info of the URL, then `ITEMS_TOKEN_FILE`,
    /// which is used only at the origin of `ITEMS_URL`. `nil` if there is none.
    var authenticator: Authenticator? {
        get throws {
            if let user = options.user {
                return try basic(user, password: options.isOffline ? "" : environment.askPassword(user.name))
            }
            if let path = options.tokenFile { return try bearer(path, of: "--token-file") }
            if options.usesNetrc { return try netrc }
            if let user = argument.user { return basic(user, password: "") }
            guard let path = environment.variable("ITEMS_TOKEN_FILE"), !path.isEmpty,
                let defaultURL = environment.variable("ITEMS_URL").flatMap({ try? URLArgument($0) }),
                defaultURL.hasSameOrigin(as: argument),
                !options.headers.contains(where: { $0.lowercased().hasPrefix("authorization:") })
            else { return nil }
            do { return try bearer(path) } catch { throw CommandError(error).naming("ITEMS_TOKEN_FILE") }
        }
    }

    private func basic(_ user: User, password: @autoclosure () throws -> String) rethrows -> Authenticator {
        .basic(user: user.name, password: try user.password ?? password(), for: argument.url)
    }

    private var netrc: Authenticator {
        get throws {
            let file = environment.variable("NETRC").flatMap { $0.isEmpty ? nil : $0 }
            let path = file ?? "\(environment.variable("HOME") ?? "")/.netrc"
            // Throws an error with a better message than the platform's if the file cannot be read.
            try FileInput(path: path).warnIfInsecure(messages)
            do {
                return try .netrc(URL(filePath: path))
            } catch { throw CommandError(.noInput, "cannot read \("\(error)".escaped())") }
        }
    }

    /// Returns the credential with the token in a file, and warns if other users can read the file.
    private func bearer(_ path: String, of option: String? = nil) throws -> Authenticator {
        try checkTransportOfToken()
        let file = try FileInput(path, environment, of: option)
        if path != "-" { file.warnIfInsecure(messages) }
        let token = try file.text(limit: 64 << 10, of: "a token")
            .trimmingCharacters(in: .whitespacesAndNewlines)
        guard !token.isEmpty else { throw CommandError.usage("\(file.name) contains no token") }
        guard token.utf8.allSatisfy({ $0 < 0x7F }) else {
            throw CommandError.usage(
                "\(file.name) contains a character that no token has",
                hint: "write the token in ASCII, without a byte order mark")
        }
        guard token.utf8.allSatisfy({ $0 > 0x20 }) else {
            throw CommandError.usage(
                "\(file.name) contains more than one token",
                hint: token.lowercased().hasPrefix("bearer ") ? "leave out Bearer" : nil)
        }
        return .bearer(token, for: argument.url)
    }

    /// Throws if a token would leave this machine unencrypted.
    private func checkTransportOfToken() throws(CommandError) {
        let (url, connection) = (argument.url, options.connection)
        guard url.scheme != "https", connection.unixSocket == nil else { return }
        let host = url.host(percentEncoded: false) ?? ""
        guard Self.isLoopback(host), connection.addresses.isEmpty else {
            throw .usage("cannot send a token to \(host.escaped(80)) over plain http", hint: "use https")
        }
        guard let proxy = Proxy(for: url, connection, environment), !Self.isLoopback(proxy.host) else {
            return
        }
        throw .usage(
            "cannot send a token over plain http to the proxy \(proxy.host.escaped(80))",
            hint: "set NO_PROXY=\(host)")
    }

    /// `true` if requests to `host` never leave this machine (RFC 6761, section 6.3).
    private static func isLoopback(_ host: String) -> Bool {
        let host = host.lowercased()
        return host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]" || host == "::1"
            || host.hasPrefix("127.") && host.allSatisfy { $0.isNumber || $0 == "." }
    }
}

/// The proxy of `--proxy`, or that of the environment, as described by curl(1).
struct Proxy: Equatable {
    let host: String
    /// The option or the environment variable that names the proxy.
    let variable: String

    /// The proxy for requests to `url`, or `nil` if there is none. `NO_PROXY` is matched exactly and not by suffix, which
    /// errs on the safe side.
    init?(for url: URL, _ connection: ConnectionOptions, _ environment: Environment) {
        let excluded = ["no_proxy", "NO_PROXY"].compactMap(environment.variable).joined(separator: ",")
        let names = excluded.split { ", ".contains($0) }.map { $0.lowercased() }
        let variables =
            (url.scheme == "https" ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"])
            + ["all_proxy", "ALL_PROXY"]
        let host = url.host(percentEncoded: false)?.lowercased() ?? ""
        guard connection.unixSocket == nil, !names.contains("*"), !names.contains(host) else { return nil }
        let set = variables.lazy.map { ($0, environment.variable($0)) }.first { $0.1?.isEmpty == false }
        let environmental = Self.isReadFromEnvironment ? set : nil
        guard case (let variable, let text?)? = connection.proxy.map({ ("--proxy", $0) }) ?? environmental,
            !text.isEmpty
        else { return nil }
        self.variable = variable
        let hostAndPort = Self.hostAndPort(of: text)
        self.host =
            hostAndPort.hasPrefix("[")
            ? hostAndPort.prefix { $0 != "]" } + "]" : String(hostAndPort.prefix { $0 != ":" })
    }

    /// Returns the host and the port in the text of a proxy: `SCHEME://USER:PASSWORD@HOST:PORT/`, where all parts except the host
    /// are optional.
    static func hostAndPort(of text: String) -> Substring {
        let authority = text.firstRange(of: "://").map { text[$0.upperBound...] } ?? text[...]
        return authority.prefix { $0 != "/" }.split(separator: "@").last ?? ""
    }

    /// Returns a hint that names the proxy, if `error` is a failed connection or the status 407 of a proxy.
    static func hint(
        for error: any Error, _ connection: ConnectionOptions, _ environment: Environment
    ) -> String? {
        guard let error = error as? RESTClientError, let url = error.url,
            let proxy = Proxy(for: url, connection, environment)
        else { return nil }
        let name = proxy.host.escaped(80)
        // For https, the response to CONNECT.
        if error.response?.status == 407 {
            return "the proxy \(name) needs a password; set \(proxy.variable)=http://USER:PASSWORD@HOST"
        }
        guard case .connection(let failure) = error.kind, failure != .tls else { return nil }
        let host = (url.host(percentEncoded: false) ?? "").escaped(80)
        return "\(proxy.variable) names the proxy \(name); correct it, or set NO_PROXY=\(host)"
    }
}
