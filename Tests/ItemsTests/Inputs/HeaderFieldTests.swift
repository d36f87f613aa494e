import Foundation
import Testing

@testable import items

@Suite struct HeaderFieldTests {
    @Test(arguments: [
        ("A: b", "A", "b"), ("A:b", "A", "b"), ("A:  b\t", "A", "b"), ("A: b: c", "A", "b: c"),
        ("A;", "A", ""),
        ("A: é", "A", "é"), ("A: b;c", "A", "b;c"), ("A: a\tb", "A", "a\tb"),
    ])
    func `it has a name and a value`(text: String, name: String, value: String) throws {
        let field = try #require(try HeaderField.fields(text).first)
        #expect(field.name == name)
        #expect(field.value == value)
    }

    @Test(arguments: [
        "", "A", "A:", "A: ", ": b", ";", "A; b", "A b: c", "A\n: b", "A: b\r\nX: c", "A: secret\r",
        "A: secret\0",
        "A: secret\u{7F}", "secret",
    ])
    func `one that would be cut, split or lost is refused, its value unseen`(text: String) throws {
        let error = try #require(throws: UsageError.self) { try HeaderField.fields(text) }
        #expect(!error.message.contains("secret"))
    }

    @Test func `a file has one in each line`() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "items-\(UUID()).txt")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("A: 1\r\n\nB: 2\nA: 3".utf8).write(to: file)

        let fields = try HeaderField.fields("@\(file.path)")

        #expect(fields.map { "\($0.name)=\($0.value)" } == ["A=1", "B=2", "A=3"])
    }

    @Test func `a file that is not there is an input that is not there`() throws {
        let error = try #require(throws: Complaint.self) { try HeaderField.fields("@/no/such/file") }
        #expect(error.code == .noInput)
    }
}
