import Foundation
import FoundationNetworking

/// "hello hello", compressed with gzip.
private let zipped = Data(base64Encoded: "H4sIAAAAAAACA8tIzcnJV8gAkQBApi0BCwAAAA==") ?? Data()

private func reply(_ headers: String, _ body: Data) throws -> RawServer {
    try RawServer.serving { connection in
        connection.readRequest()
        connection.send("HTTP/1.1 200 OK\r\n\(headers)\r\n\r\n")
        connection.send(body)
    }
}

/// Returns the lowercased head of a streamed POST and its duration in seconds.
private func streamed(task: @escaping (URLSession, URLRequest) -> URLSessionTask) throws -> (String, Double) {
    let server = try RawServer.serving { connection in
        connection.readRequest()
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    }
    var request = URLRequest(url: server.url())
    request.httpMethod = "POST"
    let start = Date()
    guard ProbeRequest.run(request, task: task) != nil else {
        throw Inconclusive(reason: "the task did not end")
    }
    return (server.requests.first?.lowercased() ?? "", -start.timeIntervalSinceNow)
}

/// Facts B: bodies and uploads.
let bodyFacts: [Probe] = [
    Probe("B Bodies", "gzip is decoded, but Content-Length and Content-Encoding are unchanged") {
        let received = try ProbeRequest.ending(
            try reply("Content-Encoding: gzip\r\nContent-Length: \(zipped.count)", zipped).url())
        return .when(
            received.text == "hello hello" && received.header("Content-Encoding") == "gzip"
                && received.header("Content-Length") == "\(zipped.count)", received.text)
    },
    Probe("B Bodies", "deflate, gzip, br and zstd are requested") {
        let server = try RawServer.keepAlive("ok")
        _ = try ProbeRequest.ending(server.url())
        let line =
            server.requests.first?.split(whereSeparator: \.isNewline)
            .first { $0.lowercased().hasPrefix("accept-encoding") } ?? "none"
        return .when(["deflate", "gzip", "br", "zstd"].allSatisfy(line.contains), String(line))
    },
    Probe("B Bodies", "truncated gzip is delivered as success") {
        let cut = zipped.prefix(zipped.count - 9)
        let received = try ProbeRequest.ending(
            try reply("Content-Encoding: gzip\r\nContent-Length: \(cut.count)", cut).url())
        return .when(
            received.error == nil,
            received.error.map { "error \($0.code.rawValue)" } ?? "body: \(received.text)")
    },
    Probe("B Bodies", "a body shorter than its Content-Length is -1, after its bytes were delivered") {
        let received = try ProbeRequest.ending(try reply("Content-Length: 100", Data("part".utf8)).url())
        return .when(
            received.error?.code.rawValue == -1 && received.text == "part",
            "error \(received.error?.code.rawValue ?? 0)")
    },
    Probe("B Bodies", "a chunked body without its last chunk is -1") {
        let received = try ProbeRequest.ending(
            try reply("Transfer-Encoding: chunked", Data("4\r\npart\r\n".utf8)).url())
        return .when(received.error?.code.rawValue == -1, "error \(received.error?.code.rawValue ?? 0)")
    },
    Probe("B Bodies", "a body that ends with the connection is a success") {
        let received = try ProbeRequest.ending(try reply("Content-Type: text/plain", Data("part".utf8)).url())
        return .when(received.error == nil && received.text == "part")
    },
    Probe("B Uploads", "GET with a body fails with -1103") {
        let server = try RawServer.keepAlive("ok")
        var request = URLRequest(url: server.url())
        request.httpBody = Data("body".utf8)
        let seen = try ProbeRequest.ending(request).error?.code.rawValue ?? 0
        return .when(seen == -1103, "error \(seen)")
    },
    Probe("A11", "httpBodyStream with a Content-Length sends that and Transfer-Encoding: chunked") {
        let server = try RawServer.serving { connection in
            connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        }
        var request = URLRequest(url: server.url())
        request.httpMethod = "POST"
        request.httpBodyStream = InputStream(data: Data("body".utf8))
        request.setValue("4", forHTTPHeaderField: "Content-Length")
        _ = ProbeRequest.run(request, within: 4)
        let seen = server.requests.first?.lowercased() ?? ""
        return .when(
            seen.contains("content-length: 4") && seen.contains("transfer-encoding: chunked"),
            seen.split(whereSeparator: \.isNewline).filter {
                $0.contains("length") || $0.contains("transfer")
            }.joined(separator: "; "))
    },
    Probe("B Uploads", "a streamed upload task sends Expect: 100-continue and waits a second") {
        let (head, waited) = try streamed { $0.uploadTask(withStreamedRequest: $1) }
        return .when(head.contains("expect: 100-continue") && waited > 0.8, String(format: "%.1f s", waited))
    },
    Probe("B Uploads", "… while a data task with httpBodyStream does not") {
        let (head, waited) = try streamed { session, request in
            var request = request
            request.httpBodyStream = InputStream(data: Data("body".utf8))
            return session.dataTask(with: request)
        }
        return .when(!head.contains("expect: 100-continue") && waited < 0.8, String(format: "%.1f s", waited))
    },
]

