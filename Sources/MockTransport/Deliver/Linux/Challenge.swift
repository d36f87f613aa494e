import Foundation
import RESTClientPlatform

// How a 401 ends. URLSession on Linux asks the delegate for a credential and then sends the request to the network (PLATFORM
// A3, A9); on Apple platforms it delivers the 401 of a protocol.
#if canImport(FoundationNetworking)
/// The challenge of a 401 response, and the answer of the delegate.
///
/// The platform must not handle it: for a credential, from a delegate or a store, it replaces the protocol by its own, which
/// sends the request with the credential to the network. Without an answer, it never completes the task.
final class Challenge: Sendable {
    enum Outcome: Sendable {
        /// The client receives the 401.
        case response
        /// The task is cancelled, as on a real connection.
        case cancelled
        /// A credential, which URLSession would send to the network.
        case credential
    }

    private let answer = LockedState<Outcome?>(nil)
    private let response: MockHTTPURLResponse

    init(_ response: MockHTTPURLResponse) { self.response = response }

    /// The outcome, or `nil` until the delegate has answered.
    var outcome: Outcome? { answer.withLock { $0 } }

    /// Asks the delegate of the task, on its queue. `completion` is called once, on any thread.
    func ask(_ task: URLSessionTask, completion: @escaping @Sendable () -> Void) {
        guard let session = task.owner, let space = response.protectionSpace else {
            return resolve(.response, completion)
        }
        let store = session.configuration.urlCredentialStorage
        let users = store?.credentials(for: space) ?? [:]
        let stored = users.min { $0.key < $1.key }?.value ?? store?.defaultCredential(for: space)
        let usual = stored == nil ? Outcome.response : .credential
        guard let delegate = task.challengeDelegate else { return resolve(usual, completion) }
        let challenge = URLAuthenticationChallenge(
            protectionSpace: space, proposedCredential: stored, previousFailureCount: 0,
            failureResponse: response,
            error: nil, sender: ChallengeSender())
        session.delegateQueue.addOperation {
            delegate.urlSession(session, task: task, didReceive: challenge) {
                [self] disposition, credential in
                switch disposition {
                case .useCredential: resolve(credential == nil ? .response : .credential, completion)
                case .performDefaultHandling: resolve(usual, completion)
                default: resolve(.cancelled, completion)
                }
            }
        }
    }

    private func resolve(_ outcome: Outcome, _ completion: @Sendable () -> Void) {
        let isFirst = answer.withLock { answer in
            defer { answer = answer ?? outcome }
            return answer == nil
        }
        if isFirst { completion() }
    }
}

/// The sender of challenges. URLSession calls the completion handler of the delegate instead.
private final class ChallengeSender: NSObject, URLAuthenticationChallengeSender {
    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
    func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
    func cancel(_ challenge: URLAuthenticationChallenge) {}
    func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}
    func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
}

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
        let fields = response.allHeaderFields.reduce(into: [String: String]()) { fields, field in
            if let name = field.key as? String { fields[name] = field.value as? String }
        }
        return MockHTTPURLResponse(
            url: url, statusCode: response.statusCode, httpVersion: "HTTP/1.1", headerFields: fields)
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

    /// The protection space of the challenge, or `nil` if there is none.
    fileprivate var protectionSpace: URLProtectionSpace? {
        guard let url, let host = url.host, let scheme = url.scheme?.lowercased(), let realm
        else { return nil }
        return URLProtectionSpace(
            host: host, port: url.usualPort, protocol: scheme, realm: realm,
            authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
    }

    /// The realm of the first Basic challenge (RFC 9110, section 11.6.1), the only kind that the platform knows.
    private var realm: String? {
        let challenge =
            #/
            (?i)(?:^|,)\x20* basic \x20+ (?:[^\s=,]+ \h*=\h* (?:"(?:[^"\\]|\\.)*"|[^\s",]+) \x20*,\x20*)*
            realm \h*=\h* (?:"(?<quoted>(?:[^"\\]|\\.)*)"|(?<token>[^\s",;=]+))
            /#
        guard let field = value(forHTTPHeaderField: "WWW-Authenticate"),
            let match = field.firstMatch(of: challenge.matchingSemantics(.unicodeScalar))
        else { return nil }
        return (match.quoted ?? match.token).map { String($0.replacing(/\\(.)/) { $0.output.1 }) }
    }
}
#else
/// The challenge of a response, which Apple platforms do not look for in responses of a protocol.
typealias Challenge = Never
#endif
