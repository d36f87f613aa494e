import Foundation
import RESTClient
import Synchronization

/// The cookies of a run: those of `-b`, and those that servers have set, which `-c` saves. The innermost
/// interceptor, which sees the response of each attempt.
final class CookieJar: RequestInterceptor {
    /// The file of `-c`.
    private let path: String?
    private let cookies: Mutex<[Cookie]>

    /// Returns `nil` without `-b` and `-c`. `own` contains the values of the header field `Cookie` of `-H`.
    init?(_ options: Options, for url: URL, own: [String], _ environment: Environment) throws {
        guard !options.cookies.isEmpty || options.cookieJar != nil else { return nil }
        path = options.cookieJar
        var cookies: [Cookie] = []
        let isPair: (String) -> Bool = { $0.unicodeScalars.contains("=") }
        for text in options.cookies where !text.isEmpty && !isPair(text) {
            // The file to write does not exist before the first run.
            if text == path, access(text, F_OK) != 0 { continue }
            cookies += try Self.cookies(inFile: text, environment)
        }
        func pairs(_ values: [String]) -> [String] {
            values.flatMap { $0.unicodeScalars.split(separator: ";") }
                .map { String($0).trimmingCharacters(in: .whitespaces) }
        }
        let given = pairs(options.cookies.filter(isPair))
        for pair in given {
            let isNameless = pair.utf8.first == UInt8(ascii: "=")
            guard isNameless || !pair.isFieldValue else { continue }
            throw CommandError.usage(
                "a cookie of -b \(isNameless ? "has no name" : "contains a control character")",
                hint: "pass NAME=VALUE, or the name of a file")
        }
        for pair in pairs(own) + given {
            let (name, value) = pair.divided(at: "=")
            if name.isEmpty { continue }
            // Sent to the origin of the URL only, as the fields of `-H` are. A text without a name is sent as it is.
            cookies.append(
                Cookie(
                    name: value == nil ? "" : name, value: value ?? name,
                    domain: Cookie.host(of: url),
                    isSecure: url.scheme == "https", port: url.portOrDefault))
        }
        if let path { try Self.check(path: path) }
        self.cookies = Mutex(cookies)
    }

    /// Throws if the file of `-c` cannot be written, or if it would replace a file that contains something else than cookies.
    private static func check(path: String) throws {
        try Destination.check(path: path)
        // An open file is not replaced. Opening other files than regular ones could wait for their writer.
        guard Destination.openFile(at: path) == nil, access(path, R_OK) == 0,
            let status = FileStatus(at: FileReplacement.target(of: path)), status.isRegular, status.size > 0
        else { return }
        let foreign = CommandError.usage(
            "\(path.escaped()) is not a file of cookies",
            hint: "use the path of a new file, which items creates")
        guard status.size <= 16 << 20 else { throw foreign }
        let text = try FileInput(path: path).text(limit: .max, of: "cookies")
        let cookies = text.split(whereSeparator: \.isNewline).map { Cookie.cookies(inLine: String($0)) }
        // Other comments alone can be those of any file.
        let isJar = text.contains(/^\s*(?:# (?:Netscape )?HTTP Cookie File|$)/)
        let hasCookies = cookies.contains { $0?.isEmpty == false }
        guard !cookies.contains(nil), isJar || hasCookies else { throw foreign }
    }

    private static func cookies(inFile path: String, _ environment: Environment) throws -> [Cookie] {
        let file = try FileInput(path, environment, of: "-b, or pass a cookie as NAME=VALUE")
        let lines = try file.text(limit: 16 << 20, of: "cookies").split(
            omittingEmptySubsequences: false, whereSeparator: \.isNewline
        ).enumerated()
        return try lines.flatMap { index, line in
            guard let found = Cookie.cookies(inLine: String(line)) else {
                throw CommandError.usage(
                    "\(file.name), line \((index + 1).groupedText), is not a cookie in the format of Netscape",
                    hint: "pass a file that -c has written, or a cookie: -b NAME=VALUE")
            }
            return found
        }
    }

    func intercept(
        _ request: URLRequest, context: RequestContext, next: Next
    ) async throws -> Response<ResponseBody> {
        let response = try await next(adding(to: request))
        if let url = response.request.url { store(response.headers, from: url) }
        return response
    }

    /// Returns the request after a redirect, whose response can have set cookies.
    func following(_ redirect: RedirectPolicy.Redirect) -> URLRequest {
        store(redirect.headers, from: redirect.from)
        return adding(to: redirect.proposed)
    }

    private func adding(to request: URLRequest) -> URLRequest {
        guard let url = request.url else { return request }
        let now = Date()
        // Cookies of longer paths are first, as servers that know one of them expect (RFC 6265, section 5.4).
        let sent = cookies.withLock { $0.filter { $0.isSent(to: url) && !$0.isExpired(at: now) } }
            .sorted { $0.path.utf8.count > $1.path.utf8.count }
        var request = request
        let value = sent.map { $0.name.isEmpty ? $0.value : "\($0.name)=\($0.value)" }.joined(separator: "; ")
        request.setValue(value.isEmpty ? nil : value, forHTTPHeaderField: "Cookie")
        return request
    }

    private func store(_ fields: HTTPHeaders, from url: URL) {
        let now = Date()
        for cookie in Cookie.cookies(in: fields, from: url, now: now) {
            cookies.withLock { cookies in
                let index = cookies.firstIndex {
                    ($0.name, $0.domain, $0.path) == (cookie.name, cookie.domain, cookie.path)
                }
                if let index {
                    // An expired one stays, so that the next one gets its place. It is neither sent nor saved.
                    cookies[index] = cookie
                } else if cookies.count < Self.maxCookies {
                    cookies.append(cookie)
                }
            }
        }
    }

    /// Writes the file of `-c`.
    func save() throws {
        guard let path else { return }
        let now = Date()
        let lines = cookies.withLock { $0.filter { !$0.isExpired(at: now) && !$0.name.isEmpty }.map(\.line) }
        try Destination.write(
            (["# Netscape HTTP Cookie File"] + lines).map { "\($0)\n" }.joined(), to: path)
    }

    private static let maxCookies = 3_000
}
