import RESTClient
import RESTClientTestSupport
import Testing

/// The results are the same for all chunk boundaries, and a document that is cut at any byte is an error.
@Suite struct ListScannerChunksTests {
    struct Document: Sendable, CustomTestStringConvertible {
        let text: String
        var path: MemberPath = "items"
        var testDescription: String { "\(path) in \(text.prefix(40))" }
    }

    static let valid = [
        Document(text: #"{"items":["a","b","c"]}"#),
        Document(text: #" { "items" : [ 1 , -2.50e+10 , 0 , true , false , null , "x" ] } "#),
        Document(
            text:
                #"{"total":12,"\u0069te\u006Ds":["é","語","😀","\ud83d\ude00","\"\\\/\b\f\n\r\t"],"next":null}"#
        ),
        Document(text: ")]}',\n[1,{\"a\":[2]}]", path: .root),
        Document(text: "\u{FEFF}[[],{},[[[]]],{\"a\":{\"b\":[1,{\"c\":\"]}\"}]}}]\r\n", path: .root),
        Document(
            text:
                #"{"meta":{"a":[1],"b":{"c":{}}},"data":{"x":[],"results":[[1,2],{"k":"v"}],"y":1.5},"z":"é"}"#,
            path: "data.results"),
        Document(
            text: #"{"a.b":{"":["one long string that fills more than one vector of bytes"]}}"#,
            path: ["a.b", ""]),
        Document(text: "{\"items\":[\"\u{7F}\u{80}\u{7FF}\u{800}\u{FFFF}\u{10000}\u{10FFFF}\"]}"),
    ]

    static let wrong = [
        Document(text: #"{"concepts":["a"],"data":{"results":[1]},"n":1}"#),
        Document(text: #"{"items":{"edges":[1],"n":{"m":[]}},"rows":[]}"#),
        Document(text: #"{"data":[1],"other":[]}"#, path: "data.results"),
        Document(text: #"["a"]"#),
        Document(text: #"{"items":["a"],"items":["b"]}"#),
        Document(text: #"{"items":["a",]}"#),
        Document(text: #"{"items":["\ud800x"]}"#),
        Document(text: #"{"items":["a"]}{"#),
        Document(text: "GARBAGE that is long enough to be cut at forty characters, or so"),
        Document(text: "404 page not found"),
        Document(text: "\u{FEFF}<!doctype html>"),
        Document(text: "[\u{0}1\u{0}]\u{0}"),
        Document(text: "   "),
    ]

    @Test(arguments: valid + wrong)
    func `the result does not depend on the chunks`(document: Document) {
        let bytes = Array(document.text.utf8)
        let whole = Scan(bytes, at: document.path)
        for size in 1...5 {
            #expect(Scan(document.text, at: document.path, pieces: size) == whole, "pieces of \(size)")
        }
        for first in 0...bytes.count {
            #expect(Scan(bytes, at: document.path, cuts: [first]) == whole, "cut at \(first)")
            #expect(
                Scan(bytes, at: document.path, cuts: [first, first]) == whole, "an empty piece at \(first)")
        }
    }

    @Test(arguments: valid)
    func `a document that is cut at any byte is an error`(document: Document) {
        let bytes = Array(document.text.utf8)
        let whole = Scan(bytes, at: document.path)
        #expect(whole.failure == nil)
        let end = bytes.lastIndex { $0 == UInt8(ascii: "}") || $0 == UInt8(ascii: "]") } ?? 0
        for count in 0...end {
            for scan in [
                Scan(Array(bytes.prefix(count)), at: document.path),
                Scan(Array(bytes.prefix(count)), at: document.path, cuts: Array(1..<max(1, count))),
            ] {
                let isEmpty = scan.reason == .notJSON(found: "")
                #expect(scan.reason == .incomplete || isEmpty, "at \(count)")
                #expect(scan.failure?.offset == Int64(count))
                #expect(whole.elements.starts(with: scan.elements))
            }
        }
    }
}
