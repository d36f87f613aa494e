import RESTClientTestingSupport
import Testing

@testable import items

/// The last steps of a pipeline: renamed members, selected items, an end of the list, and saved pages.
@Suite(.hangLimit) struct PipelineTests {
    /// Prints the same three objects in each test.
    private static let people =
        #"echo '[{"n": "Ann", "age": 9, "city": {"z": "0123"}}, {"n": "Bo", "age": 10.0, "tags": ["a", "b"]}, {"n": "Cy", "age": "x", "on": true, "gone": null}]' | items"#

    @Test(arguments: [
        ("name=n", "Ann\nBo\nCy\n"), ("name=n,zip=city.z --limit 1 --csv", "name,zip\r\nAnn,0123\r\n"),
        (#"'"a,b"=n' --limit 1 --jsonl"#, #"{"a,b":"Ann"}"# + "\n"),
        ("x.y=n --limit 1 --tsv", "x.y\nAnn\n"), ("all=. --limit 1 --at . --field n", "{<*>}\tAnn\n"),
    ])
    func `--field renames a member`(field: String, output: String) async throws {
        try await ShellTest("\(Self.people) --field \(field) -", output: output).check()
    }

    @Test(arguments: [
        ("age>=10", "Bo\n"), ("age<10", "Ann\n"), ("age=10", "Bo\n"), ("age==9.0", "Ann\n"),
        ("age!=9", "Bo\nCy\n"),
        ("n=Bo", "Bo\n"), ("n!=Bo", "Ann\nCy\n"), ("n > Ann", "Bo\nCy\n"), ("n<=Bo", "Ann\nBo\n"),
        ("n=\"Bo\"", "Bo\n"), ("city.z=\"123\"", ""), ("city.z=\"0123\"", "Ann\n"),
        ("tags[]=b", "Bo\n"), ("tags[]!=b", "Ann\nCy\n"), ("tags[0]=a", "Bo\n"), ("on=true", "Cy\n"),
        ("on=\"true\"", ""), ("gone=null", "Cy\n"), ("gone!=null", "Ann\nBo\n"), ("city exists", "Ann\n"),
        ("gone exists", ""), ("city=0123", ""), ("age=x", "Cy\n"), ("age=\"9\"", ""),
        ("city.z=0123", "Ann\n"),
        ("age>\"9\"", "Cy\n"), ("tags=[\"a\",\"b\"]", ""),
    ])
    func `--where prints the items that meet a comparison`(condition: String, output: String) async throws {
        try await ShellTest("\(Self.people) -q --field n --where '\(condition)' -", output: output).check()
    }

    @Test(arguments: [
        (#"e="🏽""#, "🏽\n"), (#"e!="🏽""#, "\u{301}=\n"), ("e=🏽", "🏽\n"), ("e>=🏽", "🏽\n"), ("e>🏽", ""),
        ("e=\u{301}=", "\u{301}=\n"), (#""e"=🏽"#, "🏽\n"), (#""🏽"=1"#, "🏽\n"), (#""🏽" exists"#, "🏽\n"),
    ])
    func `a combining character does not hide the sign before it`(
        condition: String, output: String
    ) async throws {
        let items = #"[{"e": "🏽", "🏽": 1}, {"e": "\u0301="}]"#
        try await ShellTest(
            "echo '\(items)' | items -q --field=e --where '\(condition)' -", output: output
        ).check()
    }

    @Test(arguments: [
        ("--where age\\>8 --where n!=Bo --count", "1\n"), ("--where age\\>8 --limit 1 --field n", "Ann\n"),
        ("--while age\\<10 --field n", "Ann\n"), ("--while n!=Cy --where age\\>9 --field n", "Bo\n"),
        ("--while 'city exists' --json --field n", "[\n{\"n\":\"Ann\"}\n]\n"),
    ])
    func `comparisons are combined with other options`(options: String, output: String) async throws {
        try await ShellTest("\(Self.people) \(options) -", output: output).check()
    }

    @Test(arguments: [
        ShellTest(
            "\(people) --while city.z=0123 --field n -", exit: .missingColumn, output: "Ann\n",
            error: #"item 2 has no value at "city.z" for --while (1 item printed)"#,
            hint: "use --where to skip such items"),
        ShellTest(
            "\(people) --while age\\<11 --field n", exit: .missingColumn, output: "Ann\nBo\n",
            error: #"item 3 has no number at "age" for --while (2 items printed)"#,
            hint: "use --where to skip such items"),
        ShellTest(
            "\(people) --while 'age<=\"9\"'", exit: .missingColumn,
            error: #"item 1 has no text at "age" for --while"#, hint: "did you mean --while 'age<=9'?"),
        ShellTest(
            #"echo '[{"n": ["150", 3]}]' | items --while 'n[]>100'"#, exit: .missingColumn,
            error: #"item 1 has no number at "n[]" for --while"#,
            hint: #"did you mean --while 'n[]>"100"'?"#),
        ShellTest(
            #"echo '[{"n": ["x", 300]}, {"n": [3]}]' | items --while 'n[]>100' --count"#, output: "1\n"),
        ShellTest(
            "items --while name!=Sencha $URL/teas", output: "Assam\nSencha\nGenmaicha\n",
            messages: "items: warning: no item has \"name\", which --while compares\n",
            hint: "the items have no members there"),
        ShellTest(
            "\(people) --where 'naem!=Bo' --count", output: "3\n",
            messages: "items: warning: no item has \"naem\", which --where compares\n",
            hint: "the first item has \"n\", \"age\", \"city\""),
        ShellTest(
            "\(people) --where 'agee exists' --count", output: "0\n",
            messages: "items: warning: no item has \"agee\", which --where compares\n",
            hint: "did you mean age?"),
        ShellTest("\(people) --where 'tags!=1' --where 'on exists' --count", output: "1\n"),
        ShellTest(
            #"echo '[{"id": "01"}, {"id": "null"}]' | items --where id=1 --where id==null"#,
            messages: """
                items: no item meets --where "id=1" (2 items read)
                  hint: "id" of the first item is "01"

                """),
        ShellTest(
            #"echo '[{"id": "01"}, {"id": "null"}]' | items --where id==null"#,
            messages: "items: no item meets --where \"id==null\" (2 items read)\n",
            hint: "did you mean --where 'id=\"null\"'?"),

        // The second page fails.
        ShellTest("items -q --while '.<b' $URL/flaky", output: "a\n"),
        ShellTest(
            "items --where '.>z' --expect 1+ $URL/teas", exit: .failure,
            messages: "<*>\n<*>\nitems: the list is empty\n"),
    ])
    func `a comparison that no item shows is an error`(test: ShellTest) async throws {
        try await test.check()
    }

    @Test(arguments: [
        ("id=15878708649682983133", "15878708649682983133\n"),
        ("id>15878708649682983132", "15878708649682983133\n15878708649682983134.5\n"),
        ("id<9007199254740993", "9007199254740992\n"),
    ])
    func `numbers are compared exactly`(condition: String, output: String) async throws {
        let ids = [
            "15878708649682983132", "15878708649682983133", "9007199254740992", "9007199254740993",
            "15878708649682983134.5",
        ].map { "{\"id\":\($0)}" }.joined(separator: ",")
        try await ShellTest(
            "echo '[\(ids)]' | items --field id --where '\(condition)'", output: output
        ).check()
    }

    @Test(arguments: [
        ("=9007199254740993", "9007199254740993e0\n"), (">1e399", "1e400\n1e500\n"), ("<-1e400", "-1e500\n"),
        ("=0", "-0.0e7\n"), ("=100", "1e2\n"), ("=10.0e1", "1e2\n"), ("<1e-399", "-1e500\n-0.0e7\n1e-400\n"),
    ])
    func `numbers with exponents are compared exactly`(condition: String, output: String) async throws {
        let numbers = "-1e500,-0.0e7,1e-400,1e2,9007199254740993e0,1e400,1e500"
        try await ShellTest("echo '[\(numbers)]' | items --where '.\(condition)'", output: output).check()
    }

    @Test(arguments: [
        ShellTest(
            "items -q --demo --count --save-pages p; ls -A p; cat p/0003.json",
            output: """
                6
                0001.json
                0002.json
                0003.json
                {"items":["Lapsang Souchong","Sencha"]}
                """),
        ShellTest(
            "items -q --demo --limit 3 --save-pages p; ls -A p",
            output: "Assam\nDarjeeling\nDragon Well\n0001.json\n"),
        ShellTest(
            "mkdir p; touch p/0001.json; items --save-pages p $URL/teas", exit: .outputFailed,
            error: "p/0001.json exists already", hint: "name a new directory with --save-pages"),
        ShellTest(
            "mkdir p; touch p/0002.json; items -q --demo --count --save-pages p; ls -A p",
            output: "0001.json\n0002.json\n", error: "p/0002.json exists already",
            hint: "name a new directory with --save-pages"),
        ShellTest(
            "touch p; items --save-pages p $URL/teas", exit: .outputFailed,
            error: "cannot write p: Not a directory"),
        ShellTest(
            "items -q --demo=flaky --retry 2 --count --save-pages p; ls -A p", output: "6\n0001.json\n"),
    ])
    func `--save-pages writes the body of each page`(test: ShellTest) async throws { try await test.check() }

    @Test(arguments: [
        ShellTest(#"echo '[{"a":{"b":1,"b":2}}]' | items --field a.b"#, output: "2\n"),
        ShellTest(
            #"echo '[{"a":{"b":[1]},"a":{"c":2}}]' | items --where 'a.b exists' --count"#, output: "0\n",
            messages: "items: warning: no item has \"a.b\", which --where compares\n",
            hint: "the first item has \"a.c\""),
        ShellTest(#"echo '[{"a":1,"a":2},{"a":2,"a":1}]' | items --where a=1 --count"#, output: "1\n"),
        ShellTest(
            #"echo '[{"a":[[1,2],[3,4]]}]' | items --csv --field 'a[0][1],a[1][0]' | tr -d '\r'"#,
            output: "<*>\n2,3\n"),
    ])
    func `the last of repeated members counts in paths and comparisons`(test: ShellTest) async throws {
        try await test.check()
    }

    @Test(arguments: [
        ShellTest(
            #"items --demo -o "$(printf 'o\377')"; items -H "$(printf 'X-A: \351')" $URL/teas"#, exit: .usage,
            messages:
                "items: argument <*> is not valid UTF-8\n<*>\nitems: argument <*> is not valid UTF-8\n<*>\n"
        ),
        ShellTest(
            "printf 'Bearer abc' > t; chmod 600 t; items --token-file t $URL/teas", exit: .usage,
            error: "t contains more than one token", hint: "leave out Bearer"),
        ShellTest(
            "printf 't\\303\\251' > t; chmod 600 t; items --token-file t $URL/teas", exit: .usage,
            messages: "items: t contains a character that no token has\n<*>"),
        ShellTest(
            "items -q --max-pages 1 --resume-file r $URL/numbered 2>&-; items --resume-file r --jsonl $URL/numbered",
            exit: .usage, output: "<*>",
            messages: "items: r belongs to a run with another format, selection or body\n<*>"),
    ])
    func `an argument that would be ignored or changed is refused`(test: ShellTest) async throws {
        try await test.check()
    }

    @Test(.linuxOnly("other platforms have no full device"), arguments: ["--count", "--limit 1"])
    func `a file of cookies that cannot be written is an error`(
        options: String
    ) async throws {
        try await ShellTest(
            "items -q --demo \(options) -c /dev/full", exit: .outputFailed, output: "<*>\n",
            error: "cannot write /dev/full: No space left on device",
            hint: "free some space, or write to another disk"
        ).check()
    }

    @Test(arguments: [
        // The reader waits: the program ends a second after the time.
        ShellTest(
            "yes 1234567 2>/dev/null | head -n 50000 > f.jsonl; { items --max-time 0.1 f.jsonl; echo $? >&2; } | sleep 3",
            messages: "items: timed out writing\n  hint: increase --max-time\n2\n"),
        ShellTest(
            "(ulimit -n 12; items $URL/teas)", exit: .failure, error: "too few file descriptors are free",
            hint: "use ulimit -n 256"),
        // The columns of a file that is not replaced are those of the first rows.
        ShellTest(
            longRows + "items --csv -o /dev/stdout f.jsonl > f; echo $?; tail -c 3 f",
            output: "10\nx\r\n",
            error: "item 151 has a value without a column: \"b\" (150 items printed)",
            hint: "name the columns with --field, or write --csv or --tsv to a file with -o"),
        ShellTest(
            longRows + "items --csv -o f f.jsonl; head -n 3 f; tail -n 1 f",
            output: "a,b\r\n,\r\n\"\",\r\n1,2\r\n"),
        ShellTest(
            longRows + "sed '$d' f.jsonl | items --csv -o f; head -n 3 f", output: "a\r\n\"\"\r\n\"\"\r\n"),
    ])
    func `an output that cannot take all items is an error`(test: ShellTest) async throws {
        try await test.check()
    }

    /// More rows of one column than are kept until the columns are known, and one of two.
    private static let longRows = """
        { printf '{"a":null}\\n{"a":""}\\n'; yes "{\\"a\\":\\"$(printf %120000s x)\\"}" 2>/dev/null | head -n 148; \
        echo '{"a":1,"b":2}'; } > f.jsonl; 
        """

    @Test func `a comparison that was meant is not looked for in items that are too large`() async throws {
        for (count, hint) in [(1_000, "\n  hint: did you mean --where 'l[]=a'?"), (70_000, "")] {
            let list = repeatElement("\"a\"", count: count).joined(separator: ",")
            let outcome = try await Outcome.of("--where", "l[]=A", input: "[{\"l\": [\(list)]}]")
            #expect(outcome.messages == "items: no item meets --where \"l[]=A\" (1 item read)\(hint)\n")
        }
    }

    @Test(arguments: ["", "--replace-invalid", "--save-pages pages"])
    func `a rate limit in the body of a success is waited for`(options: String) async throws {
        try await ShellTest(
            "items \(options) $URL/limited; cat pages/* 2>&- || :",
            output: "a\n\(options.hasPrefix("--save") ? #"{"items":["a"]}"# : "")",
            messages: "items: 200 OK with a rate limit; waiting 0.01 s (retry_after_ms), attempt 2 of 3\n"
        ).check()
    }

    @Test func `with --rate, a quota of the server is waited for, with a message`() async throws {
        try await ShellTest(
            "items --rate 9/s $URL/quota", output: "a\nb\n",
            messages: "items: waiting for the reset of the rate limit in <*> s (X-RateLimit-Reset-After)\n"
        ).check()
    }

    @Test func `--rate waits before requests that exceed the rate`() async throws {
        let start = ContinuousClock.now
        try await ShellTest("items -q --demo --rate 2/s --count", output: "6\n").check()
        #expect(ContinuousClock.now - start >= .milliseconds(900))
    }
}
