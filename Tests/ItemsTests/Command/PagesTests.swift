import RESTClientTestingSupport
import Testing

@testable import items

@Suite(.hangLimit) struct PagesTests {
    @Test(arguments: [
        ShellTest("items $URL/numbered", output: "item 1\nitem 2\nitem 3\n"),
        ShellTest("items --pagination none $URL/numbered", output: "item 1\n"),
        ShellTest("items --pagination link $URL/linked", output: "item 1\nitem 2\n"),
        ShellTest("items --pagination next:more $URL/next", output: "item 1\nitem 2\n"),
        ShellTest("items --pagination token:after,meta.after $URL/tokens", output: "item 1\nitem 2\n"),
        ShellTest("items --pagination page $URL/numbered", output: "item 1\nitem 2\nitem 3\n"),
        ShellTest("items --pagination offset:skip,count $URL/offsets", output: "item 1\nitem 2\n"),
        ShellTest(
            "items -d '{\"q\":\"tea\"}' --pagination notion --at results $URL/posted", output: "a\nb\n"),
        ShellTest(
            "echo '{\"q\":\"tea\"}' > q; items -X POST --data @q --request POST --pagination token:start_cursor,next_cursor --at results $URL/posted",
            output: "a\nb\n"),
        ShellTest(
            "items --pagination token:after,next,last=isLast $URL/flagged", output: "a\nb\nc\nd\ne\n"),
        ShellTest(
            "items -d '{}' --pagination 'scroll:scroll,id,scrolled/more,body={\"a\":[1]}' $URL/scrolled",
            output: "a\nb\nc\nd\ne\n"),
        ShellTest("items --jobs 1 $URL/numbered", output: "item 1\nitem 2\nitem 3\n"),
        ShellTest("items --jobs 8 $URL/numbered", output: "item 1\nitem 2\nitem 3\n"),
        ShellTest("items --limit 2 $URL/numbered", output: "item 1\nitem 2\n"),
        ShellTest("items --max-pages 3 $URL/numbered", output: "item 1\nitem 2\nitem 3\n"),
        ShellTest("items --pagination token:after,next $URL/opaque-next", output: "a\nb\n"),
    ])
    func `pages are followed`(test: ShellTest) async throws { try await test.check() }

    @Test(arguments: [
        ShellTest(
            "items --retry 0 --resume-file r $URL/flaky >> l; echo $?; stat -c %a r; items --resume-file r $URL/flaky >> l; cat l; ls -A",
            output: "5\n600\na\nb\nc\nl\n",
            error: "HTTP 500 Internal Server Error: GET $URL/flaky?page=2 (2 items printed)",
            hint: #"try again later; message of the server: "not now"; run the same command again to resume"#
        ).linuxOnly("stat of BSD has no option -c"),
        ShellTest(
            "items --retry 0 --csv --field x --resume-file r $URL/flaky 2>&-; items -q --csv --field x --resume-file r $URL/flaky",
            exit: .missingColumn, output: "x\r\n\"\"\r\n\"\"\r\n\"\"\r\n", error: "no item has \"x\"",
            hint: "the items have no members there"),
        ShellTest(
            "items -q --retry 0 --where 'x!=1' --resume-file r $URL/flaky 2>&-; items -q --where 'x!=1' --resume-file r $URL/flaky",
            output: "a\nb\nc\n"),
        ShellTest(
            "items -q --retry 0 --resume-file r $URL/flaky 2>&-; items -0 --resume-file r $URL/flaky",
            exit: .usage, output: "a\nb\n",
            error: "r belongs to a run with another format, selection or body",
            hint: "run the same command again, or use another --resume-file"),
        ShellTest("items --resume-file r $URL/teas; ls -A", output: "Assam\nSencha\nGenmaicha\n"),
        ShellTest(
            "items --retry 0 --resume-file r $URL/flaky >&- 2>&-; items --resume-file r $URL/numbered",
            exit: .success,
            output: "item 1\nitem 2\nitem 3\n"),
        ShellTest(
            "items -q --retry 0 --resume-file r $URL/flaky 2>&-; sed -i s,url=.*/flaky,url=http://other.example/, r; items --resume-file r $URL/flaky",
            exit: .badList, output: "a\nb\n",
            error:
                "cannot follow the pages: http://other.example/ is at another origin than $URL: GET http://other.example/",
            hint: "if this server may be asked, too, add --allow-origin http://other.example"
        ).linuxOnly("sed of BSD requires a value for -i"),
        ShellTest(
            "items -q --max-pages 1 --resume-file r $URL/numbered 2>&-; head -1 r",
            output:
                "item 1\n# items: position of an incomplete list; run the same command to resume\n"),
    ])
    func `--resume-file resumes a failed run`(test: ShellTest) async throws { try await test.check() }

