import Foundation
import RESTClient

/// The equivalent `curl` command. It reads secrets from files and contains none.
enum CURLPreview {
    static func text(_ request: DataRequest, _ options: Options, credential: CredentialSource?) -> String {
        var words: [String] = []
        if options.maxRedirects > 0 { words.append("--location") }
        switch credential {
        // curl asks for a missing password.
        case .user(let user): words += ["--user", TerminalEscaping.shellQuoted(user.name)]
        case .token(let file):
            let source = file.path == "-" ? "cat" : "cat \(TerminalEscaping.shellQuoted(file.path))"
            words += ["--oauth2-bearer", "\"$(\(source))\""]
        case .netrc: words.append("--netrc")
        case nil: break
        }
        if options.maxRedirects != Options().maxRedirects, options.maxRedirects > 0 {
            words += ["--max-redirs", "\(options.maxRedirects)"]
        }
        for cookie in options.cookies {
            let shown = cookie.contains("=") ? Redaction.value(cookie, of: .cookie) : cookie
            words += ["--cookie", TerminalEscaping.shellQuoted(shown)]
        }
        if let path = options.cookieJar { words += ["--cookie-jar", TerminalEscaping.shellQuoted(path)] }
        words += Self.words(options.connection)
        if let time = options.maxTime { words += ["--max-time", time.inSeconds] }
        if options.retries > 0 {
            words += ["--retry", "\(options.retries)"]
            if let time = options.retryMaxTime { words += ["--retry-max-time", time.inSeconds] }
        }
        if URLRequest.addedHeaders["Accept-Encoding"] != nil { words.append("--compressed") }
        let line = request.cURLDescription
        let rest = words.isEmpty ? "" : " \(words.joined(separator: " "))"
        // Line breaks and tabs in quotes are those of the body.
        let lines = "curl\(rest)\(line.dropFirst("curl".count))".components(separatedBy: "\n").map { line in
            line.components(separatedBy: "\t").map { TerminalEscaping.escaped($0) }.joined(separator: "\t")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The options of the connection. The password of the key is left out: curl asks for it.
    private static func words(_ options: ConnectionOptions) -> [String] {
        let pins = options.pinnedPublicKeys.joined(separator: ";")
        let proxy = options.proxy.map { proxy in
            // Without a scheme, it is that of http.
            proxy.isEmpty || proxy.contains("://")
                ? Redaction.text(ofURL: proxy) : Redaction.text(ofURL: "http://\(proxy)")
        }
        let values: [(String, String?)] =
            [
                ("cacert", options.caFile), ("capath", options.caFolder), ("cert", options.clientCertificate),
                ("key", options.clientKey), ("pinnedpubkey", pins.isEmpty ? nil : pins),
                ("unix-socket", options.unixSocket), ("proxy", proxy),
                ("connect-timeout", options.connectTimeout?.inSeconds),
            ] + options.addresses.map { ("resolve", $0) }
        let flags = [
            options.usesHTTP1Only ? "--http1.1" : nil,
            options.ipVersion.map { $0 == .v4 ? "--ipv4" : "--ipv6" },
        ]
        return values.flatMap { name, value in
            value.map { ["--\(name)", TerminalEscaping.shellQuoted($0)] } ?? []
        } + flags.compactMap(\.self)
    }
}

extension Duration {
    /// The time in the largest unit of which there are at least two, such as `90 s`, `60 min` or `11,575 days`, rounded up.
    var rounded: String {
        let seconds = min(max((self / .seconds(1)).rounded(.up), 0), 1e15)
        let units: [(length: Double, name: String)] = [(86_400, "days"), (3_600, "h"), (60, "min")]
        guard let unit = units.first(where: { seconds >= 2 * $0.length }) else { return "\(Int(seconds)) s" }
        return "\(Int((seconds / unit.length).rounded(.up)).groupedText) \(unit.name)"
    }

    /// The seconds without a unit, such as `60` or `2.5`.
    var inSeconds: String {
        let seconds = self / .seconds(1)
        return seconds == seconds.rounded() ? "\(Int64(seconds))" : "\(seconds)"
    }
}
