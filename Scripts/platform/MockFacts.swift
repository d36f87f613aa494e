import Foundation
import FoundationNetworking

let mocked = URL(string: "http://mock.invalid/items") ?? URL(fileURLWithPath: "/")

/// A protocol that runs the script of the current probe.
class ScriptedProtocol: URLProtocol {
    typealias Script = @Sendable (ScriptedProtocol) -> Void
    private static let scripts = Box<Script?>(nil)
    static let canInitTasks = Box(0)
    static let canonicals = Box(0)
    static let inits = Box<[String]>([])
    static let declines = Box(false)

    static var script: Script? {
        get { scripts.current }
        set { scripts.change { $0 = newValue } }
    }

    static var configuration: URLSessionConfiguration {
        let configuration = ProbeRequest.configuration
        configuration.protocolClasses = [ScriptedProtocol.self]
        return configuration
    }

    override class func canInit(with request: URLRequest) -> Bool {
        inits.change { $0.append(Thread.current.name ?? "") }
        return !declines.current
    }
    override class func canInit(with task: URLSessionTask) -> Bool {
        canInitTasks.change { $0 += 1 }
        return !declines.current
    }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest {
        canonicals.change { $0 += 1 }
        return request
    }
    override func startLoading() { Self.script?(self) }
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

    func answer(_ text: String) {
        respond(200)
        load(text)
        finish()
    }
}

/// Replies with the length of `httpBody`, or with "stream" or "none".
private let replyWithBody: ScriptedProtocol.Script = { stub in
    stub.answer(
        stub.request.httpBody.map { "\($0.count)" }
            ?? (stub.request.httpBodyStream == nil ? "none" : "stream"))
}

final class GenericProtocol<Nested>: ScriptedProtocol {
    override func startLoading() { answer("\(Self.self)") }
}

