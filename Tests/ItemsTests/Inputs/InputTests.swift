import Foundation
import Testing

@testable import items

@Suite struct InputTests {
    private func input(_ operand: String, files: Set<String> = []) throws -> Input {
        var options = Options()
        options.input = operand
        return try Input(options) { files.contains($0) }
    }

    @Test func `it is a URL, a file, the standard input or a demo`() throws {
        #expect(try input("http://host/items") == .url(URLArgument("http://host/items")))
        #expect(try input("items.json", files: ["items.json"]) == .file("items.json"))
        #expect(try input("-") == .standardInput)
        #expect(try Input(OptionParser.parse(["--demo=html"])) { _ in false } == .demo(.html))
    }

    @Test(arguments: ["HTTP://host/", "hTTps://host", "http://host/a:b://c"])
    func `a scheme is known in any case`(operand: String) throws {
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
        ("api.example.com?q=1", "https://api.example.com?q=1"),
    ])
    func `a URL without its scheme is understood, not guessed`(operand: String, meant: String) throws {
        let error = try #require(throws: UsageError.self) { try input(operand) }
        #expect(error.hint == "a URL starts with its scheme: \(meant)")
        #expect(try input(operand, files: [operand]) == .file(operand))
    }

    @Test(arguments: ["items.json", "data/items.json", "./a.b/c", "../x", "/tmp/x", "a:b", "file"])
    func `what looks like no URL is a file, there or not`(operand: String) throws {
        #expect(try input(operand) == .file(operand))
    }

    @Test(arguments: ["ftp://host/", "file:///etc/passwd", "data://x", "javascript://x"])
    func `other schemes are refused`(operand: String) throws {
        let error = try #require(throws: UsageError.self) { try input(operand) }
        #expect(error.message.hasPrefix("items speaks http and https, not "))
    }

    @Test func `nothing, and an empty input, are refused`() {
        #expect(throws: UsageError.self) { try Input(Options()) { _ in true } }
        #expect(throws: UsageError.self) { try input("") }
    }

    @Test(arguments: [
        "u:secret@host/x", "u:secret@host/a//b", "http:/u:secret@host/", "u:sec/secret@host.example/x",
        "host:80/?token=secret",
    ])
    func `secrets in it are not shown`(operand: String) async throws {
        let outcome = try await Outcome.of(operand)
        #expect(outcome.code == .usage || outcome.code == .noInput)
        #expect(!outcome.messages.contains("secret"), "\(outcome.messages)")
    }
}
