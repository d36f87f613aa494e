import Foundation
import RESTClientHTTP
import Testing

@testable import MockTransport

/// Archives that eight programs write, each with one exchange.
@Suite struct ArchiveImportTests {
    static let cases = ArchiveProgram.allCases.flatMap { program in program.exchanges.map { (program, $0) } }

    @Test func `there are at least 60 archives`() { #expect(Self.cases.count >= 60) }

    @Test(arguments: cases)
    func `an archive of another program replays its exchange`(
        program: ArchiveProgram, exchange: SampleExchange
    ) async throws {
        let archive = try HAR(parsing: program.archive([exchange]))
        #expect(archive.problems == [])
        let server = MockServer { archive.routes() }
        let request = try exchange.request()
        switch exchange {
        case .failed:
            let error = await #expect(throws: URLError.self) { try await server.data(request) }
            let isKnown = [.playwright, .chrome].contains(program)
            #expect(error?.code == (isKnown ? .cannotFindHost : .unknown))
            #expect(error?.localizedDescription == Self.reason(program))
        case .bodyMissing:
            let error = await #expect(throws: MockServerError.self) { try await server.data(request) }
            let reason =
                program == .firefox ? "Response bodies are not included." : "the body was not recorded"
            #expect(
                error?.description == """
                    the recorded response to GET https://shop.example/bodyMissing?q=a%20b&page=2 cannot be replayed: \
                    \(reason)
                    """)
        default:
            let (body, response) = try await server.data(request)
            #expect(response.statusCode == exchange.status)
            #expect(body == exchange.body)
            #expect(response.value(forHTTPHeaderField: "Content-Encoding") == nil)
            let length = response.value(forHTTPHeaderField: "Content-Length")
            #expect(length == (exchange == .head ? "5120" : exchange.length))
            if exchange == .cookies {
                #expect(response.value(forHTTPHeaderField: "Set-Cookie") == "a=1; path=/, b=2; path=/")
            }
            if exchange == .redirect {
                #expect(response.value(forHTTPHeaderField: "Location") == "https://shop.example/new")
            }
        }
    }

    private static func reason(_ program: ArchiveProgram) -> String {
        switch program {
        case .playwright, .chrome: "net::ERR_NAME_NOT_RESOLVED"
        case .safari: "A server with the specified hostname could not be found."
        case .charles: "Unknown host shop.example"
        case .mitmproxy: "Name or service not known"
        case .firefox, .insomnia, .k6: "no response was recorded"
        }
    }

    @Test(arguments: ArchiveProgram.allCases)
    func `an archive of another program is written and read without changes`(program: ArchiveProgram) throws {
        let archive = try HAR(parsing: program.archive(program.exchanges))
        #expect(archive.entries.count == program.exchanges.count)
        let once = try HAR(parsing: archive.data(times: .recorded))
        #expect(try HAR(parsing: once.data(times: .recorded)) == once)
        #expect(try once.data() == archive.data())
        #expect(once.entries.map(\.response.failure?.text) == archive.entries.map(\.response.failure?.text))
        #expect(once.entries.map(\.response.body) == archive.entries.map(\.response.body))
    }

    @Test(arguments: ArchiveProgram.allCases)
    func `invalid entries do not affect the others`(program: ArchiveProgram) async throws {
        let others: [JSONLiteral] = [
            "no entry", [:], ["request": ["method": "GET", "url": ""], "response": ["status": 200]],
            ["request": ["method": "G T", "url": "http://a/"], "response": ["status": 200]],
            ["request": ["method": "GET", "url": "https://shop.example/odd"], "response": ["status": "OK"]],
        ]
        let archive = try HAR(parsing: program.archive([.json], after: others))
        #expect(
            archive.problems.map(\.description) == [
                "the archive: log.entries[0] is a string, not an object",
                "the archive: log.entries[1].request is missing",
                "the archive: log.entries[2].request.url is not a valid URL",
                "the archive: log.entries[3].request.method is not a valid HTTP method",
                "the archive: log.entries[4].response.status is a string, not a whole number",
            ])
        let server = MockServer { archive.routes() }
        let request = try SampleExchange.json.request()
        #expect(try await server.text(request) == SampleExchange.text)
        let error = try await server.refusal(of: "https://shop.example/odd")
        #expect(
            error == """
                the recorded response to GET https://shop.example/odd cannot be replayed: \
                log.entries[4].response.status is a string, not a whole number
                """)
    }
}

