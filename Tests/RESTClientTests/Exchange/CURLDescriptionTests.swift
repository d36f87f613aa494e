import Foundation
import RESTClient
import Testing

@Suite struct CURLDescriptionTests {
    private let manager = SessionManager()

    private func curl(
        _ method: HTTPMethod = .get, _ url: String = "http://h/items", headers: HTTPHeaders = [:],
        body: RequestBody? = nil
    ) throws -> String {
        let url = try #require(URL(string: url))
        return manager.request(url, method: method, headers: headers, body: body).cURLDescription
    }

    @Test func `a GET has only its URL`() throws {
        #expect(try curl() == "curl 'http://h/items'")
        #expect(try curl(.get, "http://h/a?q=it's&page=2") == #"curl 'http://h/a?q=it'\''s&page=2'"#)
    }

    @Test func `other methods have an option`() throws {
        #expect(try curl(.head) == "curl --head 'http://h/items'")
        #expect(try curl(.post) == "curl -X POST 'http://h/items'")
        #expect(try curl("M-SEARCH") == "curl -X M-SEARCH 'http://h/items'")
        #expect(try curl("it's") == #"curl -X 'it'\''s' 'http://h/items'"#)
    }

    @Test func `headers are sorted and quoted, and empty ones are kept`() throws {
        #expect(
            try curl(headers: ["X-B": "it's $HOME `x`", "X-A": ""])
                == #"curl -H 'X-A;' -H 'X-B: it'\''s $HOME `x`' 'http://h/items'"#)
    }

    @Test func `brackets in a URL add --globoff`() throws {
        let url = try curl(.get, "http://h/a?filter[x]=1")
        #expect(url.contains("--globoff") == url.contains("["))
    }

    @Test(arguments: [
        (
            RequestBody.json(["id": 7, "name": "it's"] as JSONLiteral), "application/json",
            #"'{"id":7,"name":"it'\''s"}'"#
        ),
        (.form(["q": "a b", "x": "&"]), "application/x-www-form-urlencoded", "'q=a%20b&x=%26'"),
        (.data(Data("@two\nlines".utf8), type: "text/plain"), "text/plain", "'@two\nlines'"),
        (.data(Data(), type: "text/plain"), "text/plain", "''"),
    ])
    func `a text body is included`(body: RequestBody, type: String, data: String) throws {
        #expect(
            try curl(.post, body: body)
                == "curl -X POST -H 'Content-Type: \(type)' --data-raw \(data) 'http://h/items'")
    }

    @Test(arguments: [
        RequestBody.data(Data([0xFF, 0xFE])), .data(Data("a\u{0}b".utf8)), .data(Data("a\u{1B}[2Jb".utf8)),
        .data(Data(repeating: 0x61, count: 65_537)), .json(Double.nan), .multipart(.init("a", "b")),
        .stream { AsyncStream<Data> { $0.finish() } },
    ])
    func `other bodies are read from the standard input`(body: RequestBody) throws {
        let words = try curl(.post, body: body)
        #expect(words.contains(" --data-binary @- 'http"))
    }

    @Test func `a file body is read from its path`() throws {
        let words = try curl(.put, body: .file(URL(filePath: "/tmp/it's here")))
        #expect(words.contains(#" --data-binary '@/tmp/it'\''s here' "#))
    }

    @Test func `the body of a URLRequest is included`() throws {
        var request = URLRequest(url: try #require(URL(string: "http://h/items")))
        request.httpMethod = "POST"
        request.httpBody = Data("tea".utf8)
        #expect(manager.request(request).cURLDescription == "curl -X POST --data-raw tea 'http://h/items'")
        request.httpBodyStream = InputStream(data: Data("tea".utf8))
        #expect(manager.request(request).cURLDescription == "curl -X POST --data-binary @- 'http://h/items'")
    }

    @Test func `secrets in bodies are masked`() throws {
        #expect(
            try curl(.post, body: .form(["user": "u", "password": "hidden"])).contains(
                "--data-raw 'user=u&password=***'"))
        #expect(
            try curl(.post, body: .json(["client_secret": "hidden", "a": 1] as JSONLiteral)).contains(
                #"--data-raw '{"client_secret":"***","a":1}'"#))
    }

    @Test func `the command contains no control characters`() throws {
        let request = manager.request(
            "http://h/items", method: "GE\u{1B}[2JT", headers: ["X-A": "\u{1B}]0;x\u{7}\nb\u{202E}"],
            body: .file(URL(filePath: "/tmp/a\u{1B}\nb")))
        #expect(!request.cURLDescription.unicodeScalars.contains(where: TerminalEscaping.isUnsafe))
    }

    /// Runs the command line in a shell, with a program that prints each argument. One at a time, because Foundation's Process can
    /// trap when several run concurrently.
    @Test(
        .serialized,
        arguments: [
            "plain", "it's", "''", "$HOME `id` $(id)", "a\\b\\", "\"quoted\"", "*?[a]{b}~!#&|;<>()",
            "new\nline",
            " spaces  ", "-rf", "ü 😀", "'\\''", "%s\\n", "'\u{301}; echo $HOME '\u{200D}", "\r\n'\r\n",
            "\u{FE0F}'",
        ])
    func `a shell parses the quoted words correctly`(text: String) throws {
        let words = try curl(.post, headers: [:], body: .data(Data(text.utf8), type: "text/plain"))
        let (shell, output) = (Process(), Pipe())
        shell.executableURL = URL(filePath: "/bin/sh")
        shell.arguments = ["-c", words.replacing("curl ", with: "printf '%s\\0' ", maxReplacements: 1)]
        shell.standardOutput = output
        try shell.run()
        let printed = output.fileHandleForReading.readDataToEndOfFile()
        shell.waitUntilExit()
        #expect(shell.terminationStatus == 0)
        let arguments = String(decoding: printed, as: UTF8.self).split(
            separator: "\0", omittingEmptySubsequences: false)
        #expect(
            arguments == [
                "-X", "POST", "-H", "Content-Type: text/plain", "--data-raw", text[...], "http://h/items", "",
            ])
    }
}
