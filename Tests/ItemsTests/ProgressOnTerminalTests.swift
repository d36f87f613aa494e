#if canImport(Glibc)
import Foundation
import Glibc
import MockTransport
import Testing

@testable import items

@Suite(.timeLimit(.minutes(5))) struct ProgressOnTerminalTests {
    /// A list whose first item is there, and the rest when the test says so.
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

    @Test func `it appears when a list takes its time, and goes with its end`() async throws {
        let list = try await LongList()
        let terminal = try Terminal()
        let run = Task { try await terminal.run(list.loopback.url.absoluteString, shown: true) }
        try await terminal.read(until: "\ritems: 1 item, 20 B, ")
        list.complete()
        let result = try await run.value
        #expect(result.status == 0)
        #expect(result.output == "first\nsecond\n")
        #expect(terminal.screen.hasSuffix("\r\u{1B}[K"))
    }

    @Test func `an error stands where it was`() async throws {
        let list = try await LongList()
        let terminal = try Terminal()
        let run = Task { try await terminal.run(list.loopback.url.absoluteString, shown: true) }
        try await terminal.read(until: "\ritems: 1 item, ")
        list.rest.finish()
        #expect(try await run.value.status == 8)
        #expect(terminal.screen.contains("\r\u{1B}[Kitems: the reply ended early at byte 20"))
    }

    @Test func `an interrupt takes it away, and the file that is not complete`() async throws {
        let list = try await LongList()
        let terminal = try Terminal()
        let folder = try Folder()
        let file = "\(folder.path)/out"
        let run = Task { try await terminal.run(list.loopback.url.absoluteString, "-o", file, shown: true) }
        try await terminal.read(until: "\ritems: 1 item, ")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 1)
        terminal.type("\u{3}")
        // What `setsid` makes of a program that ended by a signal.
        #expect(try await run.value.status == SIGINT)
        #expect(terminal.screen.contains("\r\u{1B}[K"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test func `nobody sees it who asks for quiet`() async throws {
        let list = try await LongList()
        let terminal = try Terminal()
        list.complete()
        let result = try await terminal.run("-q", list.loopback.url.absoluteString, shown: true)
        #expect(result.output == "first\nsecond\n")
        #expect(terminal.screen == "")
    }
}
#endif
