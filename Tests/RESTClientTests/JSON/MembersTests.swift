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

    @Test func `each member is visited once, in order`() {
        let bytes = Array(#"{ "a" : 1, "b": {"a": 2}, "a": "x" }"#.utf8)
        var members: [String] = []
        ListScanner.forEachMember(of: ArraySlice(bytes).span.bytes) { key, value in
            members.append(String(decoding: bytes[key] + bytes[value], as: UTF8.self))
        }
        #expect(members == [#""a"1"#, #""b"{"a": 2}"#, #""a""x""#])
    }

    @Test func `strings with quotes and brackets are skipped`() {
        let values = [
            #""}]\\""#, #"[[{"c":"]}\"0123456789abcdef"}],"\\\\"]"#, "-1.5e3", "true",
            #""0123456789abcde\"f""#, "{}",
            #""0123456789abcdef0123456789abcde\\""#, "[]", "null", #""\u0022""#,
        ]
        let members = values.enumerated().map { #""\#($0)\\":\#($1)"# }
        let bytes = Array("{\(members.joined(separator: " , "))}".utf8)
        var found: [String] = []
        ListScanner.forEachMember(of: ArraySlice(bytes).span.bytes) { _, value in
            found.append(String(decoding: bytes[value], as: UTF8.self))
        }
        #expect(found == values)
    }

    @Test(arguments: [
        (#" [1, [2], {"a": 3} , "x"]"#, ["1", "[2]", #"{"a": 3}"#, #""x""#]), ("[ ]", []), ("{}", []),
        ("1", []),
        ("[1, 2", ["1", "2"]), ("", []),
    ])
    func `each element is visited once, in order`(json: String, elements: [String]) {
        let bytes = Array(json.utf8)
        var found: [String] = []
        ListScanner.forEachElement(of: ArraySlice(bytes).span.bytes) {
            found.append(String(decoding: bytes[$0], as: UTF8.self))
        }
        #expect(found == elements)
    }

    @Test func `members are the same with any keys before`() {
        let objects = [
            #"{"a":1,"b":{"a":[2,"]"]},"c":"x"}"#, #"{"a":1,"b":2,"c":3}"#, #"{ "a" : 1 , "c":null}"#,
            #"{"c":1,"b":-2.5e3,"a":true,"a":2}"#, #"{"\u0061":1,"a\"":2,"":3}"#, "{}", "[1]", #""a""#,
            #"{"abcdefghijklmnopqrstuvwxyz":1,"abcdefghijklmnop":"é\\"}"#,
            #"{"abcdefghijklmnopqrstuvwxy":1}"#,
        ]
        var members = ElementMembers()
        var numbers: [String: Int] = [:]
        for object in objects + objects.reversed() + objects {
            let bytes = Array(object.utf8)
            var expected: [String] = []
            ListScanner.forEachMember(of: ArraySlice(bytes).span.bytes) { key, value in
                expected.append(String(decoding: bytes[key] + bytes[value], as: UTF8.self))
            }
            var found: [String] = []
            for member in members.members(of: ArraySlice(bytes).span.bytes) {
                let key = String(decoding: bytes[member.key], as: UTF8.self)
                #expect(member.number == numbers[key] ?? numbers.count, "\(key) in \(object)")
                numbers[key] = member.number
                found.append(key + String(decoding: bytes[member.value], as: UTF8.self))
            }
            #expect(found == expected)
        }
        #expect(numbers.count == 9)
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
