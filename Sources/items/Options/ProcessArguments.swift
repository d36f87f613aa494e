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
        let earlier = option(in: previous), own = option(in: text)
        let isNext = earlier != nil && earlier?.start == nil
        let start = isNext ? 0 : own?.start ?? 0
        let value = String(decoding: text.utf8.dropFirst(start), as: UTF8.self)
        switch isNext ? earlier?.name : own?.start == nil ? nil : own?.name {
        case "user", "pass": return start
        // A proxy can have user info without a scheme.
        case "proxy" where value.unicodeScalars.contains("@"): return start
        case "cookie" where value.unicodeScalars.contains("="): return start
        case "cert" where value.unicodeScalars.contains(":"): return start
        case "header":
            let (name, value) = value.divided(at: ":")
            let isSecret = value.map { Redaction.value($0, of: HTTPHeaders.Name(name)) != $0 } ?? false
            return isSecret ? start + name.utf8.count + 1 : nil
        default: return Redaction.value(text, of: "Argument") == text ? nil : 0
        }
    }

    /// Returns the option in an argument that can have a value, and the number of bytes before a joined one. The last of combined
    /// letters can have a value: `-vu`. A combining character after a mark does not hide it.
    private static func option(in text: String) -> (name: String, start: Int?)? {
        guard text.utf8.first == UInt8(ascii: "-") else { return nil }
        if text.utf8.starts(with: "--".utf8) {
            let (head, value) = text.divided(at: "=")
            return (String(head.unicodeScalars.dropFirst(2)), value.map { _ in head.utf8.count + 1 })
        }
        for (index, letter) in text.unicodeScalars.enumerated().dropFirst() {
            guard let option = Option.all.first(where: { $0.short == Character(letter) }) else { return nil }
            guard option.value?.isOptional == false else { continue }
            return (option.name, index + 1 < text.utf8.count ? index + 1 : nil)
        }
        return nil
    }
}
