import Testing

@testable import items

/// Command lines that cannot be followed.
@Suite(.timeLimit(.minutes(5))) struct UsageTests {
    @Test(arguments: [
        ShellTest(
            "items", ends: .usage,
            says:
                "items: nothing to list: give a URL, a FILE, or - for the standard input\n  hint: items --help says more; items --demo shows it without a network\n"
        ),
        ShellTest(
            "items --hlep", ends: .usage, says: "items: unknown option --hlep\n  hint: did you mean --help?\n"
        ),
        ShellTest(
            "items --josn", ends: .usage, says: "items: unknown option --josn\n  hint: did you mean --json?\n"
        ),
        ShellTest(
            "items example.com/items", ends: .usage,
            says:
                "items: \"example.com/items\" is neither a URL nor a file\n  hint: a URL starts with its scheme: https://example.com/items\n"
        ),
        ShellTest(
            "echo '<!doctype html>' > page.html; items page.html", ends: .badList,
            says:
                "items: page.html is HTML, not JSON (starts \"<!doctype html>\\n\")\n  hint: list the URL that its data comes from\n"
        ),
        ShellTest(
            "items help", ends: .noInput,
            says: "items: cannot read help: No such file or directory\n  hint: did you mean --help?\n"),
        ShellTest(
            "items example.com", ends: .noInput,
            says:
                "items: cannot read example.com: No such file or directory\n  hint: if it is a web address, write https://example.com\n"
        ),
        ShellTest(
            "items -k $URL/", ends: .usage,
            says:
                "items: unknown option -k\n  hint: certificates are always checked; add yours to those that the system trusts\n"
        ),
        ShellTest("items --port 80 $URL/", ends: .usage, says: "items: --port belongs to --serve\n"),
        ShellTest(
            "items --serve --port ${URL##*:}", ends: .failure,
            says: "items: port <*> is taken\n  hint: leave out --port, and any free one is taken\n"),
        ShellTest(
            "items --limit", ends: .usage, says: "items: --limit needs a value: --limit N\n"),
        ShellTest(
            "items nothing.json", ends: .noInput,
            says: "items: cannot read nothing.json: No such file or directory\n"),
        ShellTest(
            "items --pagination sideways $URL/", ends: .usage,
            says:
                "items: there is no --pagination \"sideways\"\n  hint: the rules: auto, none, link, next, token, page, offset\n"
        ),
        ShellTest(
            "items --json -0 $URL/teas", ends: .usage,
            says: "items: -0 ends items, and --json has none that end\n"),
        ShellTest(
            "items --count --field a $URL/teas", ends: .usage, says: "items: --count prints no --field\n"),
        ShellTest(
            "items --resume-file r -o out $URL/teas", ends: .usage,
            says:
                "items: --resume-file goes on behind what is out, and -o leaves nothing of a run that failed\n  hint: append to a file: items … >> FILE\n"
        ),
        ShellTest(
            "items --resume-file r --json $URL/teas", ends: .usage,
            says:
                "items: --resume-file cannot go on with --json\n  hint: print lines, --jsonl, or --csv with --field\n"
        ),
        ShellTest(
            "items --no-paginate --from 2 $URL/teas", ends: .usage,
            says: "items: with --no-paginate \(noNumbers)"),
        ShellTest(
            "items --from 2 --pagination link $URL/teas", ends: .usage,
            says: "items: with --pagination link \(noNumbers)"),
        ShellTest(
            "items --pagination next:more --from 2 $URL/next", ends: .usage,
            says: "items: with --pagination next \(noNumbers)"),
        ShellTest(
            "items --pagination token --from 2 $URL/tokens", ends: .usage,
            says: "items: with --pagination token \(noNumbers)"),
        ShellTest(
            "echo [] | items --from 2 -", ends: .usage,
            says: "items: --from is for URLs: only pages can be asked for from the middle on\n"),
        ShellTest(
            "echo [] > list.json; items --from 2 list.json", ends: .usage,
            says: "items: --from is for URLs: only pages can be asked for from the middle on\n"),
    ])
    func `it says why, and what to write instead`(test: ShellTest) async throws {
        try await test.check(on: FixtureServer.make())
    }

    @Test(arguments: [
        ShellTest("items ''", ends: .usage, says: "items: the input is empty\n  hint: \(inputs)\n"),
        ShellTest(
            "items -- --json x", ends: .usage, says: "items: one input at a time, not \"--json\" and \"x\"\n"),
        ShellTest(
            "items ftp://host/", ends: .usage, says: "items: items speaks http and https, not ftp\n"),
        ShellTest(
            "items file:///list.json", ends: .usage,
            says:
                "items: items speaks http and https, not file\n  hint: a file is named by its path alone\n"),
        ShellTest("items http://u:p@/x", ends: .usage, says: "items: the URL has no host: http:///x\n"),
        ShellTest("items http://host:x/", ends: .usage, says: "items: this is no URL: http://host:x/\n"),
        ShellTest("items http://host:0/", ends: .usage, says: "items: there is no port 0\n"),
        ShellTest(
            "items 'http://host/a b'", ends: .usage,
            says: "items: the URL has a space in it\n  hint: write it as %20\n"),
        ShellTest(
            "items \"$(printf 'http://host/\\033')\"", ends: .usage,
            says: "items: the URL has a control character in it\n"),
        ShellTest(
            "items 'http://[::1]/'", ends: .usage,
            says: "items: the platform's HTTP library cannot reach an IPv6 address\n  hint: use a host name\n"
        ),
        ShellTest(
            "items - --token-file -", ends: .usage,
            says: "items: the standard input is either the token or the list\n"),
        ShellTest(
            "items --demo html", ends: .usage,
            says:
                "items: --demo lists its own data, not \"html\"\n  hint: a scenario is joined to it: --demo=html\n"
        ),
        ShellTest(
            "items --serve http://host/", ends: .usage,
            says: """
                items: --serve lists nothing
                  hint: list the URLs that it prints; a scenario is joined to it: --serve=html

                """),
    ])
    func `an input that is none, or one too many`(test: ShellTest) async throws {
        try await test.check(on: FixtureServer.make())
    }

    @Test(arguments: [
        ShellTest("items --json=1 x", ends: .usage, says: "items: --json takes no value\n"),
        ShellTest(
            "items --limit -1 x", ends: .usage,
            says: "items: --limit takes a whole number from 0 on, not \"-1\"\n"),
        ShellTest(
            "items --jobs 0 x", ends: .usage,
            says: "items: --jobs takes a whole number from 1 on, not \"0\"\n"
        ),
        ShellTest(
            "items --from -1 x", ends: .usage,
            says: "items: --from takes a whole number from 0 on, not \"-1\"\n"),
        ShellTest(
            "items --from=seven x", ends: .usage,
            says: "items: --from takes a whole number from 0 on, not \"seven\"\n"),
        ShellTest("items --field a,, x", ends: .usage, says: "items: --field \"a,,\": a path is missing\n"),
        ShellTest(
            "items --max-time 2s x", ends: .usage,
            says: "items: --max-time takes seconds, such as 2 or 0.5, not \"2s\"\n"),
        ShellTest(
            "items --max-time 9999999999 x", ends: .usage,
            says: """
                items: --max-time takes seconds, such as 2 or 0.5, not "9999999999"
                  hint: leave it out for no limit at all

                """),
        ShellTest(
            "items --max-bytes 1T x", ends: .usage,
            says: "items: --max-bytes takes a size, such as 65536, 64K or 4G, not \"1T\"\n"),
        ShellTest(
            "items --serve --port 65536", ends: .usage,
            says: "items: --port takes a number from 0 to 65535, not \"65536\"\n"),
    ])
    func `a value that is none`(test: ShellTest) async throws {
        try await test.check(on: FixtureServer.make())
    }

    @Test(arguments: [
        ShellTest(
            "items -H A $URL/", ends: .usage,
            says: "items: -H takes NAME:VALUE, and there is no colon in it\n"),
        ShellTest(
            "items -H 'A; b' $URL/", ends: .usage,
            says: "items: -H takes NAME:VALUE, or NAME; for an empty value\n"),
        ShellTest(
            "items -H A: $URL/", ends: .usage,
            says: "items: -H \"A\" has no value\n  hint: write it with a semicolon to send it empty\n"),
        ShellTest(
            "items -H 'A b: c' $URL/", ends: .usage, says: "items: -H \"A b\": this is no header name\n"),
        ShellTest(
            "items -H \"$(printf 'A: b\\001')\" $URL/", ends: .usage,
            says: "items: the value of -H \"A\" has a control character in it\n"),
        ShellTest(
            "head -c 1100000 /dev/zero > h; items -H @h $URL/", ends: .usage,
            says: "items: h is larger than 1 MB, too large for header fields\n"),
        ShellTest(
            "umask 77; head -c 66000 /dev/zero > t; items --token-file t $URL/", ends: .usage,
            says: "items: t is larger than 64 KB, too large for a token\n"),
        ShellTest(
            "echo machine '\"x' > ~/.netrc; items -n $URL/", ends: .noInput,
            says: "items: cannot read $DIR/.netrc, line 1: a quote is not closed\n"),
    ])
    func `a header or a credential that cannot be sent`(test: ShellTest) async throws {
        try await test.check(on: FixtureServer.make())
    }

    private static let noNumbers =
        "pages have no numbers for --from\n  hint: write the page into the URL, or use --pagination page or offset\n"
    private static let inputs = "give a URL, a FILE, or - for the standard input"
}
