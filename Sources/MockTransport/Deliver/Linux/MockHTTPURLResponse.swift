import Foundation

// URLSession on Linux asks the delegate for a credential when a protocol completes a 401 with a Basic challenge, and sends the
// request with it to the network (PLATFORM A3, A9). Apple platforms deliver the 401 of a protocol.
#if canImport(FoundationNetworking)
/// A 401 that the platform does not treat as a challenge while the mock completes the task.
///
/// The platform looks for a Basic challenge in each complete 401, and ignores it if the response has no URL.
final class MockHTTPURLResponse: HTTPURLResponse, @unchecked Sendable {
    // SAFETY: the only state of this class is in the lock.
    /// The thread whose next access to the URL finds none.
    private let hidingThread = LockedState<ObjectIdentifier?>(nil)

    /// Returns a copy of a 401 response in which the platform may find a Basic challenge, or `nil` for other responses.
    static func copying(_ response: HTTPURLResponse) -> MockHTTPURLResponse? {
        guard response.statusCode == 401, let url = response.url,
            response.value(forHTTPHeaderField: "WWW-Authenticate")?.lowercased().contains("basic") == true
        else { return nil }
        return MockHTTPURLResponse(
            url: url, statusCode: response.statusCode, httpVersion: "HTTP/1.1",
            headerFields: response.allHeaderFields as? [String: String])
    }

    override var url: URL? {
        let isHidden = hidingThread.withLock { thread in
            guard thread == ObjectIdentifier(Thread.current) else { return false }
            // Once, because a delegate on the same thread may read the URL later during the same call.
            thread = nil
            return true
        }
        return isHidden ? nil : super.url
    }

    /// Calls `body`, which completes the task on the current thread.
    func hidingChallenge(_ body: () -> Void) {
        hidingThread.withLock { $0 = ObjectIdentifier(Thread.current) }
        body()
        hidingThread.withLock { $0 = nil }
    }
}
#endif
