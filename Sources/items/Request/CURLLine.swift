import RESTClientHTTP
import RESTClient

/// The request as a `curl` command that does what this program would: runnable where its secrets are in files, and none
/// of them in it.
struct CURLLine {
    let text: String

    init(_ request: DataRequest, _ options: Options, signIn: SignIn?) {
        var words: [String] = []
        if options.maxRedirects > 0 { words.append("--location") }
        switch signIn {
        // Without a password curl asks for it.
        case .user(let user): words += ["--user", Self.quoted(user.name)]
        case .token(let file):
            let source = file.path == "-" ? "cat" : "cat \(Self.quoted(file.path))"
            words += ["--oauth2-bearer", "\"$(\(source))\""]
        case .netrc: words.append("--netrc")
        case nil: break
        }
        let standard = Options()
        if options.maxRedirects != standard.maxRedirects, options.maxRedirects > 0 {
            words += ["--max-redirs", "\(options.maxRedirects)"]
        }
        if let time = options.maxTime { words += ["--max-time", Self.seconds(time)] }
        if options.retries > 0 { words += ["--retry", "\(options.retries)"] }
        if options.retries > 0, let time = options.retryMaxTime {
            words += ["--retry-max-time", Self.seconds(time)]
        }
        let line = request.cURLDescription
        let rest = words.isEmpty ? "" : " \(words.joined(separator: " "))"
        text = TerminalEscaping.escaped("curl\(rest)\(line.dropFirst("curl".count))") + "\n"
    }

    private static func seconds(_ duration: Duration) -> String {
        let seconds = duration / .seconds(1)
        return seconds == seconds.rounded() ? "\(Int64(seconds))" : "\(seconds)"
    }

    private static func quoted(_ text: String) -> String { ShellWord.quoted(text) }
}
