import Foundation
import RESTClientHTTP

/// A token, and the file that it came from.
struct TokenFile {
    /// As it was typed; `-` is the standard input.
    let path: String
    let token: String

    /// Reads the first line of the file, and warns where others can read it, too.
    ///
    /// - Throws: `UsageError` where the token would go to `url` for everybody to see, or is none; `Complaint` for a file
    ///   that cannot be read.
    init(_ path: String, for url: URL, environment: Environment, _ messages: Messages) throws {
        try Self.checkWay(to: url, environment)
        let file = path == "-" ? FileInput(standardInput: environment.input) : try FileInput(path: path)
        if path != "-", let mode = file.looseMode {
            messages.note(
                "warning: others can read \(file.name) (mode \(String(mode, radix: 8))); chmod 600 makes it yours alone"
            )
        }
        var bytes: [UInt8] = []
        try file.read { piece in
            piece.withUnsafeBytes { bytes.append(contentsOf: $0) }
            guard bytes.count <= 64 << 10 else {
                throw UsageError("\(file.name) is larger than 64 KB, too large for a token")
            }
        }
        let text = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard !text.isEmpty else { throw UsageError("there is no token in \(file.name)") }
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw UsageError("\(file.name) has more in it than one token")
        }
        self.path = path
        token = text
    }

    /// A token goes encrypted or not beyond this machine.
    private static func checkWay(to url: URL, _ environment: Environment) throws(UsageError) {
        guard url.scheme != "https" else { return }
        let host = url.host(percentEncoded: false) ?? ""
        guard isThisMachine(host) else {
            throw UsageError(
                "a token is not sent to \(TerminalEscaping.escaped(host, limit: 80)) over plain http",
                hint: "use https")
        }
        guard let proxy = Proxy(forPlainHTTPTo: host, environment), !isThisMachine(proxy.host) else { return }
        throw UsageError(
            "a token is not sent over plain http to the proxy \(TerminalEscaping.escaped(proxy.host, limit: 80))",
            hint: "set NO_PROXY=\(host) in the environment")
    }

    /// What is sent to it never leaves the machine (RFC 6761, section 6.3).
    private static func isThisMachine(_ host: String) -> Bool {
        let host = host.lowercased()
        return host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]" || host == "::1"
            || host.hasPrefix("127.") && host.allSatisfy { $0.isNumber || $0 == "." }
    }
}
