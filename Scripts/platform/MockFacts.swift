import Foundation
import FoundationNetworking

/// An address that refuses connections.
let refused = URL(string: "http://127.0.0.1:1/") ?? mocked
let mocked = URL(string: "http://mock.invalid/items") ?? URL(fileURLWithPath: "/")

/// A protocol that runs the script of the current probe.
class ScriptedProtocol: URLProtocol {
    typealias Script = @Sendable (ScriptedProtocol) -> Void
    static let script = Box<Script>({ $0.answer("mock") })
    static let declines = Box(false)

    static var configuration: URLSessionConfiguration {
        let configuration = ProbeRequest.configuration
        configuration.protocolClasses = [ScriptedProtocol.self]
        return configuration
    }

    /// Returns the response that a session with a delegate receives from the script, or `nil` if the task does not end.
    static func received(
        _ request: URLRequest = URLRequest(url: mocked),
        _ configuration: URLSessionConfiguration = configuration,
        within seconds: Double = 4,
        task: (URLSession, URLRequest) -> URLSessionTask = { $0.dataTask(with: $1) },
        from script: @escaping Script
    ) -> ReceivedResponse? {
        Self.script.change { $0 = script }
        return ProbeRequest.run(request, configuration, within: seconds, task: task)
    }

    override class func canInit(with request: URLRequest) -> Bool { !declines.current }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
    override func startLoading() { Self.script.current(self) }
    override func stopLoading() {}

    func respond(_ status: Int, headers: [String: String] = [:]) {
        guard let url = request.url,
            let response = HTTPURLResponse(
                url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: headers)
        else { return }
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
    }
    func load(_ text: String) { client?.urlProtocol(self, didLoad: Data(text.utf8)) }
    func finish() { client?.urlProtocolDidFinishLoading(self) }

    func answer(_ chunks: String...) {
        respond(200)
        chunks.forEach(load)
        finish()
    }
}

