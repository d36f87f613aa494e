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

    /// Returns the number of bytes before the secret in an argument, or `nil` if it has none.
    private static func startOfSecret(in text: String, after previous: String) -> Int? {
        if isOption("u", "user", previous) || previous == "--pass" { return 0 }
        for name in ["--user=", "--pass=", "-u"] where text.hasPrefix(name) { return name.utf8.count }
        // A proxy can have user info without a scheme.
        for name in ["--proxy=", "-x"] where text.hasPrefix(name) && text.contains("@") {
            return name.utf8.count
        }
        for name in ["--cookie=", "-b"] where text.hasPrefix(name) && text.dropFirst(name.count).contains("=")
        {
            return name.utf8.count
        }
        if isOption("b", "cookie", previous), text.contains("=") { return 0 }
        if isOption("x", "proxy", previous), text.contains("@") { return 0 }
        let marks = ["--header=", "-H"].filter { text.hasPrefix($0) }
        let start = marks.first?.utf8.count ?? 0
        if start > 0 || isOption("H", "header", previous) {
            let (name, value) = String(text.dropFirst(start)).divided(at: ":")
            let isSecret = value.map { Redaction.value($0, of: HTTPHeaders.Name(name)) != $0 } ?? false
            return isSecret ? start + name.utf8.count + 1 : nil
        }
        return Redaction.value(text, of: "Argument") == text ? nil : 0
    }

    /// Returns `true` if the value of an option is the next argument. A short option can follow others: `-vu`.
    private static func isOption(_ short: String, _ long: String, _ argument: String) -> Bool {
        argument == "--\(long)"
            || argument.hasPrefix("-") && !argument.hasPrefix("--") && argument.hasSuffix(short)
                && argument.dropFirst().allSatisfy(\.isLetter)
    }
}
