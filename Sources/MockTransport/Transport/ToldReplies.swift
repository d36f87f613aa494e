import Foundation

/// What each reply that is always the same told last, to tell it again to whoever asks for the same URL.
///
/// A `HTTPURLResponse` is the dearest part of a reply and, like all the rest of it, immutable. For another URL
/// the plan at least is there already.
final class ToldReplies: Sendable {
    private struct Told {
        let url: URL
        let method: HTTPMethod
        let plan: ReplyPlan
        let events: [Exchange.Event]
    }

    private let last = LockedState<[Router.Place: Told]>([:])

    func recall(_ place: Router.Place, to request: ReceivedRequest) -> [Exchange.Event]? {
        // A HEAD has another reply than a GET.
        guard let told = last.withLock({ $0[place] }), told.method == request.method else { return nil }
        if told.url == request.url { return told.events }
        let events = told.plan.events(for: request.url)
        keep(events, of: told.plan, place, to: request)
        return events
    }

    func keep(
        _ events: [Exchange.Event], of plan: ReplyPlan, _ place: Router.Place, to request: ReceivedRequest
    ) {
        let told = Told(url: request.url, method: request.method, plan: plan, events: events)
        // What was kept before must not be released under the lock.
        _ = last.withLock { $0.updateValue(told, forKey: place) }
    }
}