/// Facts A7 to A13: custom protocols.
let mockFacts: [Probe] = [
    Probe("A7", "with a completion handler, several didLoad calls keep only the last chunk") {
        ScriptedProtocol.script.change { $0 = { $0.answer("one", "two", "three") } }
        return .text("three", fetched(URLSession(configuration: ScriptedProtocol.configuration), mocked))
    },
    Probe("A8", "a finish after the end is fatal", isFatal: true) {
        let held = Box<Held?>(nil)
        _ = ScriptedProtocol.received { stub in
            stub.answer("ok")
            held.change { $0 = Held(stub) }
        }
        Thread.sleep(forTimeInterval: 0.2)
        held.current?.stub.finish()
        Thread.sleep(forTimeInterval: 0.5)
        return .fixed("")
    },
    Probe("A8", "a finish after a cancel is fatal", isFatal: true) {
        let held = Box<Held?>(nil)
        ScriptedProtocol.script.change { $0 = { stub in held.change { $0 = Held(stub) } } }
        let session = URLSession(configuration: ScriptedProtocol.configuration)
        let task = session.dataTask(with: mocked) { _, _, _ in }
        task.resume()
        Thread.sleep(forTimeInterval: 0.2)
        task.cancel()
        Thread.sleep(forTimeInterval: 0.2)
        held.current?.stub.answer("late")
        Thread.sleep(forTimeInterval: 0.5)
        return .fixed("")
    },
    Probe("A8", "calling the client from another thread races", isFatal: true, limit: 15) {
        ScriptedProtocol.script.change {
            $0 = { stub in
                let held = Held(stub)
                DispatchQueue.global().async { held.stub.answer("ok") }
            }
        }
        let session = URLSession(configuration: ScriptedProtocol.configuration)
        return race(seconds: 6) { end in session.dataTask(with: mocked) { _, _, _ in end() }.resume() }
    },
    Probe("A8", "task.resume() calls startLoading again, on the work queue") {
        let starts = Box(0)
        let received = ScriptedProtocol.received { stub in
            starts.change { $0 += 1 }
            if starts.current > 1 { return stub.answer("later") }
            let task = stub.task
            DispatchQueue.global().asyncAfter(deadline: .now() + 0.1) { task?.resume() }
        }
        return .when(received?.text == "later", "startLoading ran \(starts.current) times")
    },
    Probe("A9", "a mock's wasRedirectedTo is a fatalError or leaves the mock", isFatal: true) {
        let received = ScriptedProtocol.received { stub in
            guard stub.request.url?.path == "/items", let target = URL(string: "http://mock.invalid/target"),
                let response = HTTPURLResponse(
                    url: mocked, statusCode: 302, httpVersion: nil, headerFields: nil)
            else { return stub.answer("target") }
            stub.client?.urlProtocol(
                stub, wasRedirectedTo: URLRequest(url: target), redirectResponse: response)
        }
        return .when(received?.text != "target", received?.evidence ?? "the task did not end")
    },
    Probe(
        "A9", "a mock's challenge, answered with a credential, sends a request to the network", isFatal: true
    ) {
        ScriptedProtocol.script.change {
            $0 = { stub in
                let space = URLProtectionSpace(
                    host: "127.0.0.1", port: 1, protocol: "http", realm: "r",
                    authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
                let challenge = URLAuthenticationChallenge(
                    protectionSpace: space, proposedCredential: ChallengeDelegate.credential,
                    previousFailureCount: 0, failureResponse: nil, error: nil, sender: Sender())
                stub.client?.urlProtocol(stub, didReceive: challenge)
            }
        }
        let delegate = ChallengeDelegate()
        let session = URLSession(
            configuration: ScriptedProtocol.configuration, delegate: delegate, delegateQueue: nil)
        session.dataTask(with: refused).resume()
        guard delegate.ended.wait(timeout: .now() + 4) == .success else {
            return .unknown("the task did not end")
        }
        let code = delegate.code.current
        return .when(code == URLError.cannotConnectToHost.rawValue, "error \(code)")
    },
    Probe("A10", "a request that a protocol declines is sent to the real network") {
        let server = try RawServer.keepAlive("real")
        ScriptedProtocol.declines.change { $0 = true }
        return .when(ProbeRequest.run(URLRequest(url: server.url()), ScriptedProtocol.configuration)) {
            $0.text == "real"
        }
    },
    Probe("A11", "httpAdditionalHeaders do not reach a custom protocol") {
        let configuration = ScriptedProtocol.configuration
        configuration.httpAdditionalHeaders = ["X-Default": "here"]
        let received = ScriptedProtocol.received(URLRequest(url: mocked), configuration) { stub in
            stub.answer(stub.request.value(forHTTPHeaderField: "X-Default") ?? "none")
        }
        return .when(received) { $0.text == "none" }
    },
    Probe("A11", "the body of an upload task does not reach a custom protocol") {
        var request = URLRequest(url: mocked)
        request.httpMethod = "POST"
        let received = ScriptedProtocol.received(
            request, task: { $0.uploadTask(with: $1, from: Data("body".utf8)) },
            from: { stub in
                let isEmpty = stub.request.httpBody == nil && stub.request.httpBodyStream == nil
                stub.answer(isEmpty ? "none" : "body")
            })
        return .when(received) { $0.text == "none" }
    },
    Probe("A12", "registerClass has no effect on custom sessions") {
        let server = try RawServer.keepAlive("real")
        _ = URLProtocol.registerClass(ScriptedProtocol.self)
        return .when(ProbeRequest.run(server.url())) { $0.text == "real" }
    },
    Probe("A12", "on URLSession.shared, registerClass has no effect after the first use") {
        let server = try RawServer.keepAlive("real")
        _ = fetched(.shared, server.url())
        _ = URLProtocol.registerClass(ScriptedProtocol.self)
        return .text("real", fetched(.shared, server.url()))
    },
    Probe("A13", "a download task on a custom protocol crashes or gives no file", isFatal: true) {
        let file = downloaded(URLSession(configuration: ScriptedProtocol.configuration), mocked)
        return .when(
            file.flatMap { try? String(contentsOf: $0, encoding: .utf8) } != "mock", file?.path ?? "no file")
    },
    Probe("A13", "a real download never deletes its temporary file") {
        let server = try RawServer.keepAlive("file")
        guard let file = downloaded(URLSession(configuration: ProbeRequest.configuration), server.url())
        else {
            return .unknown("no file")
        }
        Thread.sleep(forTimeInterval: 1)
        return .when(FileManager.default.fileExists(atPath: file.path))
    },
]

extension ProbeResult {
    /// `present` when the text is the expected one; `nil` if the task did not end.
    fileprivate static func text(_ expected: String, _ found: String?) -> Self {
        guard let found else { return .unknown("the task did not end") }
        return .when(found == expected, found)
    }
}

/// Returns the text that a completion handler receives.
private func fetched(_ session: URLSession, _ url: URL) -> String? {
    awaited { done in
        session.dataTask(with: url) { data, _, _ in done(String(decoding: data ?? Data(), as: UTF8.self)) }
            .resume()
    }
}

/// Returns the file that the completion handler of a download task receives.
private func downloaded(_ session: URLSession, _ url: URL) -> URL? {
    awaited { done in session.downloadTask(with: url) { file, _, _ in done(file) }.resume() } ?? nil
}

private final class Held: @unchecked Sendable {
    // SAFETY: used by one other thread, which is the race that the probe looks for.
    let stub: ScriptedProtocol
    init(_ stub: ScriptedProtocol) { self.stub = stub }
}

private final class Sender: NSObject, URLAuthenticationChallengeSender {
    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
    func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
    func cancel(_ challenge: URLAuthenticationChallenge) {}
    func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}
    func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
}

/// Answers a challenge with a credential.
private final class ChallengeDelegate: NSObject, URLSessionTaskDelegate, Sendable {
    static let credential = URLCredential(user: "u", password: "p", persistence: .none)
    let ended = DispatchSemaphore(value: 0)
    let code = Box(0)

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        DispatchQueue.global().async { completionHandler(.useCredential, Self.credential) }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        code.change { $0 = (error as? URLError)?.code.rawValue ?? 0 }
        ended.signal()
    }
}
