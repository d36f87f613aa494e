import Foundation

/// The plan of an immediate reply that does not change between requests, with its events and bytes.
///
/// Creating the `HTTPURLResponse` of a request takes a quarter of its time, and encoding a reply for a socket a third.
final class CachedReply: Sendable {
    private struct State {
        var events: [URL: [ReplyDelivery.Event]] = [:]
        var encoded: [ResponseEncoder.Variant: EncodedReply] = [:]
    }

    /// The maximum number of URLs for which events are kept.
    private static let maxURLs = 256

    let plan: ReplyPlan
    let method: HTTPMethod
    private let state = LockedState(State())

    init(_ plan: ReplyPlan, for method: HTTPMethod) { (self.plan, self.method) = (plan, method) }

    /// Returns the events for a client that requested `url`.
    func events(for url: URL) -> [ReplyDelivery.Event] {
        if let events = state.withLock({ $0.events[url] }) { return events }
        let events = plan.events(for: url)
        state.withLock { state in
            if state.events.count >= Self.maxURLs { state.events = [:] }
            state.events[url] = events
        }
        return events
    }

    /// Returns the bytes of the reply, and the action after them.
    func encoded(by encoder: ResponseEncoder) -> EncodedReply {
        if let encoded = state.withLock({ $0.encoded[encoder.variant] }) { return encoded }
        let encoded = encoder.encoded(plan)
        if encoded.isWorthKeeping { state.withLock { $0.encoded[encoder.variant] = encoded } }
        return encoded
    }
}
