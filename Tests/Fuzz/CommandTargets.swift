import Foundation
import RESTClientHTTP

@testable import items

extension FuzzTarget {
    /// Checks that any command line is parsed or rejected with a message that is safe to print.
    static let options = Self(name: "options") { input in
        let arguments = input.split(separator: 10, omittingEmptySubsequences: false).map { Array($0).text }
        do {
            let options = try OptionParser.parse(arguments)
            for header in options.headers where !header.hasPrefix("@") {
                _ = try HTTPHeaders(arguments: [header])
            }
            if case .url(let argument) = try Input(options, isFile: { _ in false }) {
                let url = argument.url
                expect(url.user() == nil && url.password() == nil, "user info in \(url)")
                expect(["http", "https"].contains(url.scheme ?? ""), "the scheme of \(url)")
            }
        } catch {
            let error = CommandError(error)
            expect(!error.message.isEmpty, "an empty message")
            let text = error.message + (error.hint ?? "")
            expect(
                !text.unicodeScalars.contains { TerminalEscaping.isUnsafe($0) && $0 != "\n" },
                "unsafe message: \(text.debugDescription)")
        }
    }
}