/// Facts A7 to A15: custom protocols.
let mockFacts: [Probe] = [
    Probe("A7", "with a completion handler, several didLoad calls keep only the last chunk") {
        ScriptedProtocol.script = { stub in
            stub.respond(200)
            for text in ["one", "two", "three"] { stub.load(text) }
            stub.finish()
        }
        let done = DispatchSemaphore(value: 0)
        let body = Box("")
        let session = URLSession(configuration: ScriptedProtocol.configuration)
        session.dataTask(with: mocked) { data, _, _ in
            body.change { $0 = String(decoding: data ?? Data(), as: UTF8.self) }
            done.signal()
        }.resume()
        guard done.wait(timeout: .now() + 5) == .success else { return .unknown("the task did not end") }
        return .when(body.current == "three", "body: \(body.current)")
    },
    Probe("A7", "… while a session delegate gets every chunk") {
        ScriptedProtocol.script = { stub in
            stub.respond(200)
            for text in ["one", "two", "three"] { stub.load(text) }
            stub.finish()
        }
        let received = try ProbeRequest.ending(URLRequest(url: mocked), ScriptedProtocol.configuration)
        return .when(received.text == "onetwothree", "body: \(received.text)")
    },
    Probe("A8", "a finish after the end is fatal", trap: .present) {
        let held = Box<Held?>(nil)
        ScriptedProtocol.script = { stub in
            stub.answer("ok")
            held.change { $0 = Held(stub) }
        }
        _ = ProbeRequest.run(URLRequest(url: mocked), ScriptedProtocol.configuration)
        Thread.sleep(forTimeInterval: 0.2)
        held.current?.stub.finish()
        Thread.sleep(forTimeInterval: 0.5)
        return .fixed
    },
    Probe("A8", "a finish after a cancel is fatal", trap: .present) {
        let held = Box<Held?>(nil)
        ScriptedProtocol.script = { stub in held.change { $0 = Held(stub) } }
        let session = URLSession(configuration: ScriptedProtocol.configuration)
        let task = session.dataTask(with: mocked) { _, _, _ in }
        task.resume()
        Thread.sleep(forTimeInterval: 0.2)
        task.cancel()
        Thread.sleep(forTimeInterval: 0.2)
        held.current?.stub.answer("late")
        Thread.sleep(forTimeInterval: 0.5)
        return .fixed
    },
    Probe("A8", "calling the client from another thread races", hang: .present, trap: .present, limit: 15) {
        ScriptedProtocol.script = { stub in
            let held = Held(stub)
            DispatchQueue.global().async { held.stub.answer("ok") }
        }
        let inFlight = DispatchSemaphore(value: 64)
        let session = URLSession(configuration: ScriptedProtocol.configuration)
        let end = Date(timeIntervalSinceNow: 6)
        var requests = 0
        while Date() < end {
            guard inFlight.wait(timeout: .now() + 3) == .success else {
                return .present("a reply was lost after \(requests) requests")
            }
            session.dataTask(with: mocked) { _, _, _ in inFlight.signal() }.resume()
            requests += 1
        }
        return .unknown("did not occur in \(requests) requests")
    },
    Probe("A8", "task.resume() calls startLoading again, on the work queue") {
        let starts = Box(0)
        ScriptedProtocol.script = { stub in
            starts.change { $0 += 1 }
            if starts.current == 1 {
                let task = stub.task
                DispatchQueue.global().asyncAfter(deadline: .now() + 0.1) { task?.resume() }
            } else {
                stub.answer("later")
            }
        }
        guard
            let received = ProbeRequest.run(
                URLRequest(url: mocked), ScriptedProtocol.configuration, within: 3)
        else {
            return .fixed("startLoading ran \(starts.current) times")
        }
        return .when(
            starts.current == 2 && received.text == "later", "startLoading ran \(starts.current) times")
    },
    Probe("A9", "a mock's wasRedirectedTo is a fatalError or leaves the mock", trap: .present) {
        ScriptedProtocol.script = { stub in
            guard stub.request.url?.path == "/items", let target = URL(string: "http://mock.invalid/target"),
                let response = HTTPURLResponse(
                    url: mocked, statusCode: 302, httpVersion: nil, headerFields: nil)
            else { return stub.answer("target") }
            stub.client?.urlProtocol(
                stub, wasRedirectedTo: URLRequest(url: target), redirectResponse: response)
        }
        let received = ProbeRequest.run(URLRequest(url: mocked), ScriptedProtocol.configuration, within: 3)
        return .when(
            received?.text != "target",
            received.map { "error \($0.error?.code.rawValue ?? 0)" } ?? "the task did not end")
    },
    Probe(
        "A9",
        "a mock's didReceive challenge, answered with a credential, sends a request to the real network",
        trap: .present
    ) {
        ScriptedProtocol.script = { stub in
            let space = URLProtectionSpace(
                host: "127.0.0.1", port: 1, protocol: "http", realm: "r",
                authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
            let challenge = URLAuthenticationChallenge(
                protectionSpace: space,
                proposedCredential: URLCredential(user: "u", password: "p", persistence: .none),
                previousFailureCount: 0, failureResponse: nil, error: nil, sender: Sender())
            stub.client?.urlProtocol(stub, didReceive: challenge)
        }
        let delegate = ChallengeDelegate()
        let session = URLSession(
            configuration: ScriptedProtocol.configuration, delegate: delegate, delegateQueue: nil)
        guard let closed = URL(string: "http://127.0.0.1:1/") else { return .unknown("no URL") }
        session.dataTask(with: closed).resume()
        guard delegate.ended.wait(timeout: .now() + 4) == .success else {
            return .unknown("the task did not end")
        }
        let code = delegate.code.current
        return .when(code == URLError.cannotConnectToHost.rawValue, "error \(code)")
    },
    Probe("A10", "a request that a protocol declines is sent to the real network") {
        let server = try RawServer.keepAlive("real")
        ScriptedProtocol.declines.change { $0 = true }
        let received = ProbeRequest.run(URLRequest(url: server.url()), ScriptedProtocol.configuration)
        return .when(received?.text == "real", received?.text ?? "the task did not end")
    },
    Probe("A11", "httpAdditionalHeaders do not reach a custom protocol") {
        ScriptedProtocol.script = { stub in
            stub.answer(stub.request.value(forHTTPHeaderField: "X-Default") ?? "none")
        }
        let configuration = ScriptedProtocol.configuration
        configuration.httpAdditionalHeaders = ["X-Default": "here"]
        let text = try ProbeRequest.ending(URLRequest(url: mocked), configuration).text
        return .when(text == "none", text)
    },
    Probe("A11", "the body of an upload task does not reach a custom protocol") {
        ScriptedProtocol.script = replyWithBody
        var request = URLRequest(url: mocked)
        request.httpMethod = "POST"
        let received = ProbeRequest.run(
            request, ScriptedProtocol.configuration,
            task: { $0.uploadTask(with: $1, from: Data("body".utf8)) })
        return .when(received?.text == "none", received?.text ?? "the task did not end")
    },
    Probe("A11", "… while httpBody and httpBodyStream of a data task do") {
        ScriptedProtocol.script = replyWithBody
        var request = URLRequest(url: mocked)
        request.httpMethod = "POST"
        request.httpBody = Data("body".utf8)
        let whole = try ProbeRequest.ending(request, ScriptedProtocol.configuration).text
        request.httpBody = nil
        request.httpBodyStream = InputStream(data: Data("body".utf8))
        let streamed = try ProbeRequest.ending(request, ScriptedProtocol.configuration).text
        return .when(whole == "4" && streamed == "stream", "\(whole), \(streamed)")
    },
    Probe("A12", "registerClass has no effect on custom sessions") {
        let server = try RawServer.keepAlive("real")
        ScriptedProtocol.script = { $0.answer("mock") }
        _ = URLProtocol.registerClass(ScriptedProtocol.self)
        let text = try ProbeRequest.ending(server.url()).text
        return .when(text == "real", text)
    },
    Probe("A12", "on URLSession.shared, registerClass has no effect after the first use") {
        let server = try RawServer.keepAlive("real")
        func fetch() throws -> String {
            let done = DispatchSemaphore(value: 0)
            let body = Box("")
            URLSession.shared.dataTask(with: server.url()) { data, _, _ in
                body.change { $0 = String(decoding: data ?? Data(), as: UTF8.self) }
                done.signal()
            }.resume()
            guard done.wait(timeout: .now() + 4) == .success else {
                throw Inconclusive(reason: "the task did not end")
            }
            return body.current
        }
        _ = try fetch()
        ScriptedProtocol.script = { $0.answer("mock") }
        _ = URLProtocol.registerClass(ScriptedProtocol.self)
        let text = try fetch()
        return .when(text == "real", text)
    },
    Probe("A13", "a download task on a custom protocol crashes or gives no file", trap: .present) {
        ScriptedProtocol.script = { $0.answer("file") }
        let done = DispatchSemaphore(value: 0)
        let result = Box("")
        let session = URLSession(configuration: ScriptedProtocol.configuration)
        session.downloadTask(with: mocked) { url, _, _ in
            result.change { $0 = url.flatMap { try? String(contentsOf: $0, encoding: .utf8) } ?? "no file" }
            done.signal()
        }.resume()
        guard done.wait(timeout: .now() + 4) == .success else { return .present("the task did not end") }
        return .when(result.current != "file", result.current)
    },
    Probe("A13", "a real download never deletes its temporary file") {
        let server = try RawServer.keepAlive("file")
        let done = DispatchSemaphore(value: 0)
        let file = Box<String?>(nil)
        URLSession(configuration: ProbeRequest.configuration).downloadTask(with: server.url()) { url, _, _ in
            file.change { $0 = url?.path }
            done.signal()
        }.resume()
        guard done.wait(timeout: .now() + 4) == .success, let path = file.current else {
            return .unknown("no file")
        }
        Thread.sleep(forTimeInterval: 1)
        let there = FileManager.default.fileExists(atPath: path)
        try? FileManager.default.removeItem(atPath: path)
        return .when(there)
    },
    Probe("A14", "generic subclasses of URLProtocol are distinct classes") {
        let first = ScriptedProtocol.configuration
        first.protocolClasses = [GenericProtocol<Int>.self]
        let second = ScriptedProtocol.configuration
        second.protocolClasses = [GenericProtocol<[Int]>.self]
        let texts = try [first, second].map { try ProbeRequest.ending(URLRequest(url: mocked), $0).text }
        return .when(
            texts == ["GenericProtocol<Int>", "GenericProtocol<Array<Int>>"], texts.joined(separator: ", "))
    },
    Probe("A15", "canInit(with: task) and canonicalRequest are never called") {
        ScriptedProtocol.script = { $0.answer("ok") }
        _ = try ProbeRequest.ending(URLRequest(url: mocked), ScriptedProtocol.configuration)
        let calls = (ScriptedProtocol.canInitTasks.current, ScriptedProtocol.canonicals.current)
        return .when(calls == (0, 0), "\(calls.0) and \(calls.1) calls")
    },
    Probe("A15", "canInit runs on the caller's thread") {
        ScriptedProtocol.script = { $0.answer("ok") }
        Thread.current.name = "caller"
        _ = try ProbeRequest.ending(URLRequest(url: mocked), ScriptedProtocol.configuration)
        let names = ScriptedProtocol.inits.current
        return .when(names.first == "caller", "\(names)")
    },
]

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
    let ended = DispatchSemaphore(value: 0)
    let code = Box(0)

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        DispatchQueue.global().async {
            completionHandler(.useCredential, URLCredential(user: "u", password: "p", persistence: .none))
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        code.change { $0 = (error as? URLError)?.code.rawValue ?? 0 }
        ended.signal()
    }
}
