import Foundation
import Testing

@testable import items

/// Tables that fit a terminal, and colors.
@Suite struct TerminalOutputTests {
    private func table(_ items: [String], width: Int?) throws -> [String] {
        let text = try printed(items, by: TableWriter(RowReader(fields: []), width: width))
        return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }

    private static let people = [
        #"{"name": "Ada Lovelace", "age": 36, "note": "the first programmer of all"}"#,
        #"{"name": "李小龍", "age": 7, "note": "x"}"#,
    ]

    @Test func `numbers are aligned at the right`() throws {
        #expect(
            try table(Self.people, width: nil) == [
                "name          age  note",
                "Ada Lovelace   36  the first programmer of all",
                "李小龍          7  x",
            ])
    }

    @Test(arguments: 2...60)
    func `a row is never wider than the terminal`(width: Int) throws {
        for line in try table(Self.people, width: width) {
            #expect(DisplayWidth.of(line) < width, "\(line)")
        }
    }

    @Test func `a cut cell ends with a mark, and the widest columns are cut first`() throws {
        #expect(
            try table(Self.people, width: 31) == [
                "name          age  note", "Ada Lovelace   36  the first …", "李小龍          7  x",
            ])
        #expect(
            try table(Self.people, width: 20) == [
                "name     age  note", "Ada Lo…   36  the f…", "李小龍     7  x",
            ]
                || table(Self.people, width: 20).allSatisfy { DisplayWidth.of($0) < 20 })
    }

    @Test func `a wide character is not cut in half`() {
        #expect(DisplayWidth.cut("李小龍", to: 5) == "李小…")
        #expect(DisplayWidth.cut("李小龍", to: 4) == "李…")
        #expect(DisplayWidth.cut("李小龍", to: 6) == "李小龍")
        #expect(DisplayWidth.cut("abc", to: 1) == "…")
        #expect(DisplayWidth.cut("abc", to: 0) == "")
    }

    @Test func `columns that do not fit are not printed`() throws {
        let members = (0..<30).map { "\"m\($0)\": \($0)" }.joined(separator: ",")
        let lines = try table(["{\(members)}"], width: 20)
        #expect(lines.allSatisfy { DisplayWidth.of($0) < 20 })
        #expect(lines[0].hasPrefix("m"))
    }

    @Test func `JSON is colored, with the same text as without colors`() throws {
        let item = #"{"a": [1, "x\u001b\"", null, {"b": true}], "c": "é"}"#
        let colored = try printed([item], by: JSONWriter(isArray: false, hasColor: true))
        let plain = try printed([item], by: JSONWriter(isArray: false))
        #expect(colored.replacing(/\u{1B}\[[0-9;]*m/, with: "") == plain)
        #expect(colored.hasPrefix("{\u{1B}[1;34m\"a\"\u{1B}[0m:[\u{1B}[33m1\u{1B}[0m,\u{1B}[32m\"x"))
        let fields = try FieldPath.list("c,a")
        let selected = try printed([item], by: JSONWriter(fields: fields, hasColor: true))
        #expect(
            selected.replacing(/\u{1B}\[[0-9;]*m/, with: "")
                == (try printed([item], by: JSONWriter(fields: fields))))
    }

    @Test(
        arguments: [
            (ColorMode.auto, true, [:], true), (.auto, false, [:], false),
            (.auto, true, ["NO_COLOR": "1"], false),
            (.auto, true, ["NO_COLOR": ""], true), (.auto, true, ["TERM": "dumb"], false),
            (.always, false, ["NO_COLOR": "1"], true), (.never, true, [:], false),
        ] as [(ColorMode, Bool, [String: String], Bool)])
    func `color depends on the option, the terminal and NO_COLOR`(
        mode: ColorMode, isTerminal: Bool, variables: [String: String], isOn: Bool
    ) {
        var environment = Environment()
        environment.variable = { variables[$0] }
        #expect(mode.isOn(isTerminal: isTerminal, environment) == isOn)
    }

    @Test func `an error is colored`() {
        let error = CommandError.usage("no", hint: "yes")
        #expect(error.text() == "items: no\n  hint: yes\n")
        #expect(
            error.text(hasColor: true) == "\u{1B}[1;31mitems:\u{1B}[0m no\n  \u{1B}[36mhint:\u{1B}[0m yes\n")
    }
}
