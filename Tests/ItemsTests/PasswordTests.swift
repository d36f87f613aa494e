#if canImport(Glibc)
import Foundation
import Glibc
import Testing

@testable import items

@Suite(.timeLimit(.minutes(5))) struct PasswordTests {
    @Test func `it is read without echo, and the echo comes back`() async throws {
        let terminal = try Terminal()
        let run = Task { try await terminal.run("-q", "-u", "someone", "--demo", "--count") }
        try await terminal.read(until: "Password for user someone: ")
        #expect(!terminal.echoes)
        terminal.type("secret\n")
        let result = try await run.value
        #expect(result.status == 0)
        #expect(result.output == "6\n")
        #expect(terminal.echoes)
        #expect(!terminal.screen.contains("secret"))
    }

    @Test func `an interrupt ends it, with the echo back on`() async throws {
        let terminal = try Terminal()
        let run = Task { try await terminal.run("-u", "someone", "--demo") }
        try await terminal.read(until: "Password for user someone: ")
        terminal.type("sec\u{3}")
        let result = try await run.value
        #expect(result.status == SIGINT)
        // What `setsid` says about a signal.
        #expect(result.messages.contains("did not exit normally"))
        #expect(result.output == "")
        #expect(terminal.echoes)
    }

    @Test func `an end of the input is no password`() async throws {
        let terminal = try Terminal()
        let run = Task { try await terminal.run("-u", "someone", "--demo", "-q") }
        try await terminal.read(until: "Password for user someone: ")
        terminal.type("\u{4}")
        let result = try await run.value
        #expect(result.status == ExitCode.usage.rawValue)
        #expect(result.messages == "items: no password was typed\n")
    }
}
#endif
