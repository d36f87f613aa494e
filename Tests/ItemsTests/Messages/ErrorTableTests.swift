import Foundation
import MockTransport
import RESTClient
import RESTClientTestSupport
import RESTClientTestingSupport
import Testing

@testable import items

/// The table of failures, `Tests/ErrorMessages.txt`: what happens, and what the library and the command say about it. A
/// reader of one text alone must know what failed, and what to do.
/// `UPDATE_MESSAGES=1 swift test --filter ErrorTable` writes the table.
@Suite(.hangLimit) struct ErrorTableTests {
    private static let file = Repository.file("Tests/ErrorMessages.txt")
    private static let updates = ProcessInfo.processInfo.environment["UPDATE_MESSAGES"] != nil

    @Test func `the library and the command describe each failure as in the table`() async throws {
        var expected: [String: String] = [:]
        for block in try String(contentsOf: Self.file, encoding: .utf8).components(separatedBy: "\n\n") {
            expected[String(block.prefix { $0 != "\n" })] = block.trimmingCharacters(in: .newlines)
        }
        let texts = try await withThrowingTaskGroup(of: (Int, String).self) { group in
            for (index, situation) in Situation.all.enumerated() where situation.isApplicable {
                group.addTask { (index, try await situation.text()) }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        let blocks = Situation.all.indices.map { texts[$0] ?? expected["# \(Situation.all[$0].name)"] ?? "" }
        #expect(Set(Situation.all.map(\.name)).count == blocks.count)
        if Self.updates {
            let text = (["See ErrorTableTests."] + blocks).joined(separator: "\n\n") + "\n"
            return try text.write(to: Self.file, atomically: true, encoding: .utf8)
        }
        #expect(expected.count == blocks.count + 1, "a situation was removed: update the table")
        for block in blocks { #expect(expected[String(block.prefix { $0 != "\n" })] == block) }
    }
}

/// A failure, and the calls of the library and the command that fail with it.
struct Situation: PlatformRow {
    /// The situation.
    let name: String
    /// The options and the URL of the command; `nil` if it has no such call.
    let command: String?
    /// The call of the library, as the table shows it.
    let code: String
    /// The answers to one call. Those that answer in turn are used up.
    let routes: @Sendable () -> [Route]
    let call: @Sendable (Shop) async throws -> Void
    /// The bytes that a server sends instead of HTTP, at the address `$RAW`.
    var bytes: String?
    var linuxReason: String?

    static let url = "https://shop.example/teas"

    /// A failure of `call`.
    init(
        _ name: String, _ command: String? = nil, _ code: String,
        @RouteBuilder _ routes: @escaping @Sendable () -> [Route],
        call: @escaping @Sendable (Shop) async throws -> Void
    ) { (self.name, self.command, self.code, self.routes, self.call) = (name, command, code, routes, call) }

    /// A list that fails in the library and in the command.
    static func list(
        _ name: String, _ options: String = "--retry 0", url: String = url,
        _ listing: ItemListing = ItemListing(),
        @RouteBuilder routes: @escaping @Sendable () -> [Route]
    ) -> Self {
        Self(name, "\(options) \(url)", "getAvailableItems()", routes) { shop in
            let client = MyRESTClient(url: shop.named(url), manager: shop.manager(), listing: listing)
            _ = try await client.getAvailableItems()
        }
    }

    /// A list of one page that fails in the library and in the command.
    static func reply(_ name: String, _ reply: Reply) -> Self { list(name) { Route(.any) { reply } } }

    /// A list whose connection fails with the text of libcurl.
    static func connection(_ name: String, _ code: URLError.Code, _ text: String) -> Self {
        list(name) {
            Route(.any) { Reply.error(URLError(code, userInfo: [NSLocalizedDescriptionKey: text])) }
        }.linuxOnly("the text is that of libcurl")
    }

    /// A list from a server that sends other bytes than a response.
    static func bytes(_ name: String, _ bytes: String, url: String = "http://$RAW/teas") -> Self {
        var row = list(name, url: url) {}.linuxOnly("the text is that of libcurl")
        row.bytes = bytes
        return row
    }

    static func json(_ text: String, _ status: HTTPStatus = 200) -> Reply {
        .data(Data(text.utf8), as: .json, status: status)
    }

    // MARK: Texts

    /// The block of the table.
    func text() async throws -> String {
        var lines = ["# \(name)", "library: \(code)"]
        let shop = try Shop(self)
        do {
            try await call(shop)
            lines.append("no error")
        } catch { lines.append(shop.table("\(error)")) }
        if let command {
            let shop = try Shop(self)
            let words = shop.named(command).split(separator: " ").map { String($0) }
            let outcome = try await Outcome.of(
                words, server: shop.server, configuration: shop.configuration)
            lines.append(shop.table("$ items \(words.joined(separator: " "))\n\(outcome.messages)"))
        }
        return lines.joined(separator: "\n").trimmingCharacters(in: .newlines)
    }
}

/// The servers of one call.
final class Shop: Sendable {
    let server: MockServer
    let raw: RawServer?
    let folder: TemporaryDirectory

    init(_ situation: Situation) throws {
        server = MockServer(routes: situation.routes)
        raw = try situation.bytes.map { bytes in
            try RawServer.serving { connection in
                _ = connection.read(1)
                connection.send(bytes)
            }
        }
        folder = try TemporaryDirectory()
    }

    var configuration: URLSessionConfiguration { raw == nil ? server.configuration : .ephemeral }

    func manager(
        _ interceptors: any RequestInterceptor..., options: RequestOptions = RequestOptions(),
        clock: any Clock<Duration> = ContinuousClock()
    ) -> SessionManager {
        SessionManager(
            baseURL: "https://shop.example", configuration: configuration, interceptors: interceptors,
            options: options, clock: clock)
    }

    /// Returns the text with the addresses of this call.
    func named(_ text: String) -> String {
        text.replacing("$RAW", with: "127.0.0.1:\(raw?.port ?? 0)").replacing("$DIR", with: folder.path)
    }

    /// Returns the text as in the table, without what differs in each run.
    func table(_ text: String) -> String {
        text.replacing(folder.path, with: "$DIR").replacing(/127\.0\.0\.1:[0-9]+/, with: "127.0.0.1:8080")
            .replacing(/[0-9.]+ s(?=, attempt| left)/, with: "<*> s")
            .replacing(/attempts in [0-9.]+ s/, with: "attempts in <*> s")
            .replacing(/\([^(]*error:[0-9A-F]{8}:SSL[^)]*\)/, with: "(<*>)")
    }
}
