import Foundation
import RESTClient
import Testing

@Suite struct ElementBatchTests {
    private func batch(_ text: String, pieces: Int = .max) throws -> ElementBatch {
        var scanner = ListScanner()
        var batch = ElementBatch()
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: min(pieces, bytes.count)) {
            let end = min(bytes.count, start + min(pieces, bytes.count))
            try scanner.scan(Array(bytes[start..<end]).span.bytes, into: &batch)
        }
        _ = try scanner.finish()
        return batch
    }

    private func texts(_ batch: ElementBatch) -> [String] {
        var texts: [String] = []
        batch.forEach { element in
            texts.append(element.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
        }
        return texts
    }

    @Test(arguments: [1, 4, .max])
    func `it lends what was scanned`(pieces: Int) throws {
        var batch = try batch(#"{"items":["tea", 1,[1,2] ,{"a":","},"é"]}"#, pieces: pieces)
        #expect(texts(batch) == [#""tea""#, "1", "[1,2]", #"{"a":","}"#, #""é""#])
        #expect(batch.count == 5)
        batch.removeAll()
        #expect(batch.isEmpty)
        #expect(texts(batch) == [])
    }

    @Test(arguments: [
        #""é""#, #""\n""#, "\"\u{7F}\"", "\"\u{7F} and a vector of others\"", "1", "[]", #"{"a":"b"}"#,
        #""\"""#, "null",
    ])
    func `only printable ASCII is called plain`(element: String) throws {
        var plain: [Bool] = []
        try batch(#"{"items":["a",\#(element),"","b c"]}"#).forEachKnown { _, isPlain in plain.append(isPlain)
        }
        #expect(plain == [true, false, true, true])
    }

    @Test func `it decodes`() throws {
        struct Tea: Decodable, Equatable { var name: String, price: Double? }
        let batch = try batch(#"{"items":[{"name":"Sencha","price":4.5},{"name":"Oolong"}]}"#)
        #expect(
            try batch.decode(Tea.self) == [Tea(name: "Sencha", price: 4.5), Tea(name: "Oolong", price: nil)])
        #expect(try ElementBatch().decode(Tea.self) == [])
        #expect(try self.batch(#"{"items":[7,8]}"#).decode() == [7, 8])
    }

    @Test func `elements before a failure are in it`() throws {
        var scanner = ListScanner()
        var batch = ElementBatch()
        let bytes = Array(#"{"items":["a","b",x"#.utf8)
        #expect(throws: ListScanner.Failure.self) { try scanner.scan(bytes.span.bytes, into: &batch) }
        #expect(texts(batch) == [#""a""#, #""b""#])
    }

    @Test func `what does not decode says which it is`() throws {
        let batch = try batch(#"{"items":["a","b",3,null]}"#)
        let error = #expect(throws: ElementBatch.Undecodable.self) { try batch.decode(String.self) }
        #expect(error?.index == 2)
        #expect(error?.underlying is DecodingError)
    }
}
