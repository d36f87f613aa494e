import Foundation
import FoundationNetworking

let mocked = URL(string: "http://mock.invalid/items") ?? URL(fileURLWithPath: "/")

/// A protocol that does what the probe of this process says.
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
        let configuration = Exchange.configuration
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

/// Answers with the length of a body that came whole, else with how it came.
private let tellsBody: ScriptedProtocol.Script = { stub in
    stub.answer(
        stub.request.httpBody.map { "\($0.count)" }
            ?? (stub.request.httpBodyStream == nil ? "none" : "stream"))
}

final class Shape<Nested>: ScriptedProtocol {
    override func startLoading() { answer("\(Self.self)") }
}

/// A7 to A15: what custom protocols meet.
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
        guard done.wait(timeout: .now() + 5) == .success else { return .unknown("no end") }
        return .when(body.current == "three", "body: \(body.current)")
    },
    Probe("A7", "… while a session delegate gets every chunk") {
        ScriptedProtocol.script = { stub in
            stub.respond(200)
            for text in ["one", "two", "three"] { stub.load(text) }
            stub.finish()
        }
        let record = try Exchange.ending(URLRequest(url: mocked), ScriptedProtocol.configuration)
        return .when(record.text == "onetwothree", "body: \(record.text)")
    },
    Probe("A8", "a finish after the end is fatal", trap: .present) {
        let held = Box<Held?>(nil)
        ScriptedProtocol.script = { stub in
            stub.answer("ok")
            held.change { $0 = Held(stub) }
        }
        _ = Exchange.run(URLRequest(url: mocked), ScriptedProtocol.configuration)
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
                return .present("lost after \(requests) requests")
            }
            session.dataTask(with: mocked) { _, _, _ in inFlight.signal() }.resume()
            requests += 1
        }
        return .unknown("not seen in \(requests) requests")
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
        guard let record = Exchange.run(URLRequest(url: mocked), ScriptedProtocol.configuration, within: 3)
        else {
            return .fixed("startLoading ran \(starts.current) times")
        }
        return .when(
            starts.current == 2 && record.text == "later", "startLoading ran \(starts.current) times")
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
        let record = Exchange.run(URLRequest(url: mocked), ScriptedProtocol.configuration, within: 3)
        return .when(
            record?.text != "target", record.map { "error \($0.error?.code.rawValue ?? 0)" } ?? "no end")
    },
    Probe(
        "A9", "a mock's didReceive challenge, answered with a credential, asks the real network",
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
        let exchange = Answering()
        let session = URLSession(
            configuration: ScriptedProtocol.configuration, delegate: exchange, delegateQueue: nil)
        guard let closed = URL(string: "http://127.0.0.1:1/") else { return .unknown("no URL") }
        session.dataTask(with: closed).resume()
        guard exchange.ended.wait(timeout: .now() + 4) == .success else { return .unknown("no end") }
        let code = exchange.code.current
        return .when(code == URLError.cannotConnectToHost.rawValue, "error \(code)")
    },
    Probe("A10", "a protocol that declines is followed by the real network") {
        let server = try RawServer.keepAlive("real")
        ScriptedProtocol.declines.change { $0 = true }
        let record = Exchange.run(URLRequest(url: server.url()), ScriptedProtocol.configuration)
        return .when(record?.text == "real", record?.text ?? "no end")
    },
    Probe("A11", "httpAdditionalHeaders do not reach a custom protocol") {
        ScriptedProtocol.script = { stub in
            stub.answer(stub.request.value(forHTTPHeaderField: "X-Default") ?? "none")
        }
        let configuration = ScriptedProtocol.configuration
        configuration.httpAdditionalHeaders = ["X-Default": "here"]
        let text = try Exchange.ending(URLRequest(url: mocked), configuration).text
        return .when(text == "none", text)
    },
    Probe("A11", "the body of an upload task does not reach a custom protocol") {
        ScriptedProtocol.script = tellsBody
        var request = URLRequest(url: mocked)
        request.httpMethod = "POST"
        let record = Exchange.run(
            request, ScriptedProtocol.configuration,
            task: { $0.uploadTask(with: $1, from: Data("body".utf8)) })
        return .when(record?.text == "none", record?.text ?? "no end")
    },
    Probe("A11", "… while httpBody and httpBodyStream of a data task do") {
        ScriptedProtocol.script = tellsBody
        var request = URLRequest(url: mocked)
        request.httpMethod = "POST"
        request.httpBody = Data("body".utf8)
        let whole = try Exchange.ending(request, ScriptedProtocol.configuration).text
        request.httpBody = nil
        request.httpBodyStream = InputStream(data: Data("body".utf8))
        let streamed = try Exchange.ending(request, ScriptedProtocol.configuration).text
        return .when(whole == "4" && streamed == "stream", "\(whole), \(streamed)")
    },
    Probe("A12", "registerClass is not seen by sessions of one's own") {
        let server = try RawServer.keepAlive("real")
        ScriptedProtocol.script = { $0.answer("mock") }
        _ = URLProtocol.registerClass(ScriptedProtocol.self)
        let text = try Exchange.ending(server.url()).text
        return .when(text == "real", text)
    },
    Probe("A12", "on URLSession.shared, registerClass comes too late after its first use") {
        let server = try RawServer.keepAlive("real")
        func fetch() throws -> String {
            let done = DispatchSemaphore(value: 0)
            let body = Box("")
            URLSession.shared.dataTask(with: server.url()) { data, _, _ in
                body.change { $0 = String(decoding: data ?? Data(), as: UTF8.self) }
                done.signal()
            }.resume()
            guard done.wait(timeout: .now() + 4) == .success else { throw Unclear(why: "no end") }
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
        guard done.wait(timeout: .now() + 4) == .success else { return .present("no end") }
        return .when(result.current != "file", result.current)
    },
    Probe("A13", "a real download leaves its temporary file for ever") {
        let server = try RawServer.keepAlive("file")
        let done = DispatchSemaphore(value: 0)
        let file = Box<String?>(nil)
        URLSession(configuration: Exchange.configuration).downloadTask(with: server.url()) { url, _, _ in
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
    Probe("A14", "generic subclasses of URLProtocol are classes of their own") {
        let first = ScriptedProtocol.configuration
        first.protocolClasses = [Shape<Int>.self]
        let second = ScriptedProtocol.configuration
        second.protocolClasses = [Shape<[Int]>.self]
        let texts = try [first, second].map { try Exchange.ending(URLRequest(url: mocked), $0).text }
        return .when(texts == ["Shape<Int>", "Shape<Array<Int>>"], texts.joined(separator: ", "))
    },
    Probe("A15", "canInit(with: task) and canonicalRequest are never called") {
        ScriptedProtocol.script = { $0.answer("ok") }
        _ = try Exchange.ending(URLRequest(url: mocked), ScriptedProtocol.configuration)
        let calls = (ScriptedProtocol.canInitTasks.current, ScriptedProtocol.canonicals.current)
        return .when(calls == (0, 0), "\(calls.0) and \(calls.1) calls")
    },
    Probe("A15", "canInit runs on the caller's thread") {
        ScriptedProtocol.script = { $0.answer("ok") }
        Thread.current.name = "caller"
        _ = try Exchange.ending(URLRequest(url: mocked), ScriptedProtocol.configuration)
        let names = ScriptedProtocol.inits.current
        return .when(names.first == "caller", "\(names)")
    },
]

private final class Held: @unchecked Sendable {
    // SAFETY: handed to one other thread, which is the race that the probe looks for.
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
private final class Answering: NSObject, URLSessionTaskDelegate, Sendable {
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
