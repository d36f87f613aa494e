import RESTClient

/// The equivalent `curl` command. It reads secrets from files and contains none.
struct CURLPreview {
    let text: String

    init(_ request: DataRequest, _ options: Options, credential: CredentialSource?) {
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
        if let time = options.maxTime { words += ["--max-time", time.inSeconds] }
        if options.retries > 0 { words += ["--retry", "\(options.retries)"] }
        if options.retries > 0, let time = options.retryMaxTime {
            words += ["--retry-max-time", time.inSeconds]
        }
        let line = request.cURLDescription
        let rest = words.isEmpty ? "" : " \(words.joined(separator: " "))"
        text = TerminalEscaping.escaped("curl\(rest)\(line.dropFirst("curl".count))") + "\n"
    }
}

extension Duration {
    /// The seconds without a unit, such as `60` or `2.5`.
    var inSeconds: String {
        let seconds = self / .seconds(1)
        return seconds == seconds.rounded() ? "\(Int64(seconds))" : "\(seconds)"
    }
}
