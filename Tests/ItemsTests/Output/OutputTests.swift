import Foundation
import RESTClientHTTP
import RESTClientTestingSupport
import Testing

@testable import items

@Suite struct OutputTests {
    private func makePipe() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        return (ends[0], ends[1])
    }

    @Test func `output is written when the buffer is full or flushed`() throws {
        let scratch = try TemporaryFile()
        var output = Output(descriptor: scratch.descriptor, capacity: 64)
        try output.append(String(repeating: "a", count: 64))
        #expect(try scratch.text() == "")
        try output.append("b")
        #expect(try scratch.text().utf8.count == 64)
        try output.flush()
        #expect(try scratch.text().hasSuffix("ab"))
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func `writing to a full device throws ENOSPC`() throws {
        let full = open("/dev/full", O_WRONLY)
        try #require(full >= 0)
        defer { close(full) }
        var output = Output(descriptor: full)
        try output.append("a")
        let failure = #expect(throws: OutputError.self) { try output.flush() }
        #expect(failure == .failed(ENOSPC))
    }

    @Test func `writing to a closed descriptor throws EBADF`() throws {
        var output = Output(descriptor: -1)
        try output.append("a")
        let failure = #expect(throws: OutputError.self) { try output.flush() }
        #expect(failure == .failed(EBADF))
    }

    @Test(.linuxOnly("on Apple platforms the signal is sent to the process, and another thread receives it"))
    func `writing to a pipe without a reader throws brokenPipe`() throws {
        let (reading, writing) = try makePipe()
        close(reading)
        defer { close(writing) }
        // The signal would end the process; it is raised in this thread only.
        var signals = sigset_t()
        var previous = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, &previous)
        var output = Output(descriptor: writing)
        try output.append("a")
        let failure = #expect(throws: OutputError.self) { try output.flush() }
        var received: Int32 = 0
        if sigpending(&signals) == 0, sigismember(&signals, SIGPIPE) == 1 { sigwait(&signals, &received) }
        pthread_sigmask(SIG_SETMASK, &previous, nil)
        #expect(failure == .brokenPipe)
    }

    /// The pipe is half full before the first write, and is read after the writer waits, so that the first write is
    /// incomplete and the second one fails with `EAGAIN`.
    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/thread-self")))
    func `output to a full non-blocking pipe waits`() async throws {
        let (reading, writing) = try makePipe()
        defer { close(reading) }
        _ = fcntl(writing, F_SETFL, O_NONBLOCK)
        let filler = [UInt8](repeating: UInt8(ascii: "f"), count: 1 << 16)
        var filled = 0
        while case let count = write(writing, filler, filler.count), count > 0 { filled += count }
        // Space for a part of the first write.
        var space = [UInt8](repeating: 0, count: filled / 2)
        filled -= read(reading, &space, space.count)
        let text = String((0..<100_000).map { Character(UnicodeScalar(UInt8(ascii: "a") + UInt8($0 % 26))) })

        let (threads, source) = AsyncStream.makeStream(of: String.self)
        let ended = LockedState<Result<Void, any Error>?>(nil)
        Thread.detachNewThread {
            let thread = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
            source.yield(thread ?? "")
            var output = Output(descriptor: writing)
            let result = Result {
                try output.append(text)
                try output.flush()
            }
            ended.withLock { $0 = result }
            close(writing)
        }
        var iterator = threads.makeAsyncIterator()
        let thread = try #require(await iterator.next())
        var states: [Substring] = []
        while ended.withLock({ $0 == nil }), states.suffix(20) != Array(repeating: "S", count: 20)[...] {
            let stat = try String(contentsOfFile: "/proc/\(thread)/stat", encoding: .utf8)
            states.append(stat.split(separator: ")").last?.split(separator: " ").first ?? "")
            usleep(1_000)
        }
        #expect(ended.withLock { $0 == nil }, "the writer does not wait")

        var received: [UInt8] = []
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        while case let length = read(reading, &bytes, bytes.count), length > 0 {
            received += bytes[..<length]
        }
        #expect(received.dropFirst(filled).elementsEqual(text.utf8))
        #expect(throws: Never.self) { try ended.withLock { $0 }?.get() }
    }
}

