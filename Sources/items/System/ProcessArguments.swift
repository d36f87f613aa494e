import Foundation
import RESTClient

/// The arguments of the process, which all users of the computer can list while it runs.
enum ProcessArguments {
    /// Overwrites the credentials in the arguments with asterisks, as curl does: passwords of users, cookies, header fields, URLs
    /// and bodies. The program has read them before.
    static func hideSecrets(in arguments: [UnsafeMutablePointer<CChar>]) {
        var previous = ""
        for argument in arguments {
            let text = String(cString: argument)
            if let start = startOfSecret(in: text, after: previous) {
                for index in start..<max(strlen(argument), start) {
                    argument[index] = CChar(UInt8(ascii: "*"))
                }
            }
            previous = text
        }
    }

    /// The arguments in the memory of the process, beginning with the name of the program.
    static var own: [UnsafeMutablePointer<CChar>] {
        let arguments = (0..<Int(CommandLine.argc)).compactMap { CommandLine.unsafeArgv[$0] }
        return arguments.isEmpty ? InitialStack.arguments : arguments
    }

    /// The options whose values can be secret, and the values that are. A proxy can have user info without a
    /// scheme.
    private static let options: [(short: String?, long: String, isSecret: @Sendable (String) -> Bool)] = [
        ("u", "user", { _ in true }), (nil, "pass", { _ in true }),
        ("x", "proxy", { $0.utf8.contains(UInt8(ascii: "@")) }),
        ("b", "cookie", { $0.utf8.contains(UInt8(ascii: "=")) }),
        (nil, "cert", { $0.utf8.contains(UInt8(ascii: ":")) }),
    ]

    /// Returns the number of bytes before the secret in an argument, or `nil` if it has none.
    private static func startOfSecret(in text: String, after previous: String) -> Int? {
        for (short, long, isSecret) in options {
            if isOption(short, long, previous), isSecret(text) { return 0 }
            for name in ["--\(long)=", short.map { "-\($0)" }].compactMap(\.self)
            where rest(of: text, after: name).map(isSecret) == true {
                return name.utf8.count
            }
        }
        let mark = ["--header=", "-H"].first { rest(of: text, after: $0) != nil } ?? ""
        let start = mark.utf8.count
        if start > 0 || isOption("H", "header", previous) {
            let (name, value) = (rest(of: text, after: mark) ?? text).divided(at: ":")
            let isSecret = value.map { Redaction.value($0, of: HTTPHeaders.Name(name)) != $0 } ?? false
            return isSecret ? start + name.utf8.count + 1 : nil
        }
        return Redaction.value(text, of: "Argument") == text ? nil : 0
    }

    /// Returns the text after a prefix, whose last letter can have a combining character, or `nil` for another text.
    private static func rest(of text: String, after prefix: String) -> String? {
        guard text.utf8.starts(with: prefix.utf8) else { return nil }
        return String(decoding: text.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
    }

    /// Returns `true` if the value of an option is the next argument. A short option can follow others: `-vu`.
    private static func isOption(_ short: String?, _ long: String, _ argument: String) -> Bool {
        if argument == "--\(long)" { return true }
        guard let short, argument.hasPrefix("-"), argument.hasSuffix(short) else { return false }
        return argument.dropFirst().allSatisfy(\.isLetter)
    }
}
