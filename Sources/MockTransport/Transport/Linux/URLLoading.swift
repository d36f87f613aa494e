import Foundation

// How URLSession loads a protocol. Linux calls `startLoading` again to let the protocol call its client; Apple platforms
// call it once, on a run loop, to which the protocol adds blocks (PLATFORM A8, F2). Both arms declare the same members.
#if canImport(FoundationNetworking)
extension MockURLProtocol {
    private static let wakeUpQueue = DispatchQueue(label: "MockTransport.wake-up")

    /// `true` if the protocol may use its task and its client: neither a task that is ending (PLATFORM A16) nor a
    /// suspended one, which calls `startLoading` again when it resumes.
    var mayLoad: Bool { task?.state == .running }

    /// `true` if `stopLoading` ends the load. A suspended task also calls it, and continues when it resumes.
    var isLoadEnding: Bool { task?.state == .canceling || task?.state == .completed }

    /// The way back to the work queue of URLSession: `resume()` on a running task calls `startLoading` there (PLATFORM
    /// A8). It must not be called on the work queue itself, which would deadlock.
    var platformWakeUp: ReplyDelivery.WakeUp {
        guard let task else { return { _ in } }
        return { delivery in
            Self.wakeUpQueue.async {
                if !delivery.isFinished, task.state == .running { task.resume() }
            }
        }
    }

    /// Returns the handlers that may have sent a request: `canInit` runs in the task of the handler (PLATFORM A15).
    static func senders(_ noticed: ClockHold?) -> ClockState.Senders { noticed.map { .one($0) } ?? .none }

    /// Returns an error as the client receives it.
    static func clientError(_ error: any Error) -> any Error { error }
}

extension URLSessionTask {
    /// `true` if the platform keeps only the last chunk of the body: tasks with a completion handler and `data(for:)`.
    ///
    /// PLATFORM A7. No public API distinguishes these tasks from those of a delegate, so this reads the behavior of the
    /// task from the registry of its session by reflection. It must be called on the work queue, which owns the
    /// registry.
    var keepsOnlyLastChunk: Bool {
        guard let session = Self.member("session", of: self) as? URLSession, session.delegate != nil,
            let registry = Self.member("taskRegistry", of: session),
            let behaviors = Self.member("behaviours", of: registry)
        else { return true }
        for case let (key, behavior) as (Int, Any) in Mirror(reflecting: behaviors).children.map(\.value)
        where key == taskIdentifier { return "\(behavior)" != "callDelegate" }
        return true
    }

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
}

extension URLAuthenticationChallenge {
    /// The disposition that ends the task with the response that carried the challenge (PLATFORM A3).
    var rejectingDisposition: URLSession.AuthChallengeDisposition { .cancelAuthenticationChallenge }
}
#else
extension MockURLProtocol {
    /// The platform calls `startLoading` once, for a task that runs.
    var mayLoad: Bool { true }

    /// The platform calls `stopLoading` once, after the end of a load or to cancel it.
    var isLoadEnding: Bool { true }

    /// The way back to the run loop that called `startLoading`: `resume()` on a running task has no effect (PLATFORM F2).
    var platformWakeUp: ReplyDelivery.WakeUp { wakeUp(performingBlocks: ClientRunLoop().perform) }

    /// Returns the handlers that may have sent a request. The platform may call `canInit`, which notices a handler,
    /// several times and outside the task of the handler.
    static func senders(_ noticed: ClockHold?) -> ClockState.Senders { .unknown }

    /// Returns an error as the client receives it: URLSession keeps only the members of NSError (PLATFORM F4).
    static func clientError(_ error: any Error) -> any Error { ErrorBox.boxed(error) }
}

/// The run loop of the calling thread, which loads a protocol.
private struct ClientRunLoop: @unchecked Sendable {
    // SAFETY: blocks can be added to a run loop on any thread.
    private let runLoop = CFRunLoopGetCurrent()
    /// The default mode and, for a client that waits in its own mode, also that mode.
    private let modes: CFArray

    init() {
        let usual: CFRunLoopMode = .defaultMode
        let current = CFRunLoopCopyCurrentMode(runLoop) ?? usual
        modes = Array(Set([usual.rawValue as String, current.rawValue as String])) as CFArray
    }

    @Sendable func perform(_ block: @escaping @Sendable () -> Void) {
        CFRunLoopPerformBlock(runLoop, modes, block)
        CFRunLoopWakeUp(runLoop)
    }
}

extension URLSessionTask {
    /// `true` if the platform keeps only the last chunk of the body.
    var keepsOnlyLastChunk: Bool { false }
}

extension URLAuthenticationChallenge {
    /// The disposition that ends the task with the response that carried the challenge.
    var rejectingDisposition: URLSession.AuthChallengeDisposition {
        protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust
            ? .performDefaultHandling : .rejectProtectionSpace
    }
}
#endif
