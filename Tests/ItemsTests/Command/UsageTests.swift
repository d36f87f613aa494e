import RESTClientTestingSupport
import Testing

@testable import items

/// Command lines that are not valid.
@Suite(.hangLimit) struct UsageTests {
    @Test(arguments: [
        ShellTest(
            "items", exit: .usage,
            messages:
                "items: missing input: pass a URL, a FILE or - for standard input\n  hint: see items --help, or try items --demo\n"
        ),
        ShellTest(
            "items --hlep", exit: .usage,
            messages: "items: unknown option --hlep\n  hint: did you mean --help?\n"
        ),
        ShellTest(
            "items --josn", exit: .usage,
            messages: "items: unknown option --josn\n  hint: did you mean --json?\n"
        ),
        ShellTest(
            "items example.com/items", exit: .usage,
            messages:
                "items: \"example.com/items\" is neither a URL nor a file\n  hint: for a URL, write https://example.com/items\n"
        ),
        ShellTest(
            "echo '<!doctype html>' > page.html; items page.html", exit: .badList,
            messages:
                "items: page.html is HTML, not JSON (starts \"<!doctype html>\\n\")\n  hint: pass the URL of its data instead\n"
        ),
        ShellTest(
            "items help", exit: .noInput,
            messages: "items: cannot read help: No such file or directory\n  hint: did you mean --help?\n"),
        ShellTest(
            "items example.com", exit: .noInput,
            messages:
                "items: cannot read example.com: No such file or directory\n  hint: for a URL, write https://example.com\n"
        ),
        ShellTest(
            "items -k $URL/", exit: .usage,
            messages:
                "items: unknown option -k\n  hint: certificates are always verified; trust yours with --cacert\n"
        ),
        ShellTest("items --port 80 $URL/", exit: .usage, messages: "items: --port requires --serve\n"),
        ShellTest(
            "items --serve --serve-files", exit: .usage,
            messages: "items: --serve-files requires --serve=FILE.har\n"),
        ShellTest(
            "items --serve --port ${URL##*:}", exit: .failure,
            messages: "items: port <*> is already in use\n  hint: omit --port to use any free port\n"),
        ShellTest(
            "items --limit", exit: .usage, messages: "items: --limit requires a value: --limit N\n"),
        ShellTest(
            "items nothing.json", exit: .noInput,
            messages: "items: cannot read nothing.json: No such file or directory\n"),
        ShellTest(
            "items --pagination sideways $URL/", exit: .usage,
            messages:
                "items: unknown pagination \"sideways\"\n  hint: available rules and presets: \(PaginationOption.words.joined(separator: ", "))\n"
        ),
        ShellTest(
            "items --json -0 $URL/teas", exit: .usage,
            messages: "items: -0 cannot be combined with --json\n"),
        ShellTest(
            "items --count --field a $URL/teas", exit: .usage,
            messages: "items: --field cannot be combined with --count\n"),
        ShellTest(
            "items --escape-formulas --table $URL/teas", exit: .usage,
            messages: "items: --escape-formulas requires --csv or --tsv\n"),
        ShellTest(
            "items --resume-file r --json $URL/teas", exit: .usage,
            messages:
                "items: --resume-file cannot be combined with --json\n  hint: use lines, --jsonl, or --csv with --field\n"
        ),
    ])
    func `a usage error has a message and a hint`(test: ShellTest) async throws { try await test.check() }

    @Test(arguments: [
        ShellTest("items ''", exit: .usage, messages: "items: the input is empty\n  hint: \(inputs)\n"),
        ShellTest(
            "items -- --json x", exit: .usage,
            messages: "items: only one input is allowed, not \"--json\" and \"x\"\n"),
        ShellTest(
            "items ftp://host/", exit: .usage,
            messages: "items: unsupported URL scheme ftp; use http or https\n"),
        ShellTest(
            "items file:///list.json", exit: .usage,
            messages:
                "items: unsupported URL scheme file; use http or https\n  hint: pass the path of a file without a scheme\n"
        ),
        ShellTest("items http://u:p@/x", exit: .usage, messages: "items: the URL has no host: http:///x\n"),
        ShellTest("items http://host:x/", exit: .usage, messages: "items: not a valid URL: http://host:x/\n"),
        ShellTest("items http://host:0/", exit: .usage, messages: "items: invalid port 0\n"),
        ShellTest(
            "items 'http://host/a b'", exit: .usage,
            messages: "items: the URL contains a space\n  hint: write %20 instead\n"),
        ShellTest(
            "items \"$(printf 'http://host/\\033')\"", exit: .usage,
            messages:
                "items: the URL contains a control or invisible character\n  hint: remove it, or write it with percent signs\n"
        ),
        ShellTest(
            "items - --token-file -", exit: .usage,
            messages: "items: standard input cannot provide both the token and the list\n"),
        ShellTest(
            "items --demo html", exit: .usage,
            messages:
                "items: --demo does not take an input, found \"html\"\n  hint: name a scenario with =, as in --demo=html\n"
        ),
        ShellTest(
            "items --serve http://host/", exit: .usage,
            messages: """
                items: --serve does not take an input
                  hint: name a scenario or a file with =, as in --serve=html or --serve=shop.har

                """),
    ])
    func `an invalid or second input is rejected`(test: ShellTest) async throws { try await test.check() }

