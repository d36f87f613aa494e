import RESTClient
import Testing

@testable import items

@Suite struct OptionValueTests {
    @Test(arguments: [
        ("1", 1), ("65536", 65_536), ("64K", 65_536), ("64k", 65_536), ("16M", 16 << 20), ("4G", 4 << 30),
    ])
    func `a size has an optional unit`(text: String, bytes: Int) throws {
        #expect(try OptionValue.size(text, of: "--x") == bytes)
    }

    @Test(arguments: [
        "auto", "none", "link", "next", "NEXT", "token", "page", "offset", "next:a.b", "token:a,b", "page:p",
    ])
    func `a pagination rule accepts names of the server`(text: String) throws {
        #expect(try PaginationOption(text).rule == text.lowercased().prefix { $0 != ":" })
    }

    @Test(arguments: [
        "next:first=1", "token:a,b,c,d", "token:a,b,c,more=d", "page:first=", "page:first=x", "page:first=-1",
        "page:first=1,p", "page:first=1,first=2", "link:more=a", "scroll:body=", "scroll:body={", "page:,a",
        "page:a,", "header:a,b,last=c",
    ])
    func `a pagination with names that the rule does not have is rejected`(text: String) {
        #expect(throws: CommandError.self) { try PaginationOption(text) }
    }

    @Test(
        arguments: [
            ("token:after,next,going", .token(at: "next", parameter: "after", more: "going")),
            ("token:after,next,last=isLast", .token(at: "next", parameter: "after", last: "isLast")),
            ("token:last=a.b,more=c", .token(more: "c", last: "a.b")),
            ("last:after,key,more=m,size=n", .lastItem("key", more: "m").pageSizeParameter("n")),
            ("page:p,-,first=0", .number(parameter: "p", count: nil, first: 0)),
            ("page:first=0,last=end", .number(first: 0, last: "end")),
            (
                "offset:startIndex,totalResults,first=1",
                .offset(parameter: "startIndex", total: "totalResults", first: 1)
            ),
            ("link:size=per_page", .link.pageSizeParameter("per_page")),
            ("token:a=b,c", .token(at: "c", parameter: "a=b")),
            ("scroll", .scroll()), ("scroll:id,_id,/more", .scroll(at: "_id", parameter: "id", url: "/more")),
            (
                #"scroll:more=m,body={"a":1,"b":[2,3]}"#,
                .scroll(body: ["a": 1, "b": [2, 3]], more: "m")
            ),
        ] as [(String, PaginationConvention)])
    func `a pagination has the names and the named extras of its option`(
        text: String, convention: PaginationConvention
    ) throws {
        #expect(try PaginationOption(text).convention == convention)
    }

    /// All rules with each of the extras, and all presets.
    private static let conventions: [PaginationConvention] = {
        let flags: [PaginationConvention.Flag?] = [
            nil, "going", #"meta.a\.b"#, .init(["$x", "y z"]), "state=more to come",
        ]
        var all: [PaginationConvention] = [
            .link, .next(), .next(at: "links.next"), .next(at: .root), .next(at: ["@odata.nextLink"]),
            .header(), .header("X-Next", sentAs: "X-Cursor"), .graphQL(), .graphQL(variable: "page.cursor"),
        ]
        for (index, more) in flags.enumerated() {
            for last in [nil, flags[(index + 2) % flags.count]] {
                all += [
                    .token(more: more, last: last),
                    .token(at: "a.b", parameter: "page[cursor]", more: more, last: last),
                    .lastItem(more: more, last: last),
                    .lastItem("a.b", parameter: "é", more: more, last: last),
                    .scroll(more: more, last: last),
                    .scroll(at: "t", parameter: "q", url: "../next?a=b", body: [:], more: more, last: last),
                    .scroll(body: ["a": [1, 2.5, nil, true], "b": ["c": "d,e"]], more: more, last: last),
                ]
                for first in [nil, 0, 1, 7, Int.max] {
                    all += [
                        .number(first: first, more: more, last: last),
                        .number(parameter: "p", count: nil, first: first, more: more, last: last),
                        .offset(first: first, more: more, last: last),
                        .offset(parameter: "$skip", total: nil, first: first, more: more, last: last),
                    ]
                }
            }
        }
        return all + all.map { $0.pageSizeParameter("page[size]") }
            + PaginationConvention.presets.map(\.convention)
    }()

    @Test func `the option for a convention reads back as the same convention`() throws {
        for convention in Self.conventions {
            let text = try #require(PaginationOption.text(convention), "\(convention)")
            let value = text.hasPrefix("'") ? String(text.dropFirst().dropLast()) : text
            #expect(try PaginationOption(value).convention == convention, "\(text)")
        }
        #expect(Self.conventions.count > 500)
    }

    @Test(
        arguments: [
            .token(at: "a,b"), .token(parameter: "it's"), .number(parameter: "first=1"), .next(at: [""]),
            .next(at: ["", "a"]), .number(count: "-"), .number(first: -1), .token(parameter: "\u{1b}[2J"),
            .header("", sentAs: "Range"),
        ] as [PaginationConvention])
    func `a convention that no option can express has none`(convention: PaginationConvention) {
        #expect(PaginationOption.text(convention) == nil)
    }
}
