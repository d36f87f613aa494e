import RESTClient
import RESTClientHTTP

/// The equivalent `curl` command. It reads secrets from files and contains none.
struct CURLCommand {
    let text: String

    init(_ request: DataRequest, _ options: Options, credential: CredentialSource?) {
        var words: [String] = []
        if options.maxRedirects > 0 { words.append("--location") }
        switch credential {
        // curl asks for a missing password.
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

/// A word of a POSIX shell command.
enum ShellWord {
    /// Returns `text` quoted for a shell, if necessary.
    static func quoted(_ text: String) -> String {
        let isPlain =
            !text.isEmpty
            && text.utf8.allSatisfy { byte in
                byte >= 0x80 || "._-/:@%+,".utf8.contains(byte) || Character(UnicodeScalar(byte)).isLetter
                    || Character(UnicodeScalar(byte)).isNumber
            }
        guard !isPlain else { return text }
        return "'\(text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''"))'"
    }
}
