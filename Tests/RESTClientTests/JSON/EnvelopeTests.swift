import RESTClient
import Testing

@Suite struct EnvelopeTests {
    let envelope: Envelope = #"""
        { "total" : 42, "links": {"next": "/p?a=1\u00262", "prev": null}, "has_more":true,
          "float": 12.0, "exponent": 1e3, "half": 0.5, "huge": 1e400, "k\u0065y": "v", "done":false, "text": "7",
          "twice": 1, "twice": 2, "a.b": {"": 1} }
        """#

    @Test func `members are found by path`() {
        #expect(envelope.string("links.next") == "/p?a=1&2")
        #expect(envelope.integer("total") == 42)
        #expect(envelope.flag("has_more") == true)
        #expect(envelope.flag("done") == false)
        #expect(envelope.string("key") == "v")
        #expect(envelope.integer(["a.b", ""]) == 1)
    }

    @Test(arguments: ["links.prev", "links", "total", "nothing", "links.next.more", "", "has_more"])
    func `string() is nil for other values`(path: String) {
        #expect(envelope.string(MemberPath(path)) == nil)
    }

    @Test func `integer() is nil for fractions`() {
        #expect(envelope.integer("float") == 12)
        #expect(envelope.integer("exponent") == 1_000)
        #expect(envelope.integer("half") == nil)
        #expect(envelope.integer("huge") == nil)
        #expect(envelope.integer("text") == nil)
        #expect(envelope.flag("total") == nil)
    }

    @Test func `the first of two equal keys counts, as in JSONDecoder`() throws {
        struct Twice: Decodable { var twice: Int }
        #expect(envelope.integer("twice") == 1)
        #expect(try envelope.decode(Twice.self).twice == 1)
    }

    @Test func `an envelope decodes as a whole`() throws {
        struct Page: Decodable {
            struct Links: Decodable { var next: String? }
            var total: Int
            var links: Links
        }
        let page: Page = try envelope.decode()
        #expect(page.total == 42)
        #expect(page.links.next == "/p?a=1&2")
    }

    @Test(arguments: [
        "", "x", "{", #"{"a"}"#, #"{"a":"#, #"{"a":1,}"#, "[1]", #"{"a":tru"#, #"{"b":"\ud800","a":1}"#,
    ])
    func `a text that is not an object has no members`(text: String) {
        let envelope = Envelope(stringLiteral: text)
        #expect(envelope.string("b") == nil)
        #expect(envelope.integer("b") == nil)
        #expect(throws: (any Error).self) { try envelope.decode([String: String].self) }
    }
}
