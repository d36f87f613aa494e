import Testing

@testable import items

@Suite(.timeLimit(.minutes(5))) struct PagesTests {
    @Test(arguments: [
        Line("items $URL/numbered", prints: "item 1\nitem 2\nitem 3\n"),
        Line("items --no-paginate $URL/numbered", prints: "item 1\n"),
        Line("items --pagination none $URL/numbered", prints: "item 1\n"),
        Line("items --pagination link $URL/linked", prints: "item 1\nitem 2\n"),
        Line("items --pagination link $URL/numbered", prints: "item 1\n"),
        Line("items --pagination next:more $URL/next", prints: "item 1\nitem 2\n"),
        Line("items --pagination token:meta.after,after $URL/tokens", prints: "item 1\nitem 2\n"),
        Line("items --pagination page $URL/numbered", prints: "item 1\nitem 2\nitem 3\n"),
        Line("items --pagination offset:skip,count $URL/offsets", prints: "item 1\nitem 2\n"),
        Line("items --jobs 1 $URL/numbered", prints: "item 1\nitem 2\nitem 3\n"),
        Line("items --jobs 8 $URL/numbered", prints: "item 1\nitem 2\nitem 3\n"),
        Line("items --limit 2 $URL/numbered", prints: "item 1\nitem 2\n"),
        Line("items --max-pages 3 $URL/numbered", prints: "item 1\nitem 2\nitem 3\n"),
        Line(
            "items --max-pages 2 $URL/numbered", ends: .limit, prints: "item 1\nitem 2\n",
            says: """
                items: too much: there are more than 2 pages; the 2 items printed are not the whole list
                  hint: allow more with --max-pages; go on with --from 3

                """),
        Line(
            "items $URL/elsewhere", ends: .badList, prints: "a\n",
            says: """
                items: cannot follow the pages: http://other.example/ is at another origin than $URL; the item printed is not the whole list
                  hint: use --atomic to print nothing unless the list is complete

                """),
        Line(
            "items $URL/circle", ends: .badList, prints: "a\n",
            says: """
                items: cannot follow the pages: $URL/circle was requested before: the pages form a loop; the item printed is not the whole list
                  hint: use --atomic to print nothing unless the list is complete

                """),
        Line(
            "items $URL/riddle", ends: .badList, prints: "a\n",
            says: """
                items: cannot follow the pages: "next" is "abc", which is not a URL; the item printed is not the whole list
                  hint: name the rule and what the server calls it, as in --pagination token:PATH,QUERY

                """),
        Line("items --pagination token:next,after $URL/riddle", prints: "a\nb\n"),
        Line(
            "items $URL/broken", ends: .badList, prints: "a\nb\nc\n",
            says: """
                items: page 2 ended early at byte 18, inside item 4; the 3 items printed are not the whole list
                  hint: use --atomic to print nothing unless the list is complete; go on with --from 2, which prints the last item again

                """),
    ])
    func `they are followed`(line: Line) async throws { try await line.check(on: Shelf.server()) }

    @Test(arguments: [
        Line(
            "items --retry 0 --resume-file r $URL/flaky; echo $?; stat -c %a r; items --resume-file r $URL/flaky; ls -A",
            prints: "a\nb\n5\n600\nc\n",
            says: """
                items: HTTP 500 Internal Server Error from $URL/flaky?page=2; the 2 items printed are not the whole list
                  hint: the server said: "not now"; the same command goes on where this one stopped

                """),
        Line(
            "items --retry 0 --csv --field x --resume-file r $URL/flaky 2>&-; items -q --csv --field x --resume-file r $URL/flaky",
            prints: "x\r\n\r\n\r\n\r\n"),
        Line("items --resume-file r $URL/teas; ls -A", prints: "Assam\nSencha\nGenmaicha\n"),
        Line(
            "items --retry 0 --resume-file r $URL/flaky >&- 2>&-; items --resume-file r $URL/numbered",
            ends: .success,
            prints: "item 1\nitem 2\nitem 3\n"),
        Line(
            "items -q --retry 0 --resume-file r $URL/flaky 2>&-; items --resume-file r $URL/numbered",
            ends: .usage,
            prints: "a\nb\n",
            says: """
                items: r is about another list: $URL/flaky
                  hint: give each list a --resume-file of its own

                """),
        Line(
            "items --resume-file r --limit 1 $URL/teas", ends: .usage,
            says: "items: --resume-file is for runs that fail, and --limit ends one on purpose\n"),
        Line(
            "echo mine > r; items --resume-file r $URL/teas; cat r", prints: "mine\n",
            says: """
                items: r is no --resume-file that items has written
                  hint: name another one, or remove it

                """),
        Line(
            "items -q --retry 0 --resume-file r $URL/flaky 2>&-; sed -i s,/flaky?,//other.example/?, r; sed -i s,url=.*//,url=http://, r; items --resume-file r $URL/flaky",
            ends: .badList, prints: "a\nb\n",
            says: """
                items: cannot follow the pages: http://other.example/?page=2 is at another origin than $URL
                  hint: the same command goes on where this one stopped

                """),
        Line(
            "items --retry 0 --resume-file /dev/full $URL/flaky", ends: .serverError, prints: "a\nb\n",
            says: """
                items: cannot write /dev/full: No space left on device
                items: HTTP 500 Internal Server Error from $URL/flaky?page=2; the 2 items printed are not the whole list
                  hint: the server said: "not now"; go on with --from 2

                """),
        Line(
            "items --resume-file no/such/r $URL/teas", ends: .outputFailed,
            says: "items: cannot write no/such/r: No such file or directory\n"),
        Line(
            "mkdir r; items --resume-file r $URL/teas", ends: .noInput,
            says: "items: cannot read r: Is a directory\n"),
        Line(
            "echo [] | items --resume-file r -", ends: .usage,
            says: "items: --resume-file is for URLs: only pages can be asked for from the middle on\n"),
    ])
    func `a run goes on where one failed`(line: Line) async throws {
        try await line.check(on: Shelf.server())
    }

    @Test(arguments: [
        Line("items --from 2 $URL/numbered", prints: "item 2\nitem 3\n"),
        // The first page is 0, so the last of three is 2.
        Line("items --from 2 \"$URL/numbered?page=0\"", prints: "item 2\n"),
        Line("items --from 0 $URL/numbered", prints: "item 0\nitem 1\nitem 2\n"),
        Line(
            "items --from 9223372036854775807 \"$URL/linked?p=0\"",
            prints: "item 9223372036854775807\nitem 2\n"),
        Line("items --from 2 \"$URL/linked?p=1\"", prints: "item 2\n"),
        Line(
            "items --offline --pagination page:n --from 3 $URL/numbered | head -1",
            prints: "GET $URL/numbered?n=3\n"),
        Line("items --pagination offset:skip,count --from 1 $URL/offsets", prints: "item 2\n"),
        Line("items --from 4 \"$URL/slices?offset=0\"", prints: "e\n"),
        Line("items --count --expect 2 --from 2 $URL/numbered", prints: "2\n"),
        Line("items --limit 1 --from 2 $URL/numbered", prints: "item 2\n"),
        Line("items --csv --from 3 $URL/numbered", prints: "item\r\nitem 3\r\n"),
        Line(
            "items --offline --from 3 \"$URL/numbered?page=1&q=tea\" | head -1",
            prints: "GET $URL/numbered?page=3&q=tea\n"),
        Line(
            "items --demo=ok --from 2 --limit 1", prints: "Dragon Well\n",
            says: "items: demo data, no network\n"),
    ])
    func `a run begins where it is told to`(line: Line) async throws {
        try await line.check(on: Shelf.server())
    }

    @Test(arguments: [
        Line(
            "items --retry 0 $URL/flaky; items --from 2 $URL/flaky", prints: "a\nb\nc\n",
            says: """
                items: HTTP 500 Internal Server Error from $URL/flaky?page=2; the 2 items printed are not the whole list
                  hint: the server said: "not now"; go on with --from 2

                """),
        // An offset leads behind the items of the page that broke off, too.
        Line(
            "items --pagination offset $URL/slices; items --pagination offset --from 3 $URL/slices",
            prints: "a\nb\nc\nd\ne\n",
            says: """
                items: page 2 ended early at byte 18, inside item 4; the 3 items printed are not the whole list
                  hint: use --atomic to print nothing unless the list is complete; go on with --from 3

                """),
        Line(
            "items --max-pages 1 --from 2 \"$URL/numbered?api_key=x\"", ends: .limit, prints: "item 2\n",
            says: stopped(hint: "go on with --from 3")),
        Line(
            "items --max-pages 1 \"$URL/linked?p=1\"", ends: .limit, prints: "item 1\n",
            says: stopped(hint: "go on with --from 2")),
        // A number that leads elsewhere.
        Line(
            "items --max-pages 1 $URL/linked", ends: .limit, prints: "item 1\n",
            says: stopped(hint: "it stopped on page 2; \(resumeFile)")),
        // What cannot be added to.
        Line(
            "items --max-pages 1 --csv $URL/numbered", ends: .limit, prints: "item\r\nitem 1\r\n",
            says: stopped(hint: "it stopped on page 2")),
        Line(
            "items --max-pages 1 --limit 2 $URL/numbered", ends: .limit, prints: "item 1\n",
            says: stopped(hint: "it stopped on page 2")),
        Line(
            "items --max-pages 1 --from 0 --resume-file r $URL/numbered; items --from 1 --resume-file r $URL/numbered; items --resume-file r $URL/numbered",
            prints: "item 0\nitem 1\nitem 2\n",
            says: stopped(hint: "the same command without --from goes on where this one stopped")
                + """
                items: --from 1 says where to begin, and so does r
                  hint: leave one of them out; without --from the run goes on where the last one stopped

                """),
    ])
    func `a run that stopped says how to go on`(line: Line) async throws {
        try await line.check(on: Shelf.server())
    }

    private static let resumeFile = "--resume-file FILE lets a run go on where one stopped"

    private static func stopped(hint: String) -> String {
        """
        items: too much: there is more than 1 page; the item printed is not the whole list
          hint: allow more with --max-pages; \(hint)

        """
    }
}
