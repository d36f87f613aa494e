import Foundation
import RESTClient
import RESTClientTestingSupport
import Testing

@testable import items

@Suite struct InputTests {
    private func input(_ operand: String, files: Set<String> = []) throws -> Input {
        var options = Options()
        options.input = operand
        return try Input(options) { files.contains($0) }
    }

    @Test func `the input is a URL, a file, standard input or a demo`() throws {
        #expect(try input("http://host/items") == .url(URLArgument("http://host/items")))
        #expect(try input("items.json", files: ["items.json"]) == .file("items.json"))
        #expect(try input("-") == .file("-"))
        let demo = try Input(OptionParser.parse(["--demo=html"])) { _ in false }
        #expect(try demo == .demo(Scenario(named: "html")))
    }

    @Test(arguments: ["HTTP://host/", "hTTps://host", "http://host/a:b://c"])
    func `the scheme of a URL is case-insensitive`(operand: String) throws {
        guard case .url(let argument) = try input(operand) else {
            Issue.record("\(operand) is a URL")
            return
        }
        #expect(argument.url.absoluteString.lowercased() == operand.lowercased())
    }

    @Test(arguments: [
        ("example.com/items", "https://example.com/items"), ("host:80/x", "http://host:80/x"),
        ("localhost", "http://localhost"), ("127.0.0.1:8000", "http://127.0.0.1:8000"),
        ("http:/host/x", "http://host/x"), ("https:host/x", "https://host/x"),
        ("api.example.com?q=1", "https://api.example.com?q=1"), (" http://host/x\n", "http://host/x"),
        ("'http://host/x'", "http://host/x"), ("“https://host/x”", "https://host/x"),
        ("u:p@host.example", "-u USER https://host.example"),
    ])
    func `a URL without a scheme is rejected with a suggestion`(operand: String, meant: String) throws {
        let error = try #require(throws: CommandError.self) { try input(operand) }
        #expect(error.hint == "for a URL, write \(meant)")
        #expect(try input(operand, files: [operand]) == .file(operand))
    }

    @Test(arguments: ["items.json", "data/items.json", "./a.b/c", "../x", "/tmp/x", "a:b", "file"])
    func `an operand that does not look like a URL is a file`(operand: String) throws {
        #expect(try input(operand) == .file(operand))
    }

    @Test(arguments: ["ftp://host/", "file:///etc/passwd", "data://x", "javascript://x"])
    func `other URL schemes are rejected`(operand: String) throws {
        let error = try #require(throws: CommandError.self) { try input(operand) }
        #expect(error.message.hasPrefix("unsupported URL scheme "))
    }

    @Test(arguments: [
        "u:secret@host/x", "u:secret@host/a//b", "http:/u:secret@host/", "u:sec/secret@host.example/x",
        "host:80/?token=secret",
    ])
    func `secrets in an invalid input are not shown`(operand: String) async throws {
        let outcome = try await Outcome.of(operand)
        #expect(outcome.code == .usage || outcome.code == .noInput)
        #expect(!outcome.messages.contains("secret"), "\(outcome.messages)")
    }
}

@Suite struct FileInputTests {
    /// Returns the layout of `text`, which is read in chunks of `size` bytes, and the number of bytes it was detected by.
    private func layout(
        _ text: String, size: Int, list: ListPath = .automatic
    ) async throws -> (layout: ListScanner.Layout, count: Int) {
        let file = try TemporaryFile(text)
        var input = FileInput(descriptor: file.descriptor, maxChunkBytes: size)
        let layout = try await input.layout(of: list, before: nil)
        let count = Int(try file.handle.offset())
        var read: [UInt8] = []
        try await input.read { piece in read += piece.withUnsafeBytes { Array($0) } }
        #expect(read == Array(text.utf8))
        withExtendedLifetime(file) {}
        return (layout, count)
    }

    @Test(arguments: [
        "{\"a\":1}\n{\"b\":2}\n", "{\"a\":1} {\"b\":2}\n", "{\"a\":1}{\"b\":2}", "[1]\n[2]\n", "1\n2",
        "\"a\"\r\n \r\nnull", "\u{1E}1\n",
        "\u{FEFF}{\"a\": [1]}\n2\n", "\u{FEFF}\u{1E}1\n", "{\n\"items\": 1\n}\n{\n\"items\": 2\n}\n",
    ])
    func `a sequence is detected in chunks of any size`(text: String) async throws {
        for size in [1, 2, 3, 7, .max] { #expect(try await layout(text, size: size).layout == .sequence) }
    }

    @Test(arguments: [
        "", "{\"a\":1}\n", "[1, 2]\n", "{\"a\":1} 2\n", "<html>\n{}", "[1]\n]",
        "{\"items\": []}\n{\"items\": []}\n", "{\"items\": [1]}\n{}\n", "\u{FEFF}{\"items\": [\"a\"]}\n2\n",
    ])
    func `a document is detected in chunks of any size`(text: String) async throws {
        for size in [1, 2, 3, 7, .max] {
            #expect(try await layout(text, size: size).layout == .pathOrDocument)
        }
    }

    @Test(arguments: [4_096, 65_536])
    func `a first line longer than a chunk is read to its end`(size: Int) async throws {
        let text = "{\"a\": \"\(String(repeating: "x", count: 100_000))\"}\n2\n"
        #expect(try await layout(text, size: size).layout == .sequence)
    }

    @Test func `a document is detected when its list begins`() async throws {
        let start = #"{"n": 1, "items": ["#
        let found = try await layout(start + "1, 2", size: 1)
        #expect(found.layout == .pathOrDocument)
        #expect(found.count == start.utf8.count)
    }

    @Test func `a given format is not detected`() async throws {
        let document = try await layout("[1]\n[2]\n", size: 1, list: ListPath("."))
        #expect(document.layout == .path)
        #expect(document.count == 1)
        let sequence = try await layout("[1]\n", size: 1, list: .sequence)
        #expect(sequence.layout == .sequence)
        #expect(sequence.count == 1)
    }
}

@Suite struct HeaderFieldTests {
    @Test(arguments: [
        ("A: b", "A", "b"), ("A:b", "A", "b"), ("A:  b\t", "A", "b"), ("A: b: c", "A", "b: c"),
        ("A;", "A", ""), ("A: é", "A", "é"), ("A: b;c", "A", "b;c"), ("A: a\tb", "A", "a\tb"),
    ])
    func `a header field is split at the first colon`(text: String, name: String, value: String) throws {
        let field = try #require(try HTTPHeaders(arguments: [text]).first)
        #expect(field.name.rawValue == name)
        #expect(field.value == value)
    }

