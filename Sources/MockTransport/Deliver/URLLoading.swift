import Foundation
import RESTClientPlatform

// How URLSession loads a protocol. Linux calls `startLoading` again to let the protocol call its client; Apple platforms
// call it once, on a run loop, to which the protocol adds blocks (PLATFORM A8, F2). Both arms declare the same members.
#if canImport(FoundationNetworking)
extension MockURLProtocol {
    static let wakeUpQueue = DispatchQueue(label: "MockTransport.wake-up")

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

    /// Returns the body of the request, or throws an error if a mock cannot answer the task.
    func requestBody(_ server: ServerCore) throws -> RequestBody {
        func unsupported(_ task: MockServerError.UnsupportedTask) -> MockServerError {
            let method = request.httpMethod ?? "GET"
            return MockServerError(.unsupportedTask(task, method: method, url: request.url), server.masking)
        }
        switch task {
        // It needs a file that only the platform's own protocol provides, and ends the process without it (PLATFORM A13).
        case is URLSessionDownloadTask: throw unsupported(.download)
        case let task as URLSessionWebSocketTask:
            // Ends calls of `receive` and `send` that wait for a connection.
            Self.wakeUpQueue.async { task.cancel(with: .abnormalClosure, reason: nil) }
            throw unsupported(.webSocket)
        case let task as URLSessionUploadTask:
            guard let body = try Self.body(of: task) else { throw unsupported(.upload) }
            return body
        default: return RequestBody(of: request)
        }
    }

    /// Returns the body of an upload task, which is not part of its request (PLATFORM A11), or `nil` if it cannot be read.
    private static func body(of task: URLSessionUploadTask) throws -> RequestBody? {
        switch task.uploadBody {
        case .data(let data): return .data(data)
        case .stream(let stream): return .stream(stream)
        case .empty: return .data(Data())
        case .file(let file):
            guard FileManager.default.isReadableFile(atPath: file.path), let stream = InputStream(url: file)
            else { throw URLError(.fileDoesNotExist, userInfo: [NSURLErrorFailingURLErrorKey: file]) }
            return .stream(stream)
        case .fromDelegate:
            guard let session = task.owner, let delegate = session.delegate as? any URLSessionTaskDelegate
            else { return .data(Data()) }
            return .provided { completion in
                session.delegateQueue.addOperation {
                    delegate.urlSession(session, task: task) { stream in completion(stream) }
                }
            }
        case .unknown: return nil
        }
    }

    /// Returns the handlers that may have sent a request: `canInit` runs in the task of the handler (PLATFORM A15).
    static func senders(_ noticed: ClockHold?) -> [ClockHold]? { noticed.map { [$0] } ?? [] }

    /// Returns an error as the client receives it.
    static func clientError(_ error: any Error) -> any Error { error }

    /// Completes the task of a response that was delivered completely. The client receives a 401, as on Apple platforms.
    func complete() {
        let finish = { self.client?.urlProtocolDidFinishLoading(self) }
        if let response = response as? MockHTTPURLResponse {
            response.hidingChallenge { finish() }
        } else {
            finish()
        }
    }

    static func clientResponse(_ response: HTTPURLResponse) -> HTTPURLResponse {
        MockHTTPURLResponse.copying(response) ?? response
    }
}
#else
extension MockURLProtocol {
    /// The platform calls `startLoading` once, for a task that runs.
    var mayLoad: Bool { true }

    /// The platform calls `stopLoading` once, after the end of a load or to cancel it.
    var isLoadEnding: Bool { true }

    /// The way back to the run loop that called `startLoading`: `resume()` on a running task has no effect (PLATFORM F2).
    var platformWakeUp: ReplyDelivery.WakeUp { wakeUp(performingBlocks: ClientRunLoop().perform) }

    /// Returns the body of the request: a mock answers all tasks that reach it.
    func requestBody(_ server: ServerCore) throws -> RequestBody { RequestBody(of: request) }

    /// Returns the handlers that may have sent a request. The platform may call `canInit`, which notices a handler,
    /// several times and outside the task of the handler.
    static func senders(_ noticed: ClockHold?) -> [ClockHold]? { nil }

    /// Returns an error as the client receives it: URLSession keeps only the members of NSError (PLATFORM F4).
    static func clientError(_ error: any Error) -> any Error { ErrorBox.boxed(error) }

    func complete() { client?.urlProtocolDidFinishLoading(self) }

    static func clientResponse(_ response: HTTPURLResponse) -> HTTPURLResponse { response }
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
#endif
