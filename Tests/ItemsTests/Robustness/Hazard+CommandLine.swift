import Foundation
import RESTClientTestSupport

extension Hazard {
    private static func drive(
        _ input: String, _ code: Int32, says: String = "", prints: String? = nil,
        acts: @escaping @Sendable () -> [RawServer.Action]
    ) -> Self {
        Self(
            topic: .terminal, input: input, code: code, trial: .wire([]) { _ in acts() }, says: says,
            prints: prints)
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

    /// As it stands in a JSON string.
    private static func escaped(_ text: String) -> String {
        text.utf16.map { "\\u" + String(UInt32($0) + 0x10000, radix: 16).dropFirst() }.joined()
    }

    static let terminal: [Self] =
        attacks.map { attack in
            drive("\(attack.name) in an item", 0, prints: "\"\(attack.shown)\"\n") {
                Wire.reply("{\"items\":[\"\(escaped(attack.text))\"]}")
            }
        }
        + [
            drive("ESC in a reason phrase", 4, says: "HTTP 404") {
                Wire.reply("", status: "404 \u{1B}[2Jgone")
            },
            drive("ESC and U+202E in a problem's detail", 4, says: #"\u202e"#) {
                Wire.reply(
                    #"{"detail":"\u001b[2J\u202eno"}"#, type: "application/problem+json", status: "400 Bad")
            },
            drive("ESC in the body of an error", 5, says: #"\u001b"#) {
                Wire.reply("\u{1B}[2J", type: "text/plain", status: "500 Oh")
            },
            drive("all of these in a problem's detail", 4, says: #"\u001b]0;x\u0007"#) {
                let all = escaped(attacks.map(\.text).joined())
                return Wire.reply(
                    "{\"detail\":\"\(all)\"}", type: "application/problem+json", status: "400 Bad")
            },
            drive("all that a line can hold of these in a reason phrase", 4, says: "HTTP 404") {
                Wire.reply("", status: "404 \(inOneLine)")
            },
            drive("all that a line can hold of these in a header", 8, says: "not JSON") {
                Wire.reply("x", type: "text/\(inOneLine)")
            },
            drive("all that a line can hold of these in a redirect's target", 6, says: #"\u202eb\u007f"#) {
                Wire.redirect("ftp://\(inOneLine)/")
            },
            drive("ESC in a header", 8, says: #"\u001b"#) {
                Wire.reply("x", type: "text/\u{1B}[2J")
            },
            drive("ESC in a redirect's target", 6, says: #"\u001b"#) {
                Wire.redirect("ftp://\u{1B}]0;x\u{7}/")
            },
            drive("ESC in a key that is suggested", 8, says: #"\u001b"#) {
                Wire.reply(#"{"\u001b[2J":["a"]}"#)
            },
            drive("the item `-rf`", 0, prints: "-rf\n") { Wire.reply(#"{"items":["-rf"]}"#) },
            drive("an empty item", 0, prints: "\n") { Wire.reply(#"{"items":[""]}"#) },
        ]

    private static func typed(
        _ input: String, _ code: Int32, _ script: String, says: String = "", prints: String? = nil
    ) -> Self {
        Self(topic: .commandLine, input: input, code: code, trial: .shell(script), says: says, prints: prints)
    }

    /// The program at a list, with arguments in place of `URL`.
    private static func asked(
        _ input: String, _ code: Int32, prints: String? = nil, says: String = "", _ rest: String
    ) -> Self {
        Self(
            topic: .commandLine, input: input, code: code,
            trial: .run {
                let server = try RawServer { _ in Wire.reply(Wire.list) }
                let url = try server.url("").absoluteString
                return try await Program.shell(rest.replacing("URL", with: url))
            }, says: says, prints: prints)
    }

    static let commandLine: [Self] = [
        typed("no URL", 64, #""$items""#),
        typed("two URLs", 64, #""$items" http://a.example/ http://b.example/"#, says: "one input at a time"),
        typed("`host:80/x`", 64, #""$items" host:80/x"#),
        typed("port 99999", 64, #""$items" http://localhost:99999/"#, says: "no port 99999"),
        typed("a space in the URL", 64, #""$items" 'http://localhost/a b'"#, says: "a space"),
        typed(
            "a control character in the URL", 64, "\"$items\" \"$(printf 'http://localhost/a\\001b')\"",
            says: "a control character"),
        typed(
            // No argument is longer than 128 KB (execve(2)); a megabyte is for `URLArgument` to refuse.
            "a URL of 120,000 bytes", 64,
            #""$items" "http://localhost/$(head -c 120000 /dev/zero | tr '\0' a)""#, says: "longer than"),
        typed("`[::1]`", 64, #""$items" 'http://[::1]/'"#, says: "IPv6"),
        asked("`é` in the URL", 0, prints: "a\n", #""$items" 'URL/é'"#),
        asked("`HTTP://`", 0, prints: "a\n", #"u='URL/'; "$items" "HTTP${u#http}""#),
        typed(
            "`user:pw@` in the URL is not echoed", 7,
            #"out=$("$items" -v http://me:pw5ecret@127.0.0.1:9/ 2>&1); code=$?; case $out in *pw5ecret*) exit 99;; esac; exit $code"#
        ),
        typed("CR or LF in `-H`", 64, #""$items" -H "$(printf 'X: a\r\nY: b')" http://localhost/"#),
        typed("`--limit -1`", 64, #""$items" --limit -1 http://localhost/"#),
        typed("`--limit 1e3`", 64, #""$items" --limit 1e3 http://localhost/"#),
        typed(
            "`--retry 9223372036854775807`", 0, #""$items" -q --limit 0 --retry 9223372036854775807 --demo"#),
        typed("`--limit 0`", 0, #""$items" -q --limit 0 --demo"#, prints: ""),
        typed("the output is /dev/full", 74, #""$items" -q --demo > /dev/full"#, says: "No space left"),
        Self(
            topic: .commandLine, input: "`| head -1`: silent", code: 141,
            trial: .test("a reader that goes away ends it in silence")),
        Self(
            topic: .commandLine, input: "`| head -1` with SIGPIPE ignored: it still stops", code: 141,
            trial: .test("a reader that goes away ends it, too, where the signal is ignored")),
        typed("the standard input is closed", 66, #""$items" - <&-"#),
        typed("the standard output is closed", 74, #""$items" -q --demo >&-"#),
        Self(
            topic: .commandLine, input: "Ctrl-C in mid-stream", code: 130,
            trial: .test("an interrupt ends it by the signal")),
        typed("a FILE that is a directory", 66, #""$items" /"#),
    ]
}