    @Test(arguments: [
        ShellTest(
            "items -q --retry 0 --resume-file r $URL/flaky >> l 2>&-; printf 'c\\nd' >> l; items --resume-file r $URL/flaky >> l; cat l; ls -A",
            output: "a\nb\nc\nl\n", error: "removed 3 bytes after the saved position from standard output"),
        ShellTest(
            "items -q --retry 0 --resume-file r $URL/flaky >> l 2>&-; echo longer > m; items --resume-file r $URL/flaky >> m; cat m",
            output: "longer\n", error: "standard output is not the output of the last run",
            hint: "\(outputHint)"),
        ShellTest(
            "items -q --retry 0 --resume-file r $URL/flaky 2>&- | cat; grep -c output r; items --resume-file r $URL/flaky | cat",
            output: "a\nb\n0\nc\n"),
        ShellTest(
            "echo before > l; items --retry 0 -o l --resume-file r $URL/flaky; cat l; ls; items -o l --resume-file r $URL/flaky; cat l; ls -A",
            output: "before\nl\nr\na\nb\nc\nl\n",
            error: "HTTP 500 Internal Server Error: GET $URL/flaky?page=2",
            hint: #"try again later; message of the server: "not now"; run the same command again to resume"#
        ),
        // The last run was killed after it had replaced the file.
        ShellTest(
            "items -q --retry 0 -o l --resume-file r $URL/flaky 2>&-; mv .items-* l; items -o l --resume-file r $URL/flaky; cat l; ls -A",
            output: "a\nb\nc\nl\n"),
        ShellTest("items -o l --resume-file r $URL/nowhere 2>&-; ls -A"),
        // The second page has no URL, so the next run starts with the first one.
        ShellTest(
            "list() { items -q -d '{\"q\":\"tea\"}' --pagination notion --at results --resume-file r $URL/posted \"$@\" >> l; }; list --max-pages 1 2>&-; list; cat l; ls -A",
            output: "a\nb\nl\n"),
        ShellTest(
            "flock l \"$items\" --resume-file r $URL/teas >> l; cat l; ls -A", output: "l\n",
            error: "another run is writing to standard output",
            hint: "wait until that run has ended"
        ).linuxOnly("other systems have no command flock"),
        ShellTest(
            "ln -s l k; items -q --retry 0 -o k --resume-file r $URL/flaky 2>&-; items -o k --resume-file r $URL/flaky; cat l",
            output: "a\nb\nc\n"),
        ShellTest(
            "items -q --max-pages 1 --limit 2 --resume-file r $URL/numbered >> l 2>&-; items --limit 2 --resume-file r $URL/numbered >> l; cat l; ls -A",
            output: "item 1\nitem 2\nl\n"),
        ShellTest(
            "items -q --max-pages 1 --resume-file r $URL/numbered >> l 2>&-; items --expect 3 --resume-file r $URL/numbered >> l; cat l",
            output: "item 1\nitem 2\nitem 3\n"),
    ])
    func `a continued run ends with the output of an uninterrupted one, or refuses it`(
        test: ShellTest
    ) async throws { try await test.check() }

    @Test(arguments: [
        ShellTest(
            "items -q --max-pages 1 --resume-file p $URL/numbered >> l 2>&-; ln -s p link; : > empty; mkfifo fifo; echo mine > text; mkdir folder; for r in link empty fifo text folder; do items --resume-file $r $URL/numbered >> l; done; cat l text; ls",
            output: "item 1\nmine\nempty\nfifo\nfolder\nl\nlink\np\ntext\n",
            messages: ["link", "empty", "fifo", "text", "folder"].map(foreign).joined())
    ])
    func `--resume-file does not change a file that the program did not write`(test: ShellTest) async throws {
        try await test.check()
    }

    private static let outputHint =
        "use the output of the last run (>> FILE, or the same -o FILE), or remove r to list from the first page"

    private static func foreign(_ file: String) -> String {
        "items: \(file) is not a resume file written by items\n  hint: use the path of a new file, which items creates\n"
    }

    @Test(arguments: [
        ShellTest("items \"$URL/numbered?page=2\"", output: "item 2\nitem 3\n"),
        ShellTest("items \"$URL/linked?p=2\"", output: "item 2\n"),
        ShellTest("items \"$URL/slices?offset=4\"", output: "e\n"),
        ShellTest(
            "items --pagination cloudflare --at result \"$URL/zones?page=2\"", output: "c\nd\ne\n"),
        ShellTest(
            "items --pagination scim --at Resources \"$URL/users?startIndex=4\"", output: "d\ne\n"),
        ShellTest("items --csv \"$URL/numbered?page=3\"", output: "item\r\nitem 3\r\n"),
    ])
    func `a list starts at the page or offset in the URL`(test: ShellTest) async throws {
        try await test.check()
    }

    @Test(arguments: [
        ShellTest(
            "items --retry 0 $URL/flaky; items \"$URL/flaky?page=2\"", output: "a\nb\nc\n",
            error: "HTTP 500 Internal Server Error: GET $URL/flaky?page=2 (2 items printed)",
            hint:
                #"try again later; message of the server: "not now"; resume with the URL '$URL/flaky?page=2'"#
        ),
        // An offset also skips the items already printed from the failed page.
        ShellTest(
            "items --pagination offset $URL/slices; items --pagination offset \"$URL/slices?offset=2\" | tail -n +2",
            output: "a\nb\nc\nd\ne\n",
            error: "page 2 ended early at byte 18, inside item 4: GET $URL/slices?offset=2 (3 items printed)",
            hint:
                "the response was cut off; try again later; resume with the URL '$URL/slices?offset=2', which prints the last item again"
        ),
        ShellTest(
            "items --max-pages 1 \"$URL/linked?p=1\"", exit: .limit, output: "item 1\n",
            messages: stopped(hint: "resume with the URL '$URL/linked?p=2'")),
        // A page number that is not in the URL.
        // Formats that cannot be continued.
        ShellTest(
            "items --max-pages 1 --limit 2 $URL/numbered", exit: .limit, output: "item 1\n",
            messages: stopped(hint: "stopped on page 2")),
    ])
    func `an incomplete run prints a hint to resume`(test: ShellTest) async throws { try await test.check() }

    private static func stopped(hint: String) -> String {
        """
        items: limit exceeded: the list has more than 1 page: GET <*> (1 item printed)
          hint: increase --max-pages; \(hint)

        """
    }
}
