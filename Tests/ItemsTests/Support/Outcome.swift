import RESTClientHTTP
import MockTransport

@testable import items

/// What a command line came to: in the process, over a mock, nothing of this machine but what is given.
struct Outcome {
    var code: ExitCode
    var output: String
    var messages: String

    /// Runs `items` with `arguments`.
    static func of(
        _ arguments: String..., server: MockServer? = nil, input: String = "",
        askPassword: @escaping @Sendable (String) throws -> String = { _ in "asked" }
    ) async throws -> Self {
        try await of(server: server, input: input, askPassword: askPassword) {
            await Main.run(arguments, environment: $0)
        }
    }

    /// Runs `items` with `options`.
    static func of(_ options: Options, server: MockServer) async throws -> Self {
        try await of(server: server, input: "", askPassword: { _ in "asked" }) {
            await ItemsCommand(options, environment: $0).run()
        }
    }

    private static func of(
        server: MockServer?, input: String, askPassword: @escaping @Sendable (String) throws -> String,
        _ body: (Environment) async -> ExitCode
    ) async throws -> Self {
        let output = try Scratch()
        let standardInput = try Scratch(input)
        let messages = LockedState("")
        let server = server ?? noServer
        let environment = Environment(
            output: output.descriptor, input: standardInput.descriptor,
            configuration: { server.configuration },
            say: { text in messages.withLock { $0 += text } }, showsProgress: { _ in false },
            askPassword: askPassword, variable: { _ in nil })
        let code = await body(environment)
        return Self(code: code, output: try output.text(), messages: messages.withLock { $0 })
    }

    /// Refuses every request: a test without a server must not send any.
    private static let noServer = MockServer {}
}
