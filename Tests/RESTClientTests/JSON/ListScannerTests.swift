import Foundation
import RESTClientTestSupport
import Testing

@testable import RESTClient

@Suite struct ListScannerTests {
    @Test func `elements within a chunk are not copied`() throws {
        let chunk = Array(#"{"items":["tea","milk"]}"#.utf8)
        var scanner = ListScanner()
        var starts: [Int] = []
        let start = chunk.withUnsafeBytes { Int(bitPattern: $0.baseAddress) }
        try scanner.scan(ArraySlice(chunk).span.bytes) { element in
            starts.append(element.withUnsafeBytes { Int(bitPattern: $0.baseAddress) } - start)
        }
        #expect(starts == [10, 16])
    }

    @Test func `the envelope contains the members around the list`() throws {
        let scan = Scan(
            #"{"total":2,"data":{"next":"/p2","results":["a"],"more":true},"links":{"self":"/p1"}}"#,
            at: "data.results")
        let envelope = try #require(scan.envelope)
        #expect(envelope == #"{"total":2,"links":{"self":"/p1"},"data":{"next":"/p2","more":true}}"#)
    }

    @Test(arguments: [1, 7, 1 << 20])
    func `the envelope omits large members and keeps small ones after them`(pieces: Int) {
        let large = String(repeating: "x", count: 40_000)
        let text = #"{"a":"\#(large)","b":["\#(large)"],"c":"\#(large)\#(large)","items":[1],"next":"/2"}"#
        #expect(Scan(text, pieces: pieces).envelope == #"{"next":"/2"}"#)
    }

    @Test(arguments: [(1_000, false), (20_000, true)])
    func `the envelope keeps the first of many small members and reports the truncation`(
        count: Int, isTruncated: Bool
    ) throws {
        let members = (0..<count).map { #""k\#($0)":\#($0)"# }.joined(separator: ",")
        var scanner = ListScanner()
        let text = Array(#"{"next":"/2",\#(members),"items":[]}"#.utf8)
        try scanner.scan(ArraySlice(text).span.bytes) { _ in }
        let envelope = try scanner.finish()
        #expect(envelope.description.hasPrefix(#"{"next":"/2","k0":0,"k1":1,"#))
        #expect(envelope.description.utf8.count < 64 << 10)
        #expect(envelope.isTruncated == isTruncated)
    }

    @Test func `the envelope keeps the names of omitted members`() throws {
        let value = String(repeating: "x", count: 600)
        let large = (0..<700).map { #""k\#($0)":"\#(value)""# }.joined(separator: ",")
        for (count, isTruncated) in [(300, false), (700, true)] {
            var scanner = ListScanner(at: "data.items")
            let members = large.split(separator: ",").prefix(count).joined(separator: ",")
            let text = Array(#"{\#(members),"data":{"m\u0065ta":{"a":"\#(value)"},"items":[],"n":1}}"#.utf8)
            try scanner.scan(ArraySlice(text).span.bytes) { _ in }
            let envelope = try scanner.finish()
            #expect(envelope.isTruncated == isTruncated)
            #expect(envelope.description == #"{"data":{"n":1}}"#)
            #expect(envelope.wasOmitted("k0") && envelope.wasOmitted("k299.inside"))
            #expect(envelope.wasOmitted("data.meta.next") == !isTruncated)
            #expect(
                !envelope.wasOmitted("data.n") && !envelope.wasOmitted("n") && !envelope.wasOmitted("data"))
        }
    }

    @Test(arguments: [1, 1_000, .max])
    func `a member that does not fit does not replace smaller ones`(pieces: Int) throws {
        let value = String(repeating: "x", count: 9_000)
        let name = String(repeating: "n", count: 200)
        let small = (0..<7).map { #""k\#($0)":"\#(value)""# }.joined(separator: ",")
        let large = "\(value)\(value)"
        let text = Array(#"{\#(small),"token":"\#(large)","\#(name)":"\#(large)","items":[]}"#.utf8)
        var scanner = ListScanner()
        for start in stride(from: 0, to: text.count, by: min(pieces, text.count)) {
            let piece = Array(text[start..<min(text.count, start + min(pieces, text.count))])
            try scanner.scan(ArraySlice(piece).span.bytes) { _ in }
        }
        let envelope = try scanner.finish()
        #expect(envelope.description == "{\(small)}")
        #expect(envelope.wasOmitted("token"))
        // Names are limited, too. No name of a next link is that long.
        #expect(!envelope.wasOmitted([name]))
        #expect(!envelope.isTruncated)
    }

    @Test(arguments: [1, 1_000, .max])
    func `an object next to the path can be arbitrarily long`(pieces: Int) {
        let members = (0..<300).map { #""k\#($0)":[\#($0)]"# }.joined(separator: ",")
        let text = #"{"map":{\#(members),"last":{"a":[]}},"items":[1],"next":"/2"}"#
        let scan = Scan(text, pieces: pieces)
        #expect(scan.elements == ["1"])
        #expect(scan.envelope == #"{"map":{\#(members),"last":{"a":[]}},"next":"/2"}"#)
        #expect(Scan(text, pieces: pieces, maxDepth: 4).failure == nil)
        #expect(Scan(text, pieces: pieces, maxDepth: 3).reason == .malformed(.tooDeep(limit: 3)))
        #expect(
            Scan(text.replacing("\"last\":{", with: "\"last\":{,"), pieces: pieces).failure?.path == "$.map")
    }

    /// Returns the suggestions of an error.
    private static func suggested(_ text: String) -> (keys: [String], lists: [MemberPath])? {
        guard case .wrongShape(_, _, .keys(let keys), let lists) = Scan(text).reason else { return nil }
        return (keys, lists)
    }

    @Test func `the number of suggested keys and lists is limited`() throws {
        let members = (0..<100).map { #""k\#($0)":[]"# }.joined(separator: ",")
        let suggested = try #require(Self.suggested("{\(members)}"))
        #expect(suggested.keys == (0..<64).map { "k\($0)" })
        #expect(suggested.lists == (0..<16).map { ["k\($0)"] })
    }

    @Test(arguments: [
        (#"{"pagination":{"page_list":[{}]},"results":[{}]}"#, "results"),
        (#"{"_links":{"curies":[{}]},"_embedded":{"rows":[{}]}}"#, "_embedded.rows"),
        (#"{"manifest":{"chunks":[{}]},"result":{"data":[[1]]}}"#, "result.data"),
        (#"{"resultSetMetaData":{"rowType":[{}]},"data":[[1]]}"#, "data"),
        (#"{"sorted_by":[{}],"records":[{}]}"#, "records"), (#"{"meta":[{}],"links":[{}]}"#, "meta"),
    ])
    func `a list that describes the response is suggested last`(text: String, list: MemberPath) {
        #expect(Self.suggested(text)?.lists.first == list)
    }

    @Test func `lists next to the path are suggested, except under very long names`() throws {
        let first = (0..<200).map { #""k\#($0)":0"# }.joined(separator: ",")
        let name = String(repeating: "n", count: 1_100)
        let suggested = try #require(
            Self.suggested(#"{"a":{\#(first)},"b":{\#(first),"rows":[]},"\#(name)":[],"c":{"\#(name)":[]}}"#))
        #expect(suggested.lists == ["b.rows"])
        #expect(suggested.keys == ["a", "b", "…", "c"])
    }

    @Test(arguments: [
        (#"{"items":["a", 1, x]}"#, "items", "$.items[2]", 18, 2),
        (#"{"items":["a" 1]}"#, "items", "$.items", 14, 1),
        (#"{"items":["a",{"b":[1,]}]}"#, "items", "$.items[1]", 22, 1),
        (#"{"a":{"b":1 2}}"#, "items", "$.a", 12, 0),
        (#"{"a":{"b":{"c":x}}}"#, "items", "$.a.b", 15, 0),
        (#"{"odd key":x}"#, "items", #"$["odd key"]"#, 11, 0),
        (#"{"data":{"results":[[]x"#, "data.results", "$.data.results", 22, 1),
        (#"{"data":{"results":[]},x"#, "data.results", "$", 23, 0),
        (#"{"items":[]}]"#, "items", "$", 12, 0),
        (#"[nul]"#, ".", "$[0]", 4, 0),
    ])
    func `an error contains its position`(text: String, list: String, path: String, offset: Int64, items: Int)
    {
        for pieces in [1, 2, 5, .max] {
            let failure = Scan(text, at: MemberPath(list), pieces: pieces).failure
            #expect(failure?.path == path)
            #expect(failure?.offset == offset)
            #expect(failure?.itemCount == items)
        }
    }

    @Test func `an incomplete document is reported with the current item`() {
        let failure = Scan(#"{"items":["a","b","#).failure
        #expect(
            failure
                == .init(reason: .incomplete, offset: 18, path: "$.items[2]", itemCount: 2, isAtElement: true)
        )
        #expect(failure?.description == "the JSON ends early, at byte 18 ($.items[2])")
    }

    @Test func `the description of a failure has no control characters`() {
        let failure = Scan("{\"\u{9B}2J\u{202E}\": \u{1B}}").failure
        #expect(failure?.path == "$[\"\u{9B}2J\u{202E}\"]" || failure?.path == "$.\u{9B}2J\u{202E}")
        let description = failure?.description ?? ""
        #expect(description.contains(#"\u009b2J\u202e"#))
        #expect(description.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
    }

    @Test func `the first and the last element of all chunks are kept`() throws {
        var scanner = PageScanner(ListScanner())
        scanner.keepEnds()
        var batch = ElementBatch()
        for chunk in [#"{"items":["a","b","#, #""c",""#, #"d","e"]}"#] {
            try scanner.scan(Data(chunk.utf8), into: &batch)
        }
        #expect(scanner.ends.map { String(decoding: $0.first, as: UTF8.self) } == #""a""#)
        #expect(scanner.ends.map { String(decoding: $0.last, as: UTF8.self) } == #""e""#)
    }

    @Test(arguments: [
        ("\u{FEFF}", ""), (")]}'\n", ""), ("\u{FEFF}\u{FEFF}{\"items\":[1]}", "\u{FEFF}{\"items\":[1]}"),
    ])
    func `the start of a text that is not JSON is without its mark`(text: String, found: String) {
        #expect(Scan(text).reason == .notJSON(found: found))
    }

    @Test func `a scan after a failure throws`() throws {
        var scanner = ListScanner()
        let bad = Array(#"{"items":[x"#.utf8)
        #expect(throws: ListScanner.Failure.self) { try scanner.scan(ArraySlice(bad).span.bytes) { _ in } }
        let good = Array(#"{"items":["a"]}"#.utf8)
        #expect(throws: ListScanner.Failure.self) { try scanner.scan(ArraySlice(good).span.bytes) { _ in } }
        do {
            _ = try scanner.finish()
            Issue.record("it finished")
        } catch let failure as ListScanner.Failure {
            #expect(failure.offset == 10)
        }
    }

    @Test func `an error of the closure is rethrown and ends the scan`() throws {
        struct Enough: Error {}
        var scanner = ListScanner()
        let chunk = Array(#"{"items":["a","b"]}"#.utf8)
        #expect(throws: Enough.self) {
            try scanner.scan(ArraySlice(chunk).span.bytes) { _ in throw Enough() }
        }
        #expect(throws: ListScanner.Failure.self) { try scanner.scan(ArraySlice(chunk).span.bytes) { _ in } }
        do {
            _ = try scanner.finish()
            Issue.record("it finished")
        } catch let failure as ListScanner.Failure {
            #expect(failure.reason == .incomplete)
        }
    }
}
