import Foundation
import RESTClientTestSupport
import RESTClientTestingSupport

extension RobustnessCase {
    private static let attacks: [(name: String, text: String, shown: String)] = [
        ("ESC [2J", "\u{1B}[2J", #"\u001b[2J"#), ("OSC 0", "\u{1B}]0;x\u{7}", #"\u001b]0;x\u0007"#),
        ("OSC 8", "\u{1B}]8;;x\u{1B}\\", #"\u001b]8;;x\u001b\\"#),
        ("OSC 52", "\u{1B}]52;c;eA==\u{7}", #"\u001b]52;c;eA==\u0007"#), ("BEL", "\u{7}", #"\u0007"#),
        ("CR", "a\rb", #"a\rb"#), ("newline", "a\nb", #"a\nb"#), ("U+009B", "\u{9B}31m", #"\u009b31m"#),
        ("U+202E", "a\u{202E}b", #"a\u202eb"#), ("DEL", "\u{7F}", #"\u007f"#),
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
            reply("\(attack.name) in an item", 0, output: "\"\(attack.shown)\"\n") {
                RawResponse.reply("{\"items\":[\"\(escaped(attack.text))\"]}")
            }
        }
        + [
            reply("ESC in a reason phrase", 4, message: "HTTP 404") {
                RawResponse.reply("", status: "404 \u{1B}[2Jgone")
            },
            reply("ESC and U+202E in the detail of a problem document", 4, message: #"\u202e"#) {
                RawResponse.reply(
                    #"{"detail":"\u001b[2J\u202eno"}"#, type: "application/problem+json", status: "400 Bad")
            },
            reply("ESC in the body of an error", 5, message: #"\u001b"#) {
                RawResponse.reply("\u{1B}[2J", type: "text/plain", status: "500 Oh")
            },
            reply("all of these in the detail of a problem document", 4, message: #"\u001b]0;x\u0007"#) {
                let all = escaped(attacks.map(\.text).joined())
                return RawResponse.reply(
                    "{\"detail\":\"\(all)\"}", type: "application/problem+json", status: "400 Bad")
            },
            reply("all single-line sequences in a reason phrase", 4, message: "HTTP 404") {
                RawResponse.reply("", status: "404 \(inOneLine)")
            },
            reply("all single-line sequences in a header", 8, message: "not JSON") {
                RawResponse.reply("x", type: "text/\(inOneLine)")
            },
            reply("all single-line sequences in a redirect's target", 6, message: #"\u202eb\u007f"#) {
                RawResponse.redirect("ftp://\(inOneLine)/")
            },
            reply("ESC in a header", 8, message: #"\u001b"#) {
                RawResponse.reply("x", type: "text/\u{1B}[2J")
            },
            reply("ESC in a redirect's target", 6, message: #"\u001b"#) {
                RawResponse.redirect("ftp://\u{1B}]0;x\u{7}/")
            },
            reply("ESC in a suggested key", 8, message: #"\u001b"#) {
                RawResponse.reply(#"{"\u001b[2J":["a"]}"#)
            },
            reply("the item `-rf`", 0, output: "-rf\n") { RawResponse.reply(#"{"items":["-rf"]}"#) },
            reply("an empty item", 0, output: "\n") { RawResponse.reply(#"{"items":[""]}"#) },
        ]
}
