import Foundation
import MockTransport
import RESTClient
import RESTClientTestingSupport
import Testing

/// Pages whose `Content-Length` is small, so that they are usually received at once.
@Suite(.hangLimit) struct ShortBodyTests {
    private static let body = #"{"items": ["first", "second", "third"]}"#

    /// A transfer that waits without end must not be ended by a timeout, after which its items are delivered, too.
    private static let endless = RequestOptions(timeouts: Timeouts(idle: nil))

    private static func client(_ reply: Reply, _ options: RequestOptions = RequestOptions()) -> MyRESTClient {
        let server = MockServer { Route(.any) { reply.header(.contentLength, "\(body.utf8.count)") } }
        return server.client(options: options)
    }

    @Test(arguments: [20, 30])
    func `items are delivered before the rest of a short body`(bytes: Int) async throws {
        let reply = Reply.text(Self.body, as: .json).fault(.stall(.inBody(after: bytes)))
        var items = Self.client(reply, Self.endless).items().makeAsyncIterator()
        #expect(try await items.next() == "first")
    }

    /// The length of a compressed body does not show whether the received part is the whole body.
    @Test func `items of a compressed body are delivered although it has the length of its encoded form`()
        async throws
    {
        let whole = #"{"items": ["first", "second", "third"], "next": null}"#
        let reply = Reply.text(whole, as: .json).header("Content-Encoding", "gzip").fault(
            .stall(.inBody(after: Self.body.utf8.count)))
        var items = Self.client(reply, Self.endless).items().makeAsyncIterator()
        #expect(try await items.next() == "first")
    }

    @Test func `a short body above the size limit of streams is an error`() async throws {
        let reply = Reply.text(Self.body, as: .json)
        let client = Self.client(reply, RequestOptions(maxStreamBytes: 20))
        #expect(try await failure { try await client.getAvailableItems() }.kind == .limit(.streamBytes(20)))
    }

    @Test func `the size limit of buffered bodies does not apply to a short body`() async throws {
        let reply = Reply.text(Self.body, as: .json)
        let client = Self.client(reply, RequestOptions(maxBodyBytes: 5))
        #expect(try await client.getAvailableItems() == ["first", "second", "third"])
    }

    @Test func `a short body that breaks off is incomplete after its items`() async throws {
        let reply = Reply.text(Self.body, as: .json).fault(.close(.inBody(after: 28)))
        let (items, error) = await Self.client(reply).items().collect()
        #expect(items == ["first", "second"])
        #expect((error as? RESTClientError)?.kind == .incompleteBody(received: 28, expected: 39))
    }

    @Test func `the head is reported before a failure without a body`() async throws {
        let reply = Reply.text(Self.body, as: .json).fault(.reset(.afterHead))
        let statuses = LockedState<[HTTPStatus]>([])
        let server = MockServer { Route(.any) { reply.header(.contentLength, "39") } }
        let client = server.client(
            monitor: EventMonitor { event in
                if case .responseHead(let status) = event.kind { statuses.withLock { $0.append(status) } }
            })
        await #expect(throws: RESTClientError.self) { try await client.getAvailableItems() }
        #expect(statuses.withLock { $0 } == [200])
    }

    @Test func `the head of a short body is reported with its own time`() async throws {
        let clock = VirtualClock()
        let server = MockServer(clock: clock) {
            Route(.any) {
                Reply.text(Self.body, as: .json).header(.contentLength, "39").dribble(
                    chunks: 3, over: .seconds(3))
            }
        }
        let events = LockedState<[SessionEvent]>([])
        let client = server.client(
            path: "http://a.example/",
            monitor: EventMonitor { event in events.withLock { $0.append(event) } }, clock: clock)
        #expect(try await client.getAvailableItems() == ["first", "second", "third"])
        let head = try #require(
            events.withLock { events in
                events.first { if case .responseHead = $0.kind { true } else { false } }
            })
        #expect(head.received == 0)
        #expect(head.firstByte == .zero)
        #expect(events.withLock { $0.last?.firstByte } == .zero)
    }
}
