import Foundation

extension Reply {
    /// A server-sent event, in the format of HTML (section 9.2).
    public struct Event: Sendable {
        /// The data. Each of its lines becomes a field of its own.
        public var data: String
        /// The type of the event, or `nil` for none: clients treat it as `message`.
        public var name: String?
        /// The identifier, which a client that connects again sends in `Last-Event-ID`, or `nil` for none.
        public var id: String?
        /// The time after which a client is to connect again, in whole milliseconds, or `nil` for none.
        public var retry: Duration?
        /// The time since the event before it or, for the first one, since the head, on the server's clock.
        public var delay: Duration

        /// Creates an event.
        public init(
            _ data: String, name: String? = nil, id: String? = nil, retry: Duration? = nil,
            delay: Duration = .zero
        ) { (self.data, self.name, self.id, self.retry, self.delay) = (data, name, id, retry, delay) }

        fileprivate var text: Data {
            let retry = retry.map { "\(Int($0 / .milliseconds(1)))" }
            let fields = [("id", id), ("event", name), ("retry", retry)].compactMap { name, value in
                value.map { (name, $0[...]) }
            }
            // Other line separators are part of a line (HTML, section 9.2.5).
            let lines = data.split(omittingEmptySubsequences: false) { ["\n", "\r", "\r\n"].contains($0) }
            return Data(((fields + lines.map { ("data", $0) }).map { "\($0): \($1)\n" }.joined() + "\n").utf8)
        }
    }

    /// Server-sent events, each in a chunk of its own. The reply ends after the last one.
    ///
    /// ```swift
    /// Reply.events(.init("tea", id: "1"), .init("milk", id: "2", delay: .seconds(5)))
    /// ```
    public static func events(_ events: Event...) -> Self { .events(events) }

    /// Server-sent events, each in a chunk of its own. The reply ends after the last one.
    public static func events(_ events: [Event]) -> Self {
        var time = Duration.zero
        let chunks = events.map { event in
            time += max(event.delay, .zero)
            return HAR.Chunk(time: time, data: event.text)
        }
        return Self(.body(.recorded(chunks, failure: nil)), type: .eventStream)
            .header(.transferEncoding, "chunked")
    }
}
