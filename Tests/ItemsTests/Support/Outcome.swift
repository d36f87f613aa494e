import Foundation
import MockTransport
import RESTClient
import RESTClientHTTP

@testable import items

/// The result of a command line run in the process against a mock server.
struct Outcome {
    var code: ExitCode
    var output: String
    var messages: String

    static func of(
        _ arguments: String..., server: MockServer? = nil, input: String = "",
        askPassword: @escaping @Sendable (String) throws -> String = { _ in "asked" }
    ) async throws -> Self {
        try await of(arguments, server: server, input: input, askPassword: askPassword)
    }

    /// Runs `items` with `arguments`.
    ///
    /// - Parameters:
    ///   - input: The text on the standard input.
    ///   - descriptor: The standard input, instead of that text.
    ///   - isInteractive: `true` to run it on a terminal.
    ///   - isReady: Ends the program as by SIGTERM when this returns `true` for its output.
    static func of(
        _ arguments: [String], server: MockServer? = nil, input: String = "", from descriptor: Int32? = nil,
        isInteractive: Bool = false,
        variables: [String: String] = [:], configuration: URLSessionConfiguration? = nil,
        askPassword: @escaping @Sendable (String) throws -> String = { _ in "asked" },
        interruptedWhen isReady: @escaping @Sendable (String) -> Bool = { _ in false }
    ) async throws -> Self {
        let output = try TemporaryFile()
        let standardInput = try TemporaryFile(input)
        let messages = LockedState("")
        let server = server ?? noServer
        let outputDescriptor = output.descriptor
        let environment = Environment(
            output: outputDescriptor, input: descriptor ?? standardInput.descriptor,
            interruption: {
                var bytes = [UInt8](repeating: 0, count: 1 << 12)
                while !Task.isCancelled {
                    // Does not move the position of the file, to which the program writes.
                    let count = max(0, pread(outputDescriptor, &bytes, bytes.count, 0))
                    if isReady(String(decoding: bytes[..<count], as: UTF8.self)) { break }
                    try? await Task.sleep(for: .milliseconds(5))
                }
                return .terminated
            },
            configuration: { configuration ?? server.configuration },
            writeMessage: { text in messages.withLock { $0 += text } }, showsProgress: { false },
            isInteractive: { isInteractive }, askPassword: askPassword, variable: { variables[$0] })
        let code = await Main.run(arguments, environment: environment)
        return Self(code: code, output: try output.text(), messages: messages.withLock { $0 })
    }

    /// A server without routes, for tests that must not send requests.
    private static let noServer = MockServer {}
}

/// Returns the output of `writer` for `items`, each given as JSON.
func printed(
    _ items: [String], by writer: some ItemWriter, capacity: Int = 64 << 10, isComplete: Bool = true
) throws -> String {
    let scratch = try TemporaryFile()
    var sink = ItemSink(
        output: Output(descriptor: scratch.descriptor, capacity: capacity), writer: writer, limit: nil)
    var members = ElementMembers()
    for item in items { try sink.write(ArraySlice(item.utf8).span.bytes, [], &members) }
    try sink.finish(isComplete: isComplete)
    return try scratch.text()
}
