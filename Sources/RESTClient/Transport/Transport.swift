import Foundation
import RESTClientHTTP

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The only owner of a URLSession: makes its tasks, watches their deadlines, and ends it when nobody needs it.
///
/// Creating a task on an invalidated session is a fatal error of the platform (PLATFORM B), so the session is
/// invalidated in one place only, `deinit`, when nobody can ask for a task any more.
final class Transport: Sendable {
    let timeline: AnyClock
    let deadlines: Deadlines
    let delegate = SessionDelegate()
    private let session: URLSession

    init(configuration: URLSessionConfiguration, timeline: AnyClock) {
        self.timeline = timeline
        deadlines = Deadlines(timeline: timeline)
        session = URLSession(
            configuration: configuration, delegate: delegate, delegateQueue: DelegateQueue())
        delegate.pace.keep(ReadingQueue(of: session))
    }

    deinit {
        // Elsewhere, because the last reference may go in one of the session's own callbacks.
        CancelQueue.async { [session] in session.finishTasksAndInvalidate() }
    }

    /// A task that has not started yet.
    func makeTask(for order: Order) -> URLSessionTask {
        guard let file = order.file else { return session.dataTask(with: order.request) }
        // The file gives a plain Content-Length, the stream is what a mock protocol sees (PLATFORM A11).
        var request = order.request
        request.httpBodyStream = InputStream(url: file.url)
        return session.uploadTask(with: request, fromFile: file.url)
    }
}
