import RESTClientHTTP
import Testing

@Suite struct LinkTests {
    private static func next(_ values: String...) -> String? {
        var headers = HTTPHeaders()
        for value in values { headers.add(.link, value) }
        return Link.first("next", in: headers)?.target
    }

    @Test(arguments: [
        (#"<https://a.example/?page=2>; rel="next""#, "https://a.example/?page=2"),
        ("<https://a.example/?page=2>; rel=next", "https://a.example/?page=2"),
        ("</2>;rel=NEXT", "/2"),
        (#"</2>; REL="Next""#, "/2"),
        (#"</2>; rel="last next""#, "/2"),
        (#"</2>; rel="next   prefetch""#, "/2"),
        (#"</1>; rel="prev", </2>; rel="next""#, "/2"),
        (#"</a,b;c?x=1,2>; rel="next""#, "/a,b;c?x=1,2"),
        (#"</2>; title="a, b; rel=prev \"c\"" ; rel="next""#, "/2"),
        (#"</2>; title*=UTF-8''a%2Cb; rel="next""#, "/2"),
        (#"</2> ; rel = "next" ;"#, "/2"),
        (#", ,</2>; rel="next","#, "/2"),
        (#"< /2 >; rel="next""#, "/2"),
        (#"<>; rel="next""#, ""),
        (#"</2>; rel="next"; rel="prev""#, "/2"),
        ("</2>; crossorigin; rel=next", "/2"),
        ("</1>; rel=prev, </2>; rel=next", "/2"),
        // Without a semicolon, as some servers write it.
        (#"</1> rel="prev", </2> rel="next""#, "/2"), (#"</2>; rel="next" junk"#, "/2"),
        (#"</2>; rel="next" title="a, b""#, "/2"),
        // The end of the text closes a quoted string.
        (#"</2>; rel="next"#, "/2"),
    ])
    func `the next link is found`(value: String, target: String) {
        #expect(Self.next(value) == target)
    }

    @Test(arguments: [
        "", ",", "next", #"</2>"#, #"</2>; rel="prev""#, #"</2>; rel="nextone""#, #"</2>; rev="next""#,
        #"</2>; rel="prev"; rel="next""#, #"</2>; rel*=UTF-8''next"#, #"</2>; anchor="/other"; rel="next""#,
        #"</2; rel="next""#, #"/2; rel="next""#, #"</2>; title="rel=next"#, #"</2> next"#,
        #"</2> = "next""#, #"junk "rel\"#,
    ])
    func `other links are not a next link`(value: String) {
        #expect(Self.next(value) == nil)
    }

    @Test func `several Link fields are read in order`() {
        #expect(Self.next(#"</1>; rel="first""#, #"</2>; rel="next""#, #"</3>; rel="next""#) == "/2")
    }

    @Test(arguments: [
        #"garbage, </2>; rel="next""#, #"<>garbage;, </2>; rel="next""#,
        #"</1>; rel="prev" junk, </2>; rel="next""#,
        #"a "quoted, comma" b, </2>; rel="next""#, #"a "b, </1>; rel=next, c", </2>; rel="next""#,
        #"a "b\", </1>; rel=next, c", </2>; rel="next""#, #"a <b, </1>; rel=next, c>, </2>; rel="next""#,
    ])
    func `a malformed link does not hide the next one`(value: String) {
        #expect(Self.next(value) == "/2")
    }

    @Test(arguments: [
        "</2; rel=next", #"2; rel="next""#, #"&lt;/2&gt;; rel="next""#, "</1>; rel=prev </2>; rel=next",
        #"</1>; rel="prev"; </2>; rel="NEXT""#, "</1>; rel=prev, /2; rel='last next'",
    ])
    func `a malformed link to the next page is found`(value: String) {
        #expect(Self.next(value) == nil)
        #expect(Link.malformedNext(in: [.link: value]) == value)
    }

    @Test func `a long malformed field takes linear time`() {
        for part in ["<", "rel=", "rel= ", ";", "\"", "<>,", "rel=nex ", "\\\""] {
            let value = String(repeating: part, count: 5_000)
            #expect(Link.malformedNext(in: [.link: value]) == nil)
        }
    }

    @Test(arguments: [
        "</1>; rel=prev", "</2>; rel=next", #"</2>; rel="last next""#, #"</2>; rel="next-archive""#,
        "</a?rel=next>; rel=prev", #"</2>; anchor="/other"; rel="next""#, "</2>; rev=next", "next",
        #"/2; rel="next""#, #"</1>; rel="prev"; title="rel=next is missing""#, "</a;rel=next>; rel=prev",
    ])
    func `other links are not malformed links to the next page`(value: String) {
        #expect(Link.malformedNext(in: [.link: value]) == nil)
    }

    @Test func `link parameters keep their first value and have lower-case names`() {
        let links = Link.links(in: #"</2>; rel="a B"; TITLE="x \"y\""; title=z; media; title*=w; =v"#)
        #expect(links.map(\.target) == ["/2"])
        #expect(links.first?.relations == ["a", "b"])
        #expect(links.first?.parameters == ["title": #"x "y""#, "media": ""])
    }

    @Test func `random text is parsed without a crash`() {
        var random = SeededGenerator(seed: 8)
        let pieces = ["<", ">", ",", ";", "\"", "\\", "rel", "=", "next", " ", "/2", "*", "é", "\t"]
        for _ in 0..<5_000 {
            let text = (0..<Int.random(in: 0...20, using: &random))
                .compactMap { _ in pieces.randomElement(using: &random) }.joined()
            for link in Link.links(in: text) { #expect(!link.target.contains(">")) }
        }
    }
}
