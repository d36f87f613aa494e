import Foundation

/// What each reply that is always the same told last, to tell it again to whoever asks for the same URL.
///
/// A `HTTPURLResponse` is the dearest part of a reply, and like the rest of it, immutable.
final class ToldReplies: Sendable {
    private struct Told {
        let url: URL
        let method: HTTPMethod
        let events: [Exchange.Event]
    }

    private let last = Lock<[Router.Place: Told]>([:])

    func recall(_ place: Router.Place, to request: ReceivedRequest) -> [Exchange.Event]? {
        last.withLock { last in
            guard let told = last[place], told.url == request.url, told.method == request.method else {
                return nil
            }
            return told.events
        }
    }

    func keep(_ events: [Exchange.Event], _ place: Router.Place, to request: ReceivedRequest) {
        let told = Told(url: request.url, method: request.method, events: events)
        // What was kept before must not be released under the lock.
        _ = last.withLock { last in
            defer { last[place] = told }
            return last[place]
        }
    }
}
