import Foundation
import MockTransport
import RESTClientHTTP
import RESTClientTestingSupport
import Testing

@testable import items

@Suite(.hangLimit, .enabled(if: Program.hasLinuxTools)) struct ProgressOnTerminalTests {
    /// A served list that sends its first item, and the rest on request.
    private struct LongList {
        let server: MockServer
        let loopback: LoopbackServer
        let rest: AsyncStream<Data>.Continuation

        init() async throws {
            let (stream, rest) = AsyncStream.makeStream(of: Data.self)
            rest.yield(Data(#"{"items": ["first", "#.utf8))
            server = MockServer { Route(.any) { Reply.stream(stream, as: .json) } }
            loopback = try await server.listen()
            self.rest = rest
        }

        func complete() {
            rest.yield(Data(#""second"]}"#.utf8))
            rest.finish()
        }
    }

    @Test func `the progress line appears after a second and is erased at the end`() async throws {
        let list = try await LongList()
        let terminal = try PseudoTerminal()
        let folder = try TemporaryDirectory()
        let file = "\(folder.path)/out"
        let run = Task { try await terminal.run(list.loopback.url.absoluteString, "-o", file, shown: true) }
        try await terminal.read(until: "\ritems: 1 item, 20 B, ")
        list.complete()
        #expect(try await run.value.status == 0)
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "first\nsecond\n")
        #expect(terminal.screen.contains("\r\u{1B}[Kitems: 2 items, 30 B in "))
    }

    @Test func `an error replaces the progress line`() async throws {
        let list = try await LongList()
        let terminal = try PseudoTerminal()
        let run = Task {
            try await terminal.run(
                "--color", "never", "-o", "/dev/shm/items-\(UUID().uuidString)",
                list.loopback.url.absoluteString, shown: true)
        }
        try await terminal.read(until: "\ritems: 1 item, ")
        list.rest.finish()
        #expect(try await run.value.status == 8)
        #expect(terminal.screen.contains("\r\u{1B}[Kitems: the response ended early at byte 20"))
    }

    @Test func `an interrupt erases the progress line and the temporary file`() async throws {
        let list = try await LongList()
        let terminal = try PseudoTerminal()
        let folder = try TemporaryDirectory()
        let file = "\(folder.path)/out"
        let run = Task { try await terminal.run(list.loopback.url.absoluteString, "-o", file, shown: true) }
        try await terminal.read(until: "\ritems: 1 item, ")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 1)
        terminal.type("\u{3}")
        // The status that `setsid` returns for a signal.
        #expect(try await run.value.status == SIGINT)
        #expect(terminal.screen.contains("\r\u{1B}[K"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test func `--quiet hides the progress line`() async throws {
        let list = try await LongList()
        let terminal = try PseudoTerminal()
        list.complete()
        let result = try await terminal.run("-q", list.loopback.url.absoluteString, shown: true)
        #expect(result.output == "first\nsecond\n")
        #expect(terminal.screen == "")
    }
}

@Suite(.hangLimit, .enabled(if: Program.hasLinuxTools)) struct TerminalDestinationTests {
    @Test(arguments: [
        ("--csv", #"[{"a": "x\u001b[2Jz"}]"#), ("--tsv", #"[{"a": "x\u001b[2Jz"}]"#),
        ("--null", #"["x\u001b[2Jz"]"#),
    ])
    func `control characters are escaped if the path of --output is a terminal`(
        format: String, list: String
    ) async throws {
        let terminal = try PseudoTerminal()
        let folder = try TemporaryDirectory()
        let link = "\(folder.path)/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: terminal.path)
        for path in [terminal.path, link] {
            let run = try await Program.run(
                Program.path, [format, "-o", path, "-"], input: try TemporaryFile(list).handle)
            #expect(run.status == 0, "\(run.messages)")
        }
        try await terminal.read(until: "z")
        #expect(!terminal.screen.contains("\u{1B}"))
        #expect(Destination.isTerminal(path: link))
        var options = Options()
        options.output = link
        #expect(options.writesToTerminal(standardOutput: 1))
        options.output = "\(folder.path)/file"
        #expect(!options.writesToTerminal(standardOutput: 1))
        #expect(!Destination.isTerminal(path: folder.path))
        #expect(!Destination.isTerminal(path: "/dev/null"))
        #expect(!Destination.isTerminal(path: "\(folder.path)/missing"))
    }

    @Test func `a table fits the width of the terminal that is the path of --output`() async throws {
        let terminal = try PseudoTerminal()
        try terminal.setWidth(20)
        let list = try TemporaryFile(#"[{"a": "12345678901234567890"}]"#)
        let run = try await Program.run(
            Program.path, ["--table", "-o", terminal.path, "-"], input: list.handle)
        #expect(run.status == 0, "\(run.messages)")
        try await terminal.read(until: "…")
        let lines = terminal.screen.split(whereSeparator: \.isNewline)
        #expect(lines.allSatisfy { $0.count <= 20 }, "\(lines)")
    }
}

@Suite(.hangLimit, .enabled(if: Program.hasLinuxTools)) struct PasswordTests {
    @Test func `a password is read without echo`() async throws {
        let terminal = try PseudoTerminal()
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

    @Test func `an interrupt during the password prompt restores the echo`() async throws {
        let terminal = try PseudoTerminal()
        let run = Task { try await terminal.run("-u", "someone", "--demo") }
        try await terminal.read(until: "Password for user someone: ")
        terminal.type("sec\u{3}")
        let result = try await run.value
        #expect(result.status == SIGINT)
        // The message of `setsid` for a signal.
        #expect(result.messages.contains("did not exit normally"))
        #expect(result.output == "")
        #expect(terminal.echoes)
    }

    @Test func `an empty password input is a usage error`() async throws {
        let terminal = try PseudoTerminal()
        let run = Task { try await terminal.run("-u", "someone", "--demo", "-q") }
        try await terminal.read(until: "Password for user someone: ")
        terminal.type("\u{4}")
        let result = try await run.value
        #expect(result.status == ExitCode.usage.rawValue)
        #expect(result.messages == "items: no password entered\n")
    }
}