extension SampleExchange {
    /// The `Content-Length` of the replay: that of the decoded body.
    fileprivate var length: String? { self == .noContent ? nil : "\(body.count)" }
}

/// Details of single programs.
@Suite struct ArchiveDetailTests {
    private let temporary = TemporaryPath()
    private var folder: URL { temporary.url }

    /// Writes an archive with one GET request to `http://a/` into the folder.
    private func write(response: JSONLiteral, request: [(String, JSONLiteral?)] = []) throws -> URL {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let entry: JSONLiteral = [
            "startedDateTime": "", "response": response,
            "request": .object(
                [("method", request.isEmpty ? "GET" : "POST"), ("url", "http://a/"), ("headers", [])]
                    + request),
        ]
        let file = folder.appending(path: "shop.har")
        try (["log": ["entries": [entry]]] as JSONLiteral).encoded().write(to: file)
        return file
    }

    @Test func `a body in a file beside the archive is read`() async throws {
        let file = try write(response: [
            "status": 200, "headers": [],
            "content": ["size": 3, "mimeType": "text/plain", "_file": "a1.txt"],
        ])
        try Data("tea".utf8).write(to: folder.appending(path: "a1.txt"))
        let server = try MockServer(cassette: file, mode: .never)
        #expect(try await server.text("http://a/") == "tea")
    }

    @Test func `without other files, a body in a file beside the archive is not read`() throws {
        let file = try write(response: [
            "status": 200, "headers": [], "content": ["size": 3, "_file": "a1\u{1B}[2J.txt"],
        ])
        try Data("tea".utf8).write(to: folder.appending(path: "a1\u{1B}[2J.txt"))
        let response = try #require(HAR(contentsOf: file, readsFiles: false).entries.first?.response)
        #expect(response.body.isEmpty)
        #expect(response.failure?.text == #"the body is in the file "a1\u001b[2J.txt", which was not read"#)
    }

    @Test(arguments: [
        "gone.txt", "/etc/hosts", "../outside.txt", "a/../../outside.txt", ".env", ".ssh/key", "a1.link",
        "a1.folder",
    ])
    func `a body in a file that is missing, elsewhere, hidden, a link or a folder fails its request`(
        name: String
    ) async throws {
        let file = try write(response: [
            "status": 200, "headers": [], "content": ["size": 3, "_file": "\(name)"],
        ])
        let target = folder.appending(path: name).standardizedFileURL
        try FileManager.default.createDirectory(
            at: name.hasSuffix(".folder") ? target : target.deletingLastPathComponent(),
            withIntermediateDirectories: true)
        if name.hasSuffix(".link") {
            try FileManager.default.createSymbolicLink(atPath: target.path, withDestinationPath: "/etc/hosts")
        } else if !["gone.txt", "/etc/hosts", "a1.folder"].contains(name) {
            try Data("secret".utf8).write(to: target)
        }
        let server = try MockServer(cassette: file, mode: .never)
        let error = try await server.refusal(of: "http://a/")
        #expect(error.contains("the file \"\(name)\" with the body is missing"))
    }

