import Testing

@testable import RESTClient

@Suite struct MembersTests {
    @Test(arguments: [
        (#"{"a": 1}"#, ["a"], "1"), (#" {"a" : {"b":[1, 2]} , "c":3} "#, ["a", "b"], "[1, 2]"),
        (#"{"\u0061": 1}"#, ["a"], "1"), (#"{"a": 1, "a": 2}"#, ["a"], "1"), (#"{"a": null}"#, ["a"], "null"),
        ("12", [], "12"), (#"{"a": "x"}"#, [], #"{"a": "x"}"#), (#"{"é": 1}"#, ["é"], "1"),
    ])
    func `a path finds a value`(json: String, path: [String], value: String) {
        #expect(found(in: json, at: path) == value)
    }

    @Test(arguments: [
        (#"{"a": 1}"#, ["b"]), (#"{"a": 1}"#, ["a", "b"]), ("[1]", ["0"]), ("{}", ["a"]), (#""a""#, ["a"]),
        (#"{"a": "#, ["a"]), ("", []),
    ])
    func `a path without a value finds nothing`(json: String, path: [String]) {
        #expect(found(in: json, at: path) == nil)
    }

    private func found(in json: String, at path: [String]) -> String? {
        let bytes = Array(json.utf8)
        return ListScanner.value(at: MemberPath(names: path), in: ArraySlice(bytes).span.bytes).map {
            String(decoding: bytes[$0], as: UTF8.self)
        }
    }

    @Test func `keys beyond the limit have no numbers`() {
        var members = ElementMembers()
        func number(ofMember name: String) -> Int?? {
            let bytes = Array(#"{"\#(name)":1}"#.utf8)
            return members.members(of: ArraySlice(bytes).span.bytes).first.map(\.number)
        }
        for index in 0..<4_096 { #expect(number(ofMember: "\(index)") == index) }
        #expect(number(ofMember: "4096") == .some(nil))
        #expect(number(ofMember: "4095") == 4_095)
        members = ElementMembers()
        #expect(number(ofMember: String(repeating: "a", count: 1 << 20)) == .some(nil))
    }

    @Test func `members that the scanner found are not those of another element`() throws {
        let document = Array(#"[{"a":{"b":1}},{"a":{"b":1}}, {"a":[]}, 7]"#.utf8)
        for size in [1, 5, 14, 20, document.count] {
            var scanner = ListScanner(at: .root)
            var found: [[String]] = []
            // The same memory for each chunk.
            var chunk: [UInt8] = []
            chunk.reserveCapacity(document.count)
            for start in stride(from: 0, to: document.count, by: size) {
                chunk.removeAll(keepingCapacity: true)
                chunk += document[start..<min(start + size, document.count)]
                try scanner.scanParts(of: ArraySlice(chunk).span.bytes) { element, _, members in
                    func values(of element: RawSpan) -> [Range<Int>] {
                        members.members(of: element).map(\.value)
                    }
                    let outer = values(of: element)
                    let inner = outer.first.map { values(of: element.extracting($0)) } ?? []
                    #expect(values(of: element) == outer)
                    found.append((outer + inner).map { "\($0)" })
                }
            }
            _ = try scanner.finish()
            #expect(found == [["5..<12", "5..<6"], ["5..<12", "5..<6"], ["5..<7"], []], "\(size)")
        }
    }

    @Test func `the traits of an object include those of its keys`() throws {
        let objects = #"{"a":1},{"\u0061":1},{"b\u202E":1}"#
        let document = Array("[\(objects),\(objects),{\"c\" :1},{\"c\":1}]".utf8)
        var scanner = ListScanner(at: .root)
        var found: [ElementTraits] = []
        try scanner.scanParts(of: ArraySlice(document).span.bytes) { _, traits, _ in found.append(traits) }
        _ = try scanner.finish()
        let escaped: ElementTraits = [.isDisplayable, .isCompact]
        #expect(
            found == [.plain, escaped, .isCompact, .plain, escaped, .isCompact]
                + [[.isDisplayable, .hasNoEscapes], .plain])
    }
}
