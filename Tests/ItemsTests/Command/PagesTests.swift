import Testing

@testable import items

@Suite(.timeLimit(.minutes(5))) struct PagesTests {
    @Test(arguments: [
        ShellTest("items $URL/numbered", prints: "item 1\nitem 2\nitem 3\n"),
        ShellTest("items --no-paginate $URL/numbered", prints: "item 1\n"),
        ShellTest("items --pagination none $URL/numbered", prints: "item 1\n"),
        ShellTest("items --pagination link $URL/linked", prints: "item 1\nitem 2\n"),
        ShellTest("items --pagination link $URL/numbered", prints: "item 1\n"),
        ShellTest("items --pagination next:more $URL/next", prints: "item 1\nitem 2\n"),
        ShellTest("items --pagination token:meta.after,after $URL/tokens", prints: "item 1\nitem 2\n"),
        ShellTest("items --pagination page $URL/numbered", prints: "item 1\nitem 2\nitem 3\n"),
        ShellTest("items --pagination offset:skip,count $URL/offsets", prints: "item 1\nitem 2\n"),
        ShellTest("items --jobs 1 $URL/numbered", prints: "item 1\nitem 2\nitem 3\n"),
        ShellTest("items --jobs 8 $URL/numbered", prints: "item 1\nitem 2\nitem 3\n"),
        ShellTest("items --limit 2 $URL/numbered", prints: "item 1\nitem 2\n"),
        ShellTest("items --max-pages 3 $URL/numbered", prints: "item 1\nitem 2\nitem 3\n"),
        ShellTest(
            "items --max-pages 2 $URL/numbered", ends: .limit, prints: "item 1\nitem 2\n",
            says: """
                items: cannot follow the pages: there are more than 2 pages (2 items printed)
                  hint: increase --max-pages; resume with --from 3

                """),
        ShellTest(
            "items $URL/elsewhere", ends: .badList, prints: "a\n",
            says: """
                items: cannot follow the pages: http://other.example/ is at another origin than $URL; pages are followed at one only (1 item printed)
                  hint: use --atomic to print only complete lists

                """),
        ShellTest(
            "items $URL/circle", ends: .badList, prints: "a\n",
            says: """
                items: cannot follow the pages: $URL/circle comes a second time: the pages go in a circle (1 item printed)
                  hint: use --atomic to print only complete lists

                """),
        ShellTest(
            "items $URL/riddle", ends: .badList, prints: "a\n",
            says: """
                items: cannot follow the pages: "next" is "abc", no URL (1 item printed)
                  hint: specify the pagination, as in --pagination token:PATH,QUERY

                """),
        ShellTest("items --pagination token:next,after $URL/riddle", prints: "a\nb\n"),
        ShellTest(
            "items $URL/broken", ends: .badList, prints: "a\nb\nc\n",
            says: """
                items: page 2 ended early at byte 18, inside item 4 (3 items printed)
                  hint: use --atomic to print only complete lists; resume with --from 2, which prints the last item again

                """),
    ])
    func `pages are followed`(test: ShellTest) async throws { try await test.check(on: FixtureServer.make()) }

    @Test(arguments: [
        ShellTest(
            "items --retry 0 --resume-file r $URL/flaky; echo $?; stat -c %a r; items --resume-file r $URL/flaky; ls -A",
            prints: "a\nb\n5\n600\nc\n",
            says: """
                items: HTTP 500 Internal Server Error from $URL/flaky?page=2 (2 items printed)
                  hint: the server said: "not now"; run the same command again to resume

                """),
        ShellTest(
            "items --retry 0 --csv --field x --resume-file r $URL/flaky 2>&-; items -q --csv --field x --resume-file r $URL/flaky",
            prints: "x\r\n\r\n\r\n\r\n"),
        ShellTest("items --resume-file r $URL/teas; ls -A", prints: "Assam\nSencha\nGenmaicha\n"),
        ShellTest(
            "items --retry 0 --resume-file r $URL/flaky >&- 2>&-; items --resume-file r $URL/numbered",
            ends: .success,
            prints: "item 1\nitem 2\nitem 3\n"),
        ShellTest(
            "items -q --retry 0 --resume-file r $URL/flaky 2>&-; items --resume-file r $URL/numbered",
            ends: .usage,
            prints: "a\nb\n",
            says: """
                items: r belongs to another list: $URL/flaky
                  hint: use a separate --resume-file for each list

                """),
        ShellTest(
            "items --resume-file r --limit 1 $URL/teas", ends: .usage,
            says: "items: --resume-file cannot be combined with --limit\n"),
        ShellTest(
            "echo mine > r; items --resume-file r $URL/teas; cat r", prints: "mine\n",
            says: """
                items: r is not a resume file written by items
                  hint: use another file, or remove it

                """),
        ShellTest(
            "items -q --retry 0 --resume-file r $URL/flaky 2>&-; sed -i s,/flaky?,//other.example/?, r; sed -i s,url=.*//,url=http://, r; items --resume-file r $URL/flaky",
            ends: .badList, prints: "a\nb\n",
            says: """
                items: cannot follow the pages: http://other.example/?page=2 is at another origin than $URL; pages are followed at one only
                  hint: run the same command again to resume

                """),
        ShellTest(
            "items --retry 0 --resume-file /dev/full $URL/flaky", ends: .serverError, prints: "a\nb\n",
            says: """
                items: cannot write /dev/full: No space left on device
                items: HTTP 500 Internal Server Error from $URL/flaky?page=2 (2 items printed)
                  hint: the server said: "not now"; resume with --from 2

                """),
        ShellTest(
            "items --resume-file no/such/r $URL/teas", ends: .outputFailed,
            says: "items: cannot write no/such/r: No such file or directory\n"),
        ShellTest(
            "mkdir r; items --resume-file r $URL/teas", ends: .noInput,
            says: "items: cannot read r: Is a directory\n"),
        ShellTest(
            "echo [] | items --resume-file r -", ends: .usage,
            says: "items: --resume-file requires a URL\n"),
    ])
    func `--resume-file resumes a failed run`(test: ShellTest) async throws {
        try await test.check(on: FixtureServer.make())
    }

    @Test(arguments: [
        ShellTest("items --from 2 $URL/numbered", prints: "item 2\nitem 3\n"),
        // The first page is 0, so the last of three is 2.
        ShellTest("items --from 2 \"$URL/numbered?page=0\"", prints: "item 2\n"),
        ShellTest("items --from 0 $URL/numbered", prints: "item 0\nitem 1\nitem 2\n"),
        ShellTest(
            "items --from 9223372036854775807 \"$URL/linked?p=0\"",
            prints: "item 9223372036854775807\nitem 2\n"),
        ShellTest("items --from 2 \"$URL/linked?p=1\"", prints: "item 2\n"),
        ShellTest(
            "items --offline --pagination page:n --from 3 $URL/numbered | head -1",
            prints: "GET $URL/numbered?n=3\n"),
        ShellTest("items --pagination offset:skip,count --from 1 $URL/offsets", prints: "item 2\n"),
        ShellTest("items --from 4 \"$URL/slices?offset=0\"", prints: "e\n"),
        ShellTest("items --count --expect 2 --from 2 $URL/numbered", prints: "2\n"),
        ShellTest("items --limit 1 --from 2 $URL/numbered", prints: "item 2\n"),
        ShellTest("items --csv --from 3 $URL/numbered", prints: "item\r\nitem 3\r\n"),
        ShellTest(
            "items --offline --from 3 \"$URL/numbered?page=1&q=tea\" | head -1",
            prints: "GET $URL/numbered?page=3&q=tea\n"),
        ShellTest(
            "items --demo=ok --from 2 --limit 1", prints: "Dragon Well\n",
            says: "items: demo data, no network\n"),
    ])
    func `--from starts at the given page or offset`(test: ShellTest) async throws {
        try await test.check(on: FixtureServer.make())
    }

    @Test(arguments: [
        ShellTest(
            "items --retry 0 $URL/flaky; items --from 2 $URL/flaky", prints: "a\nb\nc\n",
            says: """
                items: HTTP 500 Internal Server Error from $URL/flaky?page=2 (2 items printed)
                  hint: the server said: "not now"; resume with --from 2

                """),
        // An offset leads behind the items of the page that broke off, too.
        ShellTest(
            "items --pagination offset $URL/slices; items --pagination offset --from 3 $URL/slices",
            prints: "a\nb\nc\nd\ne\n",
            says: """
                items: page 2 ended early at byte 18, inside item 4 (3 items printed)
                  hint: use --atomic to print only complete lists; resume with --from 3

                """),
        ShellTest(
            "items --max-pages 1 --from 2 \"$URL/numbered?api_key=x\"", ends: .limit, prints: "item 2\n",
            says: stopped(hint: "resume with --from 3")),
        ShellTest(
            "items --max-pages 1 \"$URL/linked?p=1\"", ends: .limit, prints: "item 1\n",
            says: stopped(hint: "resume with --from 2")),
        // A number that leads elsewhere.
        ShellTest(
            "items --max-pages 1 $URL/linked", ends: .limit, prints: "item 1\n",
            says: stopped(hint: "stopped on page 2; \(resumeFile)")),
        // What cannot be added to.
        ShellTest(
            "items --max-pages 1 --csv $URL/numbered", ends: .limit, prints: "item\r\nitem 1\r\n",
            says: stopped(hint: "stopped on page 2")),
        ShellTest(
            "items --max-pages 1 --limit 2 $URL/numbered", ends: .limit, prints: "item 1\n",
            says: stopped(hint: "stopped on page 2")),
        ShellTest(
            "items --max-pages 1 --from 0 --resume-file r $URL/numbered; items --from 1 --resume-file r $URL/numbered; items --resume-file r $URL/numbered",
            prints: "item 0\nitem 1\nitem 2\n",
            says: stopped(hint: "run the same command without --from to resume")
                + """
                items: --from 1 conflicts with the position saved in r
                  hint: omit --from to resume where the last run stopped

                """),
    ])
    func `an incomplete run prints a hint to resume`(test: ShellTest) async throws {
        try await test.check(on: FixtureServer.make())
    }

    private static let resumeFile = "use --resume-file FILE to make a run resumable"

    private static func stopped(hint: String) -> String {
        """
        items: cannot follow the pages: there is more than 1 page (1 item printed)
          hint: increase --max-pages; \(hint)

        """
    }
}
