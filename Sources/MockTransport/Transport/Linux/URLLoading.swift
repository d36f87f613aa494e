import Foundation

#if canImport(FoundationNetworking)
/// Calls `startLoading` of a loading protocol again, in the context from which it may call its client.
///
/// On Linux that is the work queue of URLSession: `resume()` on a running task calls `startLoading` there (PLATFORM
/// A8). It must not be called on the work queue itself, which would deadlock.
struct ProtocolWakeUp: Sendable {
    private let task: URLSessionTask

    init(_ urlProtocol: URLProtocol, task: URLSessionTask) { self.task = task }

    func callStartLoading() {
        if task.state == .running { task.resume() }
    }
}
#else
/// Calls `startLoading` of a loading protocol again on the run loop that called it first (PLATFORM F2).
struct ProtocolWakeUp: @unchecked Sendable {
    // SAFETY: the protocol is used only in blocks on its own run loop.
    private let urlProtocol: URLProtocol
    private let runLoop = CFRunLoopGetCurrent()

    init(_ urlProtocol: URLProtocol, task: URLSessionTask) { self.urlProtocol = urlProtocol }

    func callStartLoading() {
        CFRunLoopPerformBlock(runLoop, CFRunLoopMode.commonModes.rawValue) { urlProtocol.startLoading() }
        CFRunLoopWakeUp(runLoop)
    }
}
#endif

extension URLProtocol {
    /// `true` if `stopLoading` ends the load. On Linux a suspended task also calls it, and continues when it resumes.
    var isLoadEnding: Bool {
        #if canImport(FoundationNetworking)
        task?.state == .canceling || task?.state == .completed
        #else
        true
        #endif
    }
}

extension URLSessionTask {
    /// `true` if the platform keeps only the last chunk of the body: tasks with a completion handler and `data(for:)`.
    ///
    /// PLATFORM A7. No public API distinguishes these tasks from those of a delegate, so this reads the behavior of the
    /// task from the registry of its session by reflection. It must be called on the work queue, which owns the
    /// registry.
    var keepsOnlyLastChunk: Bool {
        #if canImport(FoundationNetworking)
        guard let session = Self.member("session", of: self) as? URLSession, session.delegate != nil,
            let registry = Self.member("taskRegistry", of: session),
            let behaviors = Self.member("behaviours", of: registry)
        else { return true }
        for case let (key, behavior) as (Int, Any) in Mirror(reflecting: behaviors).children.map(\.value)
        where key == taskIdentifier { return "\(behavior)" != "callDelegate" }
        return true
        #else
        return false
        #endif
    }

    #if canImport(FoundationNetworking)
    private static func member(_ name: String, of object: Any) -> Any? {
        var mirror: Mirror? = Mirror(reflecting: object)
        while let current = mirror {
            if let child = current.children.first(where: { $0.label == name }) {
                let value = Mirror(reflecting: child.value)
                return value.displayStyle == .optional ? value.children.first?.value : child.value
            }
            mirror = current.superclassMirror
        }
        return nil
    }
    #endif
}

extension URLAuthenticationChallenge {
    /// The disposition that ends the task with the response that carried the challenge (PLATFORM A3).
    var rejectingDisposition: URLSession.AuthChallengeDisposition {
        #if canImport(FoundationNetworking)
        .cancelAuthenticationChallenge
        #else
        protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust
            ? .performDefaultHandling : .rejectProtectionSpace
        #endif
    }
}
