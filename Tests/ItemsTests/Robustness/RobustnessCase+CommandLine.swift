import Foundation
import RESTClientTestSupport
import RESTClientTestingSupport

extension RobustnessCase {
    private static func terminalCase(
        _ input: String, _ code: Int32, message: String = "", output: String? = nil,
        actions: @escaping @Sendable () -> [RawServer.Action]
    ) -> Self {
        Self(
            topic: .terminal, input: input, code: code, method: .responses([]) { _ in actions() },
            message: message,
            output: output)
    }

    private static let attacks: [(name: String, text: String, shown: String)] = [
        ("ESC [2J", "\u{1B}[2J", #"\u001b[2J"#), ("OSC 0", "\u{1B}]0;x\u{7}", #"\u001b]0;x\u0007"#),
        ("OSC 8", "\u{1B}]8;;x\u{1B}\\", #"\u001b]8;;x\u001b\\"#),
        ("OSC 52", "\u{1B}]52;c;eA==\u{7}", #"\u001b]52;c;eA==\u0007"#),
        ("BEL", "\u{7}", #"\u0007"#), ("CR", "a\rb", #"a\rb"#), ("newline", "a\nb", #"a\nb"#),
        ("U+009B", "\u{9B}31m", #"\u009b31m"#), ("U+202E", "a\u{202E}b", #"a\u202eb"#),
        ("DEL", "\u{7F}", #"\u007f"#),
        ("U+2028", "\u{2028}", #"\u2028"#),
    ]

    private static var inOneLine: String {
        attacks.map { $0.text.filter { !$0.isNewline } }.joined()
    }

    /// The text with all characters escaped for a JSON string.
    private static func escaped(_ text: String) -> String {
        text.utf16.map { "\\u" + String(UInt32($0) + 0x10000, radix: 16).dropFirst() }.joined()
    }

    static let terminal: [Self] =
        attacks.map { attack in
            terminalCase("\(attack.name) in an item", 0, output: "\"\(attack.shown)\"\n") {
                RawResponse.reply("{\"items\":[\"\(escaped(attack.text))\"]}")
            }
        }
        + [
            terminalCase("ESC in a reason phrase", 4, message: "HTTP 404") {
                RawResponse.reply("", status: "404 \u{1B}[2Jgone")
            },
            terminalCase("ESC and U+202E in the detail of a problem document", 4, message: #"\u202e"#) {
                RawResponse.reply(
                    #"{"detail":"\u001b[2J\u202eno"}"#, type: "application/problem+json", status: "400 Bad")
            },
            terminalCase("ESC in the body of an error", 5, message: #"\u001b"#) {
                RawResponse.reply("\u{1B}[2J", type: "text/plain", status: "500 Oh")
            },
            terminalCase("all of these in the detail of a problem document", 4, message: #"\u001b]0;x\u0007"#)
            {
                let all = escaped(attacks.map(\.text).joined())
                return RawResponse.reply(
                    "{\"detail\":\"\(all)\"}", type: "application/problem+json", status: "400 Bad")
            },
            terminalCase("all single-line sequences in a reason phrase", 4, message: "HTTP 404") {
                RawResponse.reply("", status: "404 \(inOneLine)")
            },
            terminalCase("all single-line sequences in a header", 8, message: "not JSON") {
                RawResponse.reply("x", type: "text/\(inOneLine)")
            },
            terminalCase("all single-line sequences in a redirect's target", 6, message: #"\u202eb\u007f"#) {
                RawResponse.redirect("ftp://\(inOneLine)/")
            },
            terminalCase("ESC in a header", 8, message: #"\u001b"#) {
                RawResponse.reply("x", type: "text/\u{1B}[2J")
            },
            terminalCase("ESC in a redirect's target", 6, message: #"\u001b"#) {
                RawResponse.redirect("ftp://\u{1B}]0;x\u{7}/")
            },
            terminalCase("ESC in a suggested key", 8, message: #"\u001b"#) {
                RawResponse.reply(#"{"\u001b[2J":["a"]}"#)
            },
            terminalCase("the item `-rf`", 0, output: "-rf\n") { RawResponse.reply(#"{"items":["-rf"]}"#) },
            terminalCase("an empty item", 0, output: "\n") { RawResponse.reply(#"{"items":[""]}"#) },
        ]

    private static func shellCase(
        _ input: String, _ code: Int32, _ script: String, message: String = "", output: String? = nil
    ) -> Self {
        Self(
            topic: .commandLine, input: input, code: code, method: .shell(script), message: message,
            output: output)
    }

    /// Runs a script in which `URL` is a server with a list.
    private static func serverCase(
        _ input: String, _ code: Int32, output: String? = nil, message: String = "", _ rest: String
    ) -> Self {
        Self(
            topic: .commandLine, input: input, code: code,
            method: .run {
                let server = try RawServer { _ in RawResponse.reply(RawResponse.list) }
                let url = try server.url("").absoluteString
                return try await Program.shell(rest.replacing("URL", with: url))
            }, message: message, output: output)
    }

    static let commandLine: [Self] = [
        shellCase("no URL", 64, #""$items""#),
        shellCase(
            "two URLs", 64, #""$items" http://a.example/ http://b.example/"#,
            message: "only one input is allowed"),
        shellCase("`host:80/x`", 64, #""$items" host:80/x"#),
        shellCase("port 99999", 64, #""$items" http://localhost:99999/"#, message: "invalid port 99999"),
        shellCase("a space in the URL", 64, #""$items" 'http://localhost/a b'"#, message: "a space"),
        shellCase(
            "a control character in the URL", 64, "\"$items\" \"$(printf 'http://localhost/a\\001b')\"",
            message: "a control or invisible character"),
        shellCase(
            // An argument is limited to 128 KB (execve(2)); longer URLs are tested with `URLArgument`.
            "a URL of 120,000 bytes", 64,
            #""$items" "http://localhost/$(head -c 120000 /dev/zero | tr '\0' a)""#, message: "longer than"),
        serverCase("`é` in the URL", 0, output: "a\n", #""$items" 'URL/é'"#),
        serverCase("`HTTP://`", 0, output: "a\n", #"u='URL/'; "$items" "HTTP${u#http}""#),
        shellCase(
            "`user:pw@` in the URL (not printed)", 7,
            #"out=$("$items" -v http://me:pw5ecret@127.0.0.1:9/ 2>&1); code=$?; case $out in *pw5ecret*) exit 99;; esac; exit $code"#
        ),
        shellCase("CR or LF in `-H`", 64, #""$items" -H "$(printf 'X: a\r\nY: b')" http://localhost/"#),
        shellCase("`--limit -1`", 64, #""$items" --limit -1 http://localhost/"#),
        shellCase("`--limit 1e3`", 64, #""$items" --limit 1e3 http://localhost/"#),
        shellCase(
            "`--retry 9223372036854775807`", 0, #""$items" -q --limit 0 --retry 9223372036854775807 --demo"#),
        shellCase("`--limit 0`", 0, #""$items" -q --limit 0 --demo"#, output: ""),
        shellCase(
            "the output is /dev/full", 74, #""$items" -q --demo > /dev/full"#, message: "No space left"
        ).linuxOnly("/dev/full exists only on Linux"),
        shellCase("the standard input is closed", 66, #""$items" - <&-"#),
        shellCase("the standard output is closed", 74, #""$items" -q --demo >&-"#),
        shellCase("a FILE that is a directory", 66, #""$items" /"#),
    ]
}