    @Test(arguments: [
        "", "A", "A:", "A: ", ": b", ";", "A; b", "A b: c", "A\n: b", "A: b\r\nX: c", "A: secret\r",
        "A: secret\0", "A: secret\u{7F}", "secret",
    ])
    func `an invalid header is rejected without showing its value`(text: String) throws {
        let error = try #require(throws: CommandError.self) { try HTTPHeaders(arguments: [text]) }
        #expect(!error.message.contains("secret"))
    }

    @Test func `a header file has one field per line`() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "items-\(UUID()).txt")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("A: 1\r\n\nB: 2\nA: 3".utf8).write(to: file)

        let fields = try HTTPHeaders(arguments: ["@\(file.path)"])

        #expect(fields.map { "\($0.name)=\($0.value)" } == ["A=1", "B=2", "A=3"])
    }

    @Test func `a missing header file ends with 66`() throws {
        let error = try #require(throws: CommandError.self) { try HTTPHeaders(arguments: ["@/no/such/file"]) }
        #expect(error.code == .noInput)
    }
}

@Suite struct URLArgumentTests {
    @Test(arguments: [
        ("http://host", "http://host"), ("http://host:8080/a?b=c#d", "http://host:8080/a?b=c#d"),
        ("http://host/é", "http://host/%C3%A9"),
        ("http://host/%C3%A9?q=%20é", "http://host/%C3%A9?q=%20%C3%A9"),
        ("http://host/?a[b]=c|d", "http://host/?a%5Bb%5D=c%7Cd"), ("http://host/100%", "http://host/100%25"),
        ("http://host/%zz", "http://host/%25zz"), ("http://host?a=b@c", "http://host?a=b@c"),
        ("http://münchen.example/", "http://xn--mnchen-3ya.example/"), ("HTTP://Host/A", "http://Host/A"),
        ("http://host/a+b", "http://host/a+b"), ("http://host/\"<>", "http://host/%22%3C%3E"),
    ])
    func `invalid characters of a URL are percent-encoded`(text: String, url: String) throws {
        #expect(try URLArgument(text).url.absoluteString == url)
    }

    @Test(arguments: [
        ("http://u:p@host/", "u", "p"), ("http://u@host/", "u", ""), ("http://:p@host/", "", "p"),
        ("http://u:a%40b%3A@host/", "u", "a@b:"), ("http://u:a@b@host/", "u", "a@b"),
        ("http://u:a:b@host/", "u", "a:b"),
    ])
    func `user info is removed from the URL`(text: String, name: String, password: String) throws {
        let argument = try URLArgument(text)
        #expect(argument.url.absoluteString == "http://host/")
        #expect(argument.user == User(name: name, password: password))
    }

    @Test(arguments: [
        ("http://", "no host"), ("HTTP://", "no host"), ("http:///x", "no host"), ("http://:80/", "no host"),
        ("http://u:secret@/x", "no host"), ("http://host:99999/", "invalid port 99999"),
        ("http://host:0/", "invalid port 0"),
        ("http://host:x/", "not a valid URL"), ("http://host/a b", "a space"),
        ("http://ho st/", "a space"), ("http://host/\0", "a control or invisible character"),
        ("http://u:secret\\x@host/", "not a valid URL"), ("http://u:secret@\u{301}host/", "not a valid URL"),
        ("http://host/\u{202E}", "a control or invisible character"),
        ("http://host/\n", "a control or invisible character"),
    ])
    func `an invalid URL is rejected with the reason`(text: String, reason: String) throws {
        let error = try #require(throws: CommandError.self) { try URLArgument(text) }
        #expect(error.message.contains(reason), "\(error.message)")
        #expect(!error.message.contains("secret"))
    }

    @Test func `a URL of a megabyte is rejected`() {
        #expect(throws: CommandError.usage("the URL is longer than 65,536 bytes")) {
            try URLArgument("http://host/\(String(repeating: "a", count: 1 << 20))")
        }
    }

    @Test(arguments: [
        ("http://host/", "a=b", "http://host/?a=b"), ("http://host/?x", "a=b", "http://host/?x&a=b"),
        ("http://host/", "a=#1&b=2", "http://host/?a=%231&b=2"),
        ("http://host/", "a=#\u{301}", "http://host/?a=%23%CC%81"),
        ("http://host/?x#part", "a=#&b=##", "http://host/?x&a=%23&b=%23%23#part"),
    ])
    func `data is added to the query, before the fragment`(text: String, query: String, url: String) throws {
        #expect(try URLArgument(text).adding(query: query).url.absoluteString == url)
    }
}