    @Test(arguments: [
        ShellTest("items --json=1 x", exit: .usage, messages: "items: --json does not take a value\n"),
        ShellTest(
            "items --limit -1 x", exit: .usage,
            messages: "items: --limit requires a whole number from 0, not \"-1\"\n"),
        ShellTest(
            "items --jobs 0 x", exit: .usage,
            messages: "items: --jobs requires a whole number from 1, not \"0\"\n"
        ),
        ShellTest("items --field a,, x", exit: .usage, messages: "items: --field \"a,,\": empty path\n"),
        ShellTest(
            "items --max-time 2s x", exit: .usage,
            messages: "items: --max-time requires seconds such as 2 or 0.5, not \"2s\"\n"),
        ShellTest(
            "items --max-time 9999999999 x", exit: .usage,
            messages: """
                items: --max-time requires seconds such as 2 or 0.5, not "9999999999"
                  hint: use 0 for no limit

                """),
        ShellTest(
            "items --max-bytes 1T x", exit: .usage,
            messages: "items: --max-bytes requires a size such as 65536, 64K or 4G, not \"1T\"\n"),
        ShellTest(
            "items --serve --port 65536", exit: .usage,
            messages: "items: --port requires a number from 0 to 65535, not \"65536\"\n"),
    ])
    func `an invalid option value is rejected`(test: ShellTest) async throws { try await test.check() }

    @Test(arguments: [
        ShellTest(
            "items -H A $URL/", exit: .usage,
            messages: "items: -H requires NAME:VALUE; the colon is missing\n"),
        ShellTest(
            "items -H 'A; b' $URL/", exit: .usage,
            messages: "items: -H requires NAME:VALUE, or NAME; for an empty value\n"),
        ShellTest(
            "items -H A: $URL/", exit: .usage,
            messages: "items: -H \"A\" has no value\n  hint: use a semicolon to send an empty value: NAME;\n"),
        ShellTest(
            "items -H 'A b: c' $URL/", exit: .usage, messages: "items: -H \"A b\": invalid header name\n"),
        ShellTest(
            "items -H \"$(printf 'A: b\\001')\" $URL/", exit: .usage,
            messages: "items: the value of -H \"A\" contains a control character\n"),
        ShellTest(
            "printf 'A: \\377' > h; items -H @h $URL/", exit: .usage,
            messages: "items: h contains a header field that is not UTF-8\n"),
        ShellTest(
            "items -H \"$(printf 'A\\033[2J: b')\" $URL/", exit: .usage,
            messages: "items: -H \"A\\u001b[2J\": invalid header name\n"),
        ShellTest(
            "items -X \"$(printf 'A\\033[2J')\" $URL/", exit: .usage,
            messages: "items: cannot send A\\u001b[2J $URL/: \"A\\u001b[2J\" is not a valid method\n"),
        ShellTest(
            "head -c 1100000 /dev/zero > h; items -H @h $URL/", exit: .usage,
            messages: "items: h is too large for header fields (limit: 1 MB)\n"),
        ShellTest(
            "umask 77; head -c 66000 /dev/zero > t; items --token-file t $URL/", exit: .usage,
            messages: "items: t is too large for a token (limit: 64 KB)\n"),
        ShellTest(
            "echo machine '\"x' > ~/.netrc; chmod 600 ~/.netrc; items -n $URL/", exit: .noInput,
            messages: "items: cannot read $DIR/.netrc, line 1: a quote is not closed\n"),
    ])
    func `an invalid header or credential is rejected`(test: ShellTest) async throws {
        try await test.check()
    }

    private static let inputs = "pass a URL, a FILE or - for standard input"
}