    @Test func `a request body in a file is compared`() async throws {
        let file = try write(
            response: ["status": 200, "headers": [], "content": ["text": "ok"]],
            request: [("postData", ["mimeType": "text/plain", "text": "", "params": [], "_file": "b2.txt"])])
        try Data("tea".utf8).write(to: folder.appending(path: "b2.txt"))
        let server = try MockServer(cassette: file, mode: .never)
        #expect(try await server.text("http://a/", method: "POST", body: "tea") == "ok")
        await #expect(throws: MockServerError.self) {
            try await server.text("http://a/", method: "POST", body: "milk")
        }
    }

    @Test(
        arguments: [
            // Playwright omits the text of binary request bodies.
            ["mimeType": "application/octet-stream", "text": "", "params": []],
            // The boundary and the files of a multipart form are not recorded.
            ["mimeType": "multipart/form-data", "params": [["name": "photo", "fileName": "tea.jpg"]]],
        ] as [JSONLiteral])
    func `a request body that was not recorded matches any body`(postData: JSONLiteral) async throws {
        let file = try write(
            response: ["status": 200, "headers": [], "content": ["text": "ok"]],
            request: [("postData", postData), ("bodySize", 900)])
        let archive = try HAR(contentsOf: file)
        for archive in [archive, try HAR(parsing: archive.data())] {
            let server = MockServer { archive.routes() }
            #expect(try await server.text("http://a/", method: "POST", body: "anything") == "ok")
        }
    }

    @Test func `an invalid header field is left out and reported`() throws {
        let archive = try HAR(
            contentsOf: write(response: [
                "status": 200, "content": ["text": "ok"],
                "headers": [["name": "a b", "value": "1"], ["name": "C", "value": "2"], ["name": "D"]],
            ]))
        #expect(archive.entries.first?.response.headers == ["C": "2"])
        #expect(
            archive.problems.map(\.description) == [
                "shop.har: log.entries[0].response.headers[0].name is not a valid header name",
                "shop.har: log.entries[0].response.headers[2].value is missing",
            ])
    }

    @Test(arguments: [
        ("net::ERR_CONNECTION_REFUSED", URLError.Code.cannotConnectToHost),
        ("NS_ERROR_UNKNOWN_HOST", .cannotFindHost), ("net::ERR_TIMED_OUT", .timedOut),
        ("net::ERR_INTERNET_DISCONNECTED", .notConnectedToInternet),
        ("net::ERR_CERT_DATE_INVALID", .serverCertificateUntrusted),
        ("net::ERR_CONNECTION_RESET", .networkConnectionLost), ("net::ERR_ABORTED", .unknown),
    ])
    func `the message of a browser gives the code of the error`(
        text: String, code: URLError.Code
    ) async throws {
        let archive = try HAR(contentsOf: write(response: ["status": -1, "_failureText": "\(text)"]))
        let server = MockServer { archive.routes() }
        let error = await #expect(throws: URLError.self) { try await server.text("http://a/") }
        #expect(error?.code == code)
    }

    @Test func `a byte order mark before the archive is ignored`() throws {
        let data = try Data([0xEF, 0xBB, 0xBF]) + ArchiveProgram.charles.archive([.json])
        #expect(try HAR(parsing: data).entries.count == 1)
    }

    @Test func `the error of a zipped archive says so`() {
        let error = #expect(throws: HARError.self) { try HAR(parsing: Data("PK\u{3}\u{4}rest".utf8)) }
        #expect(
            error?.description
                == "the archive: the document is a ZIP file: unpack it, and read the .har file inside")
    }

    @Test(
        arguments: [
            (["text": "", "size": 0], [], true), (["text": "", "size": 5], [], false),
            // An empty body has a length if it is encoded.
            (["text": "", "size": 5], [["name": "Content-Encoding", "value": "gzip"]], true),
        ] as [(JSONLiteral, JSONLiteral, Bool)])
    func `an empty text is the whole body unless the sizes announce another one`(
        content: JSONLiteral, headers: JSONLiteral, isWhole: Bool
    ) throws {
        let file = try write(response: ["status": 200, "headers": headers, "content": content])
        let response = try #require(try HAR(contentsOf: file).entries.first).response
        #expect(response.chunks.isEmpty)
        #expect((response.failure == nil) == isWhole)
    }

    /// The content, the header fields, and the body in the replay, or `nil` if its request fails.
    static let contents: [(content: JSONLiteral, headers: [(String, String)], body: [UInt8]?)] = [
        (["size": 2_000_000, "text": "hello world", "comment": "Response body is truncated"], [], nil),
        (["size": 2_000_000, "text": "hello world"], [], nil),
        (["size": 12, "text": "hello world"], [], nil),
        (["size": -1, "text": "hello world", "comment": "Response bodies are truncated."], [], nil),
        (["size": 9, "encoding": "base64", "text": "dGVh"], [], nil),
        (["size": 12, "mimeType": "text/plain; charset=utf-8", "text": "hello world"], [], nil),
        (["size": 2_000, "text": "tea"], [("Content-Encoding", "gzip"), ("Content-Length", "2000")], nil),
        (["size": 3, "encoding": "rot13", "text": "grn"], [], nil),
        (["size": 3, "encoding": "gzip", "text": "tea"], [], nil),
        (["size": 3, "encoding": "hex", "text": "7465614"], [], nil),
        (["size": 3, "encoding": "base64", "text": "d!Vh"], [], nil),
        (["size": 0, "text": "tea"], [], Array("tea".utf8)),
        (["size": -1, "text": "tea"], [], Array("tea".utf8)),
        (["text": "tea"], [], Array("tea".utf8)), (["size": 2, "text": "tea"], [], Array("tea".utf8)),
        // Characters instead of bytes, the size without a byte order mark, in UTF-16, and of the text in base64.
        (["size": 4, "text": "grün"], [], Array("grün".utf8)),
        (["size": 6, "text": "tea"], [], Array("tea".utf8)),
        (["size": 8, "mimeType": "text/plain; charset=UTF-16", "text": "tea"], [], Array("tea".utf8)),
        (["size": 8, "text": "tea"], [("Content-Type", "text/plain; charset=utf-16le")], Array("tea".utf8)),
        (["size": 4, "encoding": "base64", "text": "dGVh"], [], Array("tea".utf8)),
        // The size of a short body that was compressed.
        (
            ["size": 25, "text": "tea"], [("Content-Encoding", "gzip"), ("Content-Length", "25")],
            Array("tea".utf8)
        ),
        (["size": 25, "compression": -22, "text": "tea"], [], Array("tea".utf8)),
        (["size": 3, "encoding": "UTF-8", "text": "tea"], [], Array("tea".utf8)),
        (["size": 3, "encoding": "hex", "text": "7465FF"], [], [0x74, 0x65, 0xFF]),
        (["size": 3, "_isBinary": true, "text": "7465ff"], [], [0x74, 0x65, 0xFF]),
        (["size": 3, "encoding": "hex", "text": #"["7465","ff"]"#], [], [0x74, 0x65, 0xFF]),
        (
            ["size": 5, "encoding": "base64", "text": #"["dA==","ZWH_-w"]"#], [],
            [0x74, 0x65, 0x61, 0xFF, 0xFB]
        ),
        (["size": 3, "encoding": "base64", "text": "dG\nVh\r\n"], [], Array("tea".utf8)),
    ]

    @Test(arguments: contents.indices)
    func `a body is decoded and complete, or its request fails and says why`(index: Int) async throws {
        let (content, headers, expected) = Self.contents[index]
        let archive = try HAR(
            contentsOf: write(response: ["status": 200, "headers": .list(headers), "content": content]))
        for archive in [archive, try HAR(parsing: archive.data())] {
            let server = MockServer { archive.routes() }
            if let expected {
                #expect(try await server.data("http://a/").0 == Data(expected))
            } else {
                let text = try await server.refusal(of: "http://a/")
                #expect(text.hasPrefix("the recorded response to GET http://a/ cannot be replayed: "))
                #expect(
                    ["Record it again", "in base64", "is not "].contains { text.contains($0) }, "\(text)")
            }
        }
    }

    @Test
    func `the error of a body that was cut, or has an unknown encoding, says what to do`() async throws {
        let texts = try [["size": 20, "text": "tea"], ["encoding": "rot13", "text": "grn"]].map {
            try HAR(contentsOf: write(response: ["status": 200, "headers": [], "content": $0])).entries[0]
                .response
                .failure?.text
        }
        #expect(
            texts == [
                """
                the archive has only 3 of 20 bytes of the body, which was cut when it was recorded. Record it again \
                without a limit for bodies or, if the body is complete, correct the size and the comment of its content \
                in the archive
                """,
                """
                log.entries[0].response.content.encoding is "rot13", which is not a known encoding: write the text in \
                base64, or remove the name of the encoding if the text is the body itself
                """,
            ])
    }

    @Test func `a body that was not recorded receives 500 with the reason on a socket`() async throws {
        let archive = try HAR(parsing: ArchiveProgram.chrome.archive([.bodyMissing]))
        let loopback = try await MockServer(har: archive).listen()
        let (text, status) = try await loopback.reply(to: "bodyMissing?q=a%20b&page=2")
        #expect(status == 500)
        #expect(text.contains("the body was not recorded"))
    }
}
