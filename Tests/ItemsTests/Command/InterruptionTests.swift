import Foundation
import MockTransport
import RESTClient
import RESTClientTestingSupport
import Testing

@testable import items

/// Signals during a transfer: what was received is printed, and the next run continues after it.
@Suite(.hangLimit) struct InterruptionTests {
    typealias End = (stop: String, statuses: [String])

    private static let ends: [End] = [
        ("kill -INT $!", ["130"]), ("kill -TERM $!", ["143"]), ("kill -HUP $!", ["129"]),
        // The program receives all of them when it continues.
        ("kill -STOP $!; kill -TERM $!; kill -INT $!; kill -HUP $!; kill -CONT $!", ["129", "130", "143"]),
        ("kill -KILL $!", ["137"]),
    ]
    private static let outputs = ["--field n >> list", "--csv --field n >> list", "--field n -o list"]

    /// Each signal with one output, and each output with a signal that the program handles and with the one that it does not.
    private static let runs =
        ends.enumerated().map { ($0.element, outputs[$0.offset % 3]) }
        + [(ends[4], outputs[0]), (ends[4], outputs[2])]

    // A shell without job control starts background processes with SIGINT ignored.
    @Test(.enabled(if: Program.hasLinuxTools), arguments: runs)
    func `a listing that is stopped and continued has every item once`(
        end: End, output: String
    ) async throws {
        // The second page stops inside its second item, the first time.
        let page = #"{"items": [{"n":"c"}, {"n":"d"}], "page": 2, "total_pages": 2}"#
        let server = MockServer {
            Route("/list", .query("page", "2")) {
                Reply.text(page, as: .json).fault(.stall(.inBody(after: 26)))
                Reply.text(page, as: .json).repeats()
            }
            Route("/list") {
                Reply.json(["items": [["n": "a"], ["n": "b"]], "page": 1, "total_pages": 2]).repeats()
            }
        }
        let loopback = try await server.listen()
        let folder = try TemporaryDirectory()
        let run = try await Program.shell(
            """
            cd "$DIR"
            list() { exec env --default-signal=INT "$items" --idle-timeout 600 --resume-file position "$URL/list" \(output); }
            list 2> messages &
            until cat list .items-* 2>&- | grep -q '^c' || ! kill -0 $! 2>&-; do sleep 0.05; done
            { \(end.stop); wait $!; } 2>&-
            echo "$?"
            test -s position && cat messages
            (list) 2>&-
            echo "$?"
            tr -d '\\r' < list
            test -e position || echo removed
            """,
            environment: ["URL": loopback.url.absoluteString, "DIR": folder.path, "HOME": folder.path])
        await loopback.close()
        let messages =
            end.stop.contains("KILL")
            ? ""
            : "items: interrupted\(output.contains("-o") ? "" : " (3 items printed)")\n  hint: run the same command again to resume\n"
        let header = output.contains("csv") ? "n\n" : ""
        #expect(
            end.statuses.contains { run.output == "\($0)\n\(messages)0\n\(header)a\nb\nc\nd\nremoved\n" },
            "\(run.output)\(run.messages)")
    }

    @Test func `a list is printed without a message if all signals are ignored`() async throws {
        let run = try await Program.shell(#"trap '' INT TERM; "$items" --quiet --demo"#)
        #expect(run.status == 0)
        #expect(run.output.hasPrefix("Assam\n"))
        #expect(run.messages == "")
    }

    @Test func `waiting for signals that are all ignored ends when the task is cancelled`() async {
        let wait = Task { await Interrupt.wait(for: []) }
        wait.cancel()
        #expect(await wait.value == .interrupted)
    }

    /// Ends the program after its output or, if `requests` is given, after the server has received that many requests.
    private func interrupted(_ arguments: String..., requests: Int? = nil) async throws -> Outcome {
        let server = MockServer {
            Route("/pages", .query("page", "2")) {
                Reply.text(#"{"items": ["c", "d"], "page": 2, "total_pages": 2}"#, as: .json)
                    .fault(.stall(.inBody(after: 17)))
            }
            Route("/pages") { Reply.json(["items": ["a", "b"], "page": 1, "total_pages": 2]) }
            Route("/cursor", .query("after", "x")) {
                Reply.text(#"{"items": ["c", "d"]}"#, as: .json).fault(.stall(.inBody(after: 17)))
            }
            Route("/cursor") { Reply.json(["items": ["a", "b"], "next": "/cursor?after=x"]) }
            Route("/stall") { Reply.json(["items": ["a"]]).fault(.stall(.beforeHead)) }
        }
        return try await .of(
            arguments, server: server,
            interruptedWhen: { output in
                requests.map { server.requests.count >= $0 } ?? output.hasSuffix("c\n")
            })
    }

    @Test func `the hint says how to continue without a file`() async throws {
        let pages = try await interrupted("http://a.example/pages")
        #expect(pages.code == .terminated)
        #expect(pages.output == "a\nb\nc\n")
        #expect(
            pages.messages
                == "items: interrupted (3 items printed)\n  hint: resume with the URL 'http://a.example/pages?page=2', which prints the last item again\n"
        )
        let cursor = try await interrupted("http://a.example/cursor")
        #expect(
            cursor.messages
                == "items: interrupted (3 items printed)\n  hint: resume with the URL 'http://a.example/cursor?after=x', which prints the last item again\n"
        )
    }

    @Test func `pending rows are printed`() async throws {
        let table = try await interrupted("--table", "--jobs", "1", "http://a.example/pages", requests: 2)
        #expect(table.output.hasPrefix("item\na\nb\n"))
        #expect(table.code == .terminated)
    }

    @Test(arguments: [
        ("--csv", "item\r\na\r\n"), ("--table", "item\na\n"), ("--json", "[\n\"a\"\n"),
    ])
    func `items of standard input that were read are printed`(format: String, output: String) async throws {
        let pipe = Pipe()
        try pipe.fileHandleForWriting.write(contentsOf: Data(#"["a", "#.utf8))
        let descriptor = pipe.fileHandleForReading.fileDescriptor
        let outcome = try await Outcome.of(
            [format, "-"], from: descriptor,
            interruptedWhen: { _ in
                var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                return poll(&entry, 1, 0) == 0
            })
        withExtendedLifetime(pipe) {}
        #expect(outcome.output == output)
        #expect(outcome.messages == "items: interrupted (1 item printed)\n")
        #expect(outcome.code == .terminated)
    }

    @Test func `an interruption before the first item says so`() async throws {
        let outcome = try await interrupted("http://a.example/stall", requests: 1)
        #expect(outcome.messages == "items: interrupted (no items printed)\n")
        #expect(outcome.code == .terminated)
    }

    @Test func `a list is complete at the end of its last page, although it is interrupted there`()
        async throws
    {
        let server = MockServer {
            Route("/pages", .query("page", "2")) {
                Reply.json(["items": ["c", "d"], "page": 2, "total_pages": 2])
            }
            Route("/pages") { Reply.json(["items": ["a", "b"], "page": 1, "total_pages": 2]) }
        }
        let url = try #require(URL(string: "http://a.example/pages"))
        let manager = SessionManager(configuration: server.configuration)
        let client = MyRESTClient(manager.request(url), listing: ItemListing())
        @Sendable func cancel() { withUnsafeCurrentTask { $0?.cancel() } }
        let list = Task {
            var ends: [Bool] = []
            var batches = client.elements().makeAsyncIterator()
            while let batch = try await batches.next() {
                if batch.pageEnd != nil { ends.append(batch.endsList) }
                if batch.endsList { cancel() }
            }
            return (ends: ends, isCancelled: Task.isCancelled)
        }
        let result = try await list.value
        #expect(result.ends == [false, true])
        #expect(result.isCancelled)
    }
}