/// Facts B: URLs and JSONDecoder.
let restFacts: [Probe] = [
    Probe("B URLs", "http://[::1]/ fails with -1000") {
        guard let url = URL(string: "http://[::1]:1/") else { return .unknown("no URL") }
        let seen = try ProbeRequest.ending(url).error?.code.rawValue ?? 0
        return .when(seen == -1000, "error \(seen)")
    },
    Probe("B URLs", "HTTP:// fails with -1002") {
        let server = try RawServer.keepAlive("ok")
        guard let url = URL(string: "HTTP://127.0.0.1:\(server.port)/") else { return .unknown("no URL") }
        let seen = try ProbeRequest.ending(url).error?.code.rawValue ?? 0
        return .when(seen == -1002, "error \(seen)")
    },
    Probe("B URLs", "data: URLs succeed without an HTTPURLResponse") {
        guard let url = URL(string: "data:text/plain,hi") else { return .unknown("no URL") }
        guard let received = ProbeRequest.run(url, within: 4) else { return .unknown("the task did not end") }
        return .when(
            received.error == nil && received.responses.isEmpty, "error \(received.error?.code.rawValue ?? 0)"
        )
    },
    Probe("B URLs", "one invalid character makes URL(string:) encode the whole string again") {
        let seen = URL(string: "http://h/a%20b c")?.absoluteString ?? "nil"
        return .when(seen.contains("%2520"), seen)
    },
    Probe("B URLs", "queryItems does not encode +") {
        var components = URLComponents(string: "http://h/")
        components?.queryItems = [URLQueryItem(name: "q", value: "a+b")]
        let seen = components?.string ?? "nil"
        return .when(seen.hasSuffix("?q=a+b"), seen)
    },
    Probe("B JSONDecoder", "accepts trailing commas") {
        .when((try? JSONDecoder().decode([Int].self, from: Data("[1,2,]".utf8))) == [1, 2])
    },
    Probe("B JSONDecoder", "takes the first of duplicate keys") {
        let seen = try JSONDecoder().decode([String: Int].self, from: Data(#"{"a":1,"a":2}"#.utf8))
        return .when(seen["a"] == 1, "\(seen["a"] ?? 0)")
    },
    Probe("B JSONDecoder", "reads UTF-16") {
        let data = "[1]".data(using: .utf16) ?? Data()
        return .when((try? JSONDecoder().decode([Int].self, from: data)) == [1])
    },
    Probe("B JSONDecoder", "stops at about 500 levels", trap: .present) {
        struct Anything: Decodable { init(from decoder: any Decoder) throws {} }
        func accepts(_ levels: Int) -> Bool {
            let text = String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
            return (try? JSONDecoder().decode(Anything.self, from: Data(text.utf8))) != nil
        }
        return .when(accepts(400) && !accepts(600), "400: \(accepts(400)), 600: \(accepts(600))")
    },
]
