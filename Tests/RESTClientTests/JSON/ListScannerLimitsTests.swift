import RESTClientTestSupport
import Testing

@testable import RESTClient

/// The limits of depth, size and length, and how early they are enforced.
@Suite struct ListScannerLimitsTests {
    @Test(arguments: [512, 1, 3, 64, 65, 128, 129])
    func `the depth limit is exact`(limit: Int) {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(Scan(nested(limit), at: .root, maxDepth: limit).failure == nil)
        let failure = Scan(nested(limit + 1), at: .root, maxDepth: limit).failure
        #expect(failure?.reason == .malformed(.tooDeep(limit: limit)))
        #expect(failure?.offset == Int64(limit))
        #expect(Scan(#"{"a":{}}"#, maxDepth: 1).failure?.offset == 5)
        #expect(Scan(#"{"items":[]}"#, maxDepth: 1).failure?.offset == 9)
        guard limit > 2 else { return }
        #expect(Scan(#"{"items":[],"a":\#(nested(limit - 1))}"#, maxDepth: limit).failure == nil)
        #expect(
            Scan(#"{"items":[],"a":\#(nested(limit))}"#, maxDepth: limit).reason
                == .malformed(.tooDeep(limit: limit)))
        #expect(
            Scan(#"{"items":[],"a":{"b":\#(nested(limit - 1))}}"#, maxDepth: limit).reason
                == .malformed(.tooDeep(limit: limit)))
    }

    @Test(arguments: [0, -1, .min])
    func `limits of zero and below do not trap`(limit: Int) {
        #expect(Scan(#"{"items":[]}"#, maxDepth: limit).reason == .malformed(.tooDeep(limit: limit)))
        #expect(Scan(#"{"items":[]}"#, maxDepth: limit).failure?.offset == 0)
        #expect(Scan("[]", at: .root, maxDepth: limit).failure?.offset == 0)
        #expect(Scan(#"{"items":[1]}"#, maxItemBytes: limit).reason == .itemTooLarge(limit: limit))
    }

    @Test(arguments: [#""0123456789""#, #"{"a":"01234"}"#, "012345678901", "[1,2,3,4,5]"])
    func `an item can be as large as the limit`(item: String) {
        let item = item.hasPrefix("0") ? "1" + item.dropFirst() : item
        let limit = item.utf8.count
        for pieces in [1, 4, .max] {
            let text = #"{"items":[1,\#(item),2]}"#
            #expect(Scan(text, pieces: pieces, maxItemBytes: limit).elements == ["1", item, "2"])
            let failure = Scan(text, pieces: pieces, maxItemBytes: limit - 1).failure
            #expect(
                failure
                    == .init(
                        reason: .itemTooLarge(limit: limit - 1), offset: Int64(12 + limit - 1),
                        path: "$.items[1]",
                        itemCount: 1, isAtElement: true))
        }
    }

    @Test(arguments: [63, 64, 65, 127, 128, 129, 200])
    func `brackets must match at any depth`(depth: Int) {
        let kinds = (0..<depth).map { $0 * $0 % 7 < 3 }
        let open = kinds.map { $0 ? #"{"a":"# : "[" }.joined()
        let close = kinds.reversed().map { $0 ? "}" : "]" }.joined()
        #expect(Scan(#"{"items":[\#(open)1\#(close)]}"#).elements == ["\(open)1\(close)"])
        #expect(Scan(#"{"items":[[\#(open)1\#(close),\#(open)2\#(close)]]}"#).failure == nil)
        for wrong in 0..<depth {
            var closers = Array(close)
            closers[wrong] = closers[wrong] == "}" ? "]" : "}"
            let failure = Scan(#"{"items":[\#(open)1\#(String(closers))]}"#).failure
            #expect(failure?.offset == Int64(10 + open.utf8.count + 1 + wrong))
        }
    }

    @Test(arguments: [1, .max])
    func `an item that is too large is reported before errors after the limit`(pieces: Int) {
        let text = "{\"items\":[\"abcd\u{1}\"]}"
        #expect(Scan(text, pieces: pieces, maxItemBytes: 4).reason == .itemTooLarge(limit: 4))
        #expect(Scan(text, pieces: pieces, maxItemBytes: 5).reason == .malformed(.controlCharacter(1)))
    }

    @Test func `an endless string is an error before it is buffered`() {
        var scanner = ListScanner(maxItemBytes: 1 << 20)
        let start = Array(#"{"items":[""#.utf8)
        let piece = Array(repeating: UInt8(ascii: "a"), count: 64 << 10)
        let failure = #expect(throws: ListScanner.Failure.self) {
            try scanner.scan(ArraySlice(start).span.bytes) { _ in }
            for _ in 0..<1_000 { try scanner.scan(ArraySlice(piece).span.bytes) { _ in } }
        }
        #expect(failure?.reason == .itemTooLarge(limit: 1 << 20))
        #expect(failure?.offset == Int64(10 + 1 << 20))
    }

    @Test func `a shape error is reported early in a long document`() {
        var scanner = ListScanner()
        let start = Array(#"{"items":null,"rows":["#.utf8)
        let piece = Array(repeatElement("1,", count: 512).joined().utf8)
        var pieces = 0
        let failure = #expect(throws: ListScanner.Failure.self) {
            try scanner.scan(ArraySlice(start).span.bytes) { _ in }
            while pieces < 1_000 {
                try scanner.scan(ArraySlice(piece).span.bytes) { _ in }
                pieces += 1
            }
        }
        #expect(pieces < 70)
        #expect(failure?.reason == .wrongShape(path: "items", expected: .list, found: .null, lists: ["rows"]))
    }

    @Test(arguments: [1, 1_000, .max])
    func `the text far after a shape error is not checked, for any chunk size`(pieces: Int) {
        let rows = String(repeating: "1,", count: 40_000)
        let scan = Scan(#"{"items":null,"rows":[\#(rows)x"#, pieces: pieces)
        #expect(scan.reason == .wrongShape(path: "items", expected: .list, found: .null, lists: ["rows"]))
    }

    @Test func `a text that is not JSON is reported after its first bytes`() {
        var scanner = ListScanner()
        let piece = Array(repeatElement("not JSON, ", count: 10).joined().utf8)
        var pieces = 0
        let failure = #expect(throws: ListScanner.Failure.self) {
            while pieces < 100 {
                try scanner.scan(ArraySlice(piece).span.bytes) { _ in }
                pieces += 1
            }
        }
        #expect(pieces < 3)
        #expect(failure?.reason == .notJSON(found: "not JSON, not JSON, not JSON, not JSON, "))
    }

    @Test(arguments: [1, .max])
    func `a long name matches a key with escapes`(pieces: Int) {
        let name = String(repeating: "a", count: 700)
        let key = String(repeating: #"\u0061"#, count: 700)
        let scan = Scan(#"{"\#(key)":[1]}"#, at: [name], pieces: pieces)
        #expect(scan.elements == ["1"])
        // Names that are longer than all names of the path are not shown.
        #expect(keys(of: Scan(#"{"\#(key)":[1],"b":2}"#, at: ["a" + name], pieces: pieces)) == ["…", "b"])
        #expect(keys(of: Scan(#"{"a":1,"\#(key)":[1],"b":2}"#, pieces: pieces)) == ["a", "…", "b"])
    }

    private func keys(of scan: Scan) -> [String]? {
        guard case .wrongShape(_, _, .keys(let keys), _) = scan.reason else { return nil }
        return keys
    }
}