@Suite struct ProgressTests {
    @Test(arguments: [
        (1_204_331, 25_000_000, Duration.milliseconds(410), "items: 1,204,331 items, 25 MB, 61 MB/s"),
        (0, 0, .seconds(1), "items: 0 items, 0 B, 0 B/s"),
        (1, 999, .seconds(1), "items: 1 item, 999 B, 999 B/s"),
        (2, 1_000, .seconds(2), "items: 2 items, 1.0 kB, 500 B/s"),
        (2, 999_600, .seconds(1), "items: 2 items, 1.0 MB, 1.0 MB/s"),
        (2, 3_250_000_000, .seconds(10), "items: 2 items, 3.3 GB, 325 MB/s"),
        (2, 9_960_000, .seconds(1), "items: 2 items, 10 MB, 10 MB/s"),
    ])
    func `the progress line has items, size and rate`(items: Int, bytes: Int, time: Duration, text: String) {
        #expect(ProgressLine(items: items, bytes: bytes, time: time).text() == text)
    }

    @Test(arguments: [
        (
            50, 200, 3, 10, "items: 50 of 200 items, 30 s left, page 3, 1.0 kB, 100 B/s",
            "50 items on 3 pages, 1.0 kB in 10 s"
        ),
        (
            200, 200, 8, 7_199, "items: 200 items, page 8, 1.0 kB, 0 B/s",
            "200 items on 8 pages, 1.0 kB in 1 h 59 min"
        ),
        (
            1, 1_000, 1, 600, "items: 1 of 1,000 items, 166 h 30 min left, 1.0 kB, 2 B/s",
            "1 item, 1.0 kB in 10 min"
        ),
    ])
    func `the progress line has the total, the page and the time left, and a summary`(
        items: Int, total: Int, pages: Int, seconds: Int, text: String, summary: String
    ) {
        let line = ProgressLine(
            items: items, total: total, pages: pages, bytes: 1_000, time: .seconds(seconds))
        #expect(line.text() == text)
        #expect(line.summary == summary)
    }

    @Test(arguments: [
        (39, "items: 1,204,331 items, 25 MB, 61 MB/s"), (38, "items: 1,204,331 items, 25 MB"),
        (30, "items: 1,204,331 items, 25 MB"), (29, "items: 1,204,331 items"), (8, "items: "), (1, ""),
        (0, ""),
    ])
    func `the progress line is shortened to the width of the terminal`(columns: Int, text: String) {
        let line = ProgressLine(items: 1_204_331, bytes: 25_000_000, time: .milliseconds(410))
        #expect(line.text(fitting: columns) == text)
    }
}

@Suite struct DisplayWidthTests {
    @Test(arguments: [
        // Most letters have a width of one.
        ("", 0), ("tea", 3), ("é", 1), ("e\u{301}", 1), ("Ünïcödé", 7), ("ﾊﾟ", 2), ("Привет", 6), ("„—“", 3),
        // East Asian characters have a width of two.
        ("茶", 2), ("李小龍", 6), ("カタカナ", 8), ("ｆｕｌｌ", 8), ("한국어", 6), ("\u{1112}\u{1161}\u{11AB}", 2),
        ("、。", 4), ("𠮷", 2),
        // So have emoji.
        ("🍵", 2), ("👩‍👩‍👧", 2), ("👍🏽", 2), ("🇯🇵", 2), ("❤️", 2), ("❤", 1), ("1", 1), ("🇯", 1), ("🍵x🍵", 5),
        // Combining characters have none.
        ("a\u{200B}b", 2), ("\u{FEFF}", 0), ("ก็", 1), ("a\u{20DD}", 1),
    ])
    func `a text has the width that terminals give to its characters`(text: String, width: Int) {
        #expect(DisplayWidth.of(text) == width)
        #expect(Array(text.utf8).withUnsafeBytes(DisplayWidth.of) == width)
        #expect(Array("é茶\(text)".utf8).withUnsafeBytes(DisplayWidth.of) == width + 3)
    }

    @Test func `the bytes of a picture have the width of its character, alone and before a modifier`() {
        for picture in (0x1F300...0x1F6FF).compactMap(Unicode.Scalar.init) {
            for text in ["\(picture)", "a\(picture)🏽", "\(picture)\u{200D}🍵", "\(picture)\u{FE0F}é"] {
                let width = Array(text.utf8).withUnsafeBytes(DisplayWidth.of)
                #expect(width == DisplayWidth.of(text), "\(text)")
            }
        }
    }
}
