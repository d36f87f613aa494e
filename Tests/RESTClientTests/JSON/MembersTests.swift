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
        return ListScanner.value(at: path.map { Array($0.utf8) }, in: ArraySlice(bytes).span.bytes).map {
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
        var keys = MemberKeys()
        var numbers: [String: Int] = [:]
        for object in objects + objects.reversed() + objects {
            let bytes = Array(object.utf8)
            var expected: [String] = []
            ListScanner.forEachMember(of: ArraySlice(bytes).span.bytes) { key, value in
                expected.append(String(decoding: bytes[key] + bytes[value], as: UTF8.self))
            }
            var found: [String] = []
            var position = MemberKeys.Position()
            while let member = keys.nextMember(of: ArraySlice(bytes).span.bytes, at: &position) {
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
        var keys = MemberKeys()
        func number(ofMember name: String) -> Int?? {
            let bytes = Array(#"{"\#(name)":1}"#.utf8)
            var position = MemberKeys.Position()
            return keys.nextMember(of: ArraySlice(bytes).span.bytes, at: &position).map(\.number)
        }
        for index in 0..<4_096 { #expect(number(ofMember: "\(index)") == index) }
        #expect(number(ofMember: "4096") == .some(nil))
        #expect(number(ofMember: "4095") == 4_095)
        keys = MemberKeys()
        #expect(number(ofMember: String(repeating: "a", count: 1 << 20)) == .some(nil))
    }
}
