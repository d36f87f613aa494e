import RESTClientTestingSupport
import Testing

@testable import items

/// The selection of items and their output formats.
@Suite(.hangLimit) struct SelectionTests {
    @Test(arguments: [
        ShellTest("items $URL/teas", output: "Assam\nSencha\nGenmaicha\n"),
        ShellTest("items --at data.list $URL/nested", output: "1\n2.5\ntrue\nnull\n"),
        ShellTest("items --at . $URL/array", output: "a\nb\n"),
        ShellTest("items $URL/array", output: "a\nb\n"),
        ShellTest(#"echo '["a"]' | items -"#, output: "a\n"),
        ShellTest(
            #"echo '{"items": ["a"], "incomplete_results": true}' | items --allow-incomplete -"#,
            output: "a\n"),
        ShellTest(
            #"echo '{"d": [{"l": [1, 2]}, {}, {"l": null}, {"l": [3]}]}' | items --at 'd[].l' -"#,
            output: "1\n2\n3\n"),
        ShellTest(#"echo '[[1, 2], [3]]' | items --at '[]' --limit 2 -"#, output: "1\n2\n"),
        // The keys of the outer objects are not columns.
        ShellTest(
            #"echo '[{"a": 1, "l": ["x", {"b": 2}]}, {"l": [{"a": 3, "b": 4}, {"b": 5, "c": 6}]}]' | items --at '[].l' --csv -"#,
            output: "item,b,a,c\r\nx,,,\r\n,2,,\r\n,4,3,\r\n,5,,6\r\n"),
        ShellTest(
            #"echo '["x", {"a": 1}, {"a": 2, "b": 3}, {"a": 4, "b": 5}]' | items --csv -"#,
            output: "item,a,b\r\nx,,\r\n,1,\r\n,2,3\r\n,4,5\r\n"),
        // A list in an element that goes on is not complete.
        ShellTest(
            #"echo '[{"l": {"nodes": [1, 2], "pageInfo": {"hasNextPage": true, "endCursor": "c"}}}, {"l": null}]' | items --at '[].l.nodes' -"#,
            exit: .badList, output: "1\n2\n",
            error: #"a list at "l.nodes" has more items than the document: "l.pageInfo.hasNextPage: true""#,
            hint:
                "request more of these items, or each of these lists on its own; to accept it, add --allow-incomplete"
        ),
        ShellTest(
            #"echo '[{"l": {"nodes": [1, 2], "pageInfo": {"hasNextPage": true}}}]' | items --at '[].l.nodes' --allow-incomplete -"#,
            output: "1\n2\n"),
        ShellTest(
            #"echo '[{"l": [1, 2], "has_more": true}]' | items --at '[].l' --limit 2 -"#, output: "1\n2\n"),
        ShellTest(
            #"echo '[{"hits": [1, 2], "nbHits": 7, "page": 0, "nbPages": 4}]' | items --at '[].hits' -"#,
            exit: .badList, output: "1\n2\n",
            error: #"a list at "hits" has more items than the document: "nbHits: 7""#,
            hint:
                "request more of these items, or each of these lists on its own; to accept it, add --allow-incomplete"
        ),
        ShellTest(
            #"echo '[{"hits": [1, 2], "nbHits": 2, "page": 0}, {"hits": [3], "total": 7}]' | items --at '[].hits' -"#,
            output: "1\n2\n3\n"),
        ShellTest(
            #"echo '[{"number": "INV-17", "size": "L", "limit": 500, "total": 45, "l": [1]}]' | items --at '[].l' -"#,
            output: "1\n"),
        ShellTest(
            #"echo '[{"comment": {"comments": [1], "maxResults": 1, "total": 5, "startAt": 0}}]' | items --at '[].comment.comments' -"#,
            exit: .badList, output: "1\n",
            error: #"a list at "comment.comments" has more items than the document: "comment.total: 5""#,
            hint:
                "request more of these items, or each of these lists on its own; to accept it, add --allow-incomplete"
        ),
        ShellTest(
            #"echo '[{"replies": {"items": [1], "next": "/replies?page=2"}}]' | items --at '[].replies.items' -"#,
            exit: .badList, output: "1\n",
            error:
                "a list at \"replies.items\" has more items than the document: \"replies.next: \\\"/replies?page=2\\\"\"",
            hint:
                "request more of these items, or each of these lists on its own; to accept it, add --allow-incomplete"
        ),
        // But the members of an element are about the element.
        ShellTest(
            #"echo '[{"total": 99, "next": "/orders/8", "page": 3, "links": {"next": "/orders/8"}, "basket": {"total": 99, "l": [1]}}]' | items --at '[].basket.l' -"#,
            output: "1\n"),
        ShellTest(
            #"echo '[{"l": {"nodes": [1], "totalCount": 1, "pageInfo": {"hasNextPage": false, "endCursor": "c"}}}]' | items --at '[].l.nodes' -"#,
            output: "1\n"),
        ShellTest(
            #"echo '{"items": [1], "has_more": true}' | items -q"#, exit: .badList, output: "1\n",
            error: "standard input is one page of a longer list (1 item printed)",
            hint: "list the URL, whose pages are followed, or this page alone with --pagination none"),
        // A saved page is listed.
        ShellTest(
            #"echo '{"items": [1], "has_more": true}' | items --pagination none"#, output: "1\n"),
        ShellTest(#"echo '{"items": [1], "has_more": false}' | items"#, output: "1\n"),
        ShellTest(#"echo '[]' | items --at '[].l' -"#),
        ShellTest(#"echo '[{"l": null}, {"l": []}]' | items --at '[].l' -"#),
        ShellTest(#"echo '{"a": [1, {"l": [2]}]}' | items --at 'a[1].l' -"#, output: "2\n"),
        ShellTest("items $URL/none"),
        ShellTest("items --limit 2 $URL/teas", output: "Assam\nSencha\n"),
        ShellTest("items --limit 3 $URL/teas", output: "Assam\nSencha\nGenmaicha\n"),
        ShellTest("items --limit 9 $URL/teas", output: "Assam\nSencha\nGenmaicha\n"),
        ShellTest("items --limit 2 --count $URL/teas", output: "2\n"),
        ShellTest("items --limit 0 $URL/missing"),
        ShellTest("ITEMS_URL=$URL/teas items --limit 1", output: "Assam\n"),
        ShellTest(#"echo '{"items": ["in a file"]}' > f.json; items f.json"#, output: "in a file\n"),
        ShellTest(#"echo '{"items": ["piped"]}' | items -"#, output: "piped\n"),
        // The input was meant, and is the value of an option.
        ShellTest(
            "printf '' | items -X $URL/teas", exit: .usage, error: "--request requires a URL",
            hint: "the value of --request looks like the input"),
        ShellTest(
            "printf '' | items --field f.json", exit: .badList, error: "standard input is empty, not JSON",
            hint: "the value of --field looks like the input"),
    ])
    func `the input and path options select the list`(test: ShellTest) async throws { try await test.check() }

    @Test(arguments: [
        ShellTest(#"printf '{"a": 1}\n{"b": [2]}\n' | items -"#, output: "{\"a\":1}\n{\"b\":[2]}\n"),
        ShellTest("printf '1\\n\\n 2\\n3' > f.jsonl; items f.jsonl", output: "1\n2\n3\n"),
        ShellTest(#"printf '{"items": ["a"]}' > f.ndjson; items f.ndjson"#, output: "{\"items\":[\"a\"]}\n"),
        ShellTest("printf '\\036\"a\"\\n\\036{\"b\":\\n1}\\n' | items -", output: "a\n{\"b\":1}\n"),
        ShellTest(
            "items --jsonl $URL/people | items --field name -",
            output: "Ada\n李小龍\ne\u{301}lan\n\"two\\nlines\"\n"),
        ShellTest("items --jsonl --limit 1 $URL/people | items --lines --field name -", output: "Ada\n"),
        ShellTest("items --jsonl $URL/none | items --lines --field name -"),
        ShellTest(#"echo '{"items": [1]}' > f.json; items --lines f.json"#, output: "{\"items\":[1]}\n"),
        ShellTest("printf '[1]\\n' | items --at items --lines -", output: "[1]\n"),
        ShellTest("NO_COLOR=1 items --lines $URL/array", output: "[\"a\",\"b\"]\n"),
        ShellTest("items --field id $URL/lines", output: "1\n2\n3\n"),
        ShellTest("items $URL/document.jsonl", output: "in a document\n"),
        ShellTest("items $URL/values.jsonl", output: "[1]\n[2]\n"),
        ShellTest("items --field id --pagination stripe $URL/charges", output: "a\nb\nc\n"),
        ShellTest("items --pagination notion $URL/array", output: "a\nb\n"),
        ShellTest(
            "items --color always --jsonl $URL/array",
            output: "\u{1B}[32m\"a\"\u{1B}[0m\n\u{1B}[32m\"b\"\u{1B}[0m\n"),
        ShellTest(
            "items --at 'users{}' $URL/map", output: "{\"key\":\"a\",\"n\":1}\n{\"key\":\"b\",\"value\":2}\n"),
        ShellTest("items --at 'users{id}' --csv $URL/map", output: "id,n,value\r\na,1,\r\nb,,2\r\n"),
        ShellTest("items --at 'users{}' --limit 1 --field key $URL/map", output: "a\n"),
        ShellTest(
            "printf '1\\n{\"a\"' > f.jsonl; items f.jsonl", exit: .badList, output: "1\n",
            error: "f.jsonl ended early at byte 6, inside item 2 (1 item printed)",
            hint: "use -o FILE to keep only complete lists"),
        ShellTest(
            "printf '1,2\\n' > f.jsonl; items f.jsonl", exit: .badList, output: "1\n",
            error: "f.jsonl is not valid JSON at byte 1 ($[1]): <*> (1 item printed)",
            hint: "use -o FILE to keep only complete lists"),
        ShellTest(
            "echo '[]' | gzip > 'my file.gz'; items --lines 'my file.gz'", exit: .badList,
            error: "my file.gz is compressed with gzip",
            hint: "unpack it first: gzip -dc 'my file.gz' | items -"),
    ])
    func `a file can be a sequence of JSON values`(test: ShellTest) async throws { try await test.check() }

    @Test(arguments: [
        ShellTest("items --field name --limit 2 $URL/people", output: "Ada\n李小龍\n"),
        ShellTest(
            "items --field name,home.city --field age $URL/people",
            output: "Ada\tLondon\t36\n李小龍\ta, \"b\"\t7\ne\u{301}lan\t\t101\n\"two\\nlines\"\t\t\n"),
        ShellTest("items --field home --limit 1 $URL/people", output: "{\"city\":\"London\"}\n"),
        ShellTest(
            "items -q -o out --field note $URL/people; echo $?; ls", output: "10\n",
            error: "no item has \"note\"", hint: "the first item has \"name\", \"age\", \"home\""),
        ShellTest(
            "items --field name $URL/teas", exit: .missingColumn, output: "\n\n\n",
            error: "no item has \"name\"", hint: "the items have no members there"),
        ShellTest("items --field a $URL/none"),
        ShellTest(
            #"echo '[{"a": {"b.c": [{"d": 1}, {"d": 2}]}}]' | items --at . --field 'a."b.c"[].d,a."b.c"[1].d' -"#,
            output: "1,2\t2\n"),
    ])
    func `--field selects members`(test: ShellTest) async throws { try await test.check() }

    @Test func `members that are too many to be kept are no sign of another page`() async throws {
        let members = (0..<2_000).map { "\"m\($0)\": \($0)" }.joined(separator: ", ")
        let outcome = try await Outcome.of("-", input: "{\"items\": [1], \(members)}")
        #expect(outcome.output == "1\n")
        #expect(outcome.messages == "")
    }
}

@Suite(.hangLimit) struct OutputFormatTests {
    @Test(arguments: [
        ShellTest("items --json --limit 2 $URL/teas", output: "[\n\"Assam\",\n\"Sencha\"\n]\n"),
        ShellTest("items --json $URL/none", output: "[]\n"),
        ShellTest(
            "items --json $URL/cut", exit: .badList, output: "[\n\"a\"\n",
            error: "the response ended early at byte 18, inside item 2: GET $URL/cut (1 item printed)",
            hint: "the response was cut off; try again later"),
        ShellTest(
            "items --json --field name,note --limit 1 $URL/people", exit: .missingColumn,
            output: "[\n{\"name\":\"Ada\"}\n]\n", error: "no item has \"note\"",
            hint: "the first item has \"name\", \"age\", \"home\""),
        ShellTest(
            "items --jsonl $URL/hostile",
            output: #"""
                "plain"
                "\u001b[2J"
                "two\nlines"
                "-n"
                "\"x\""
                "a\u0000b"
                ""

                """#),
        ShellTest(
            "items --jsonl --field age,home.city $URL/people",
            output: """
                {"age":36,"home.city":"London"}
                {"age":7,"home.city":"a, \\"b\\""}
                {"age":101}
                {"home.city":""}

                """),
        ShellTest("items --count $URL/teas", output: "3\n"),
    ])
    func `--json, --jsonl and --count print their formats`(test: ShellTest) async throws {
        try await test.check()
    }

    @Test(arguments: [
        ShellTest(
            "items --csv --field name,home.city,age $URL/people",
            output: "name,home.city,age\r\nAda,London,36\r\n李小龍,\"a, \"\"b\"\"\",7\r\ne\u{301}lan,,101\r\n"
                + "\"two\nlines\",\"\",\r\n"),
        ShellTest("items --csv --field a,b $URL/none", output: "a,b\r\n"),
        ShellTest("items --csv $URL/unmatchedCount", output: "a,b,item\r\n1,,\r\n2,3,\r\n,,text\r\n"),
        ShellTest(
            "items --csv --escape-formulas $URL/formulas", output: "a,b\r\n'=1+1,-1\r\n"),
        ShellTest("items --tsv $URL/formulas", output: "a\tb\n=1+1\t-1\n"),
        ShellTest("echo '[{\"a\": null, \"b\": 1}]' | items --csv -", output: "a,b\r\n,1\r\n"),
        ShellTest(
            #"echo '[{"a": null, "b": "\\N"}]' | items --tsv --null-value '\N' -"#,
            output: "a\tb\n\\N\t\\\\N\n"),
        // Readers skip the only cell of a row if it is empty.
        ShellTest(
            #"echo '[{"a": null}, {"a": ""}, {"a": 1}]' > f; items --tsv f; items --tsv --field a f"#,
            output: "a\n\n\n1\na\n\n\n1\n",
            messages: String(
                repeating:
                    "items: warning: 2 rows are empty lines, which many programs skip; use --csv\n",
                count: 2)),
        ShellTest(
            #"echo '[{"a": 5, "b": null}, {"a": [1], "b": "5"}]' | items --csv --null-value 5 -"#,
            output: "a,b\r\n\"5\",5\r\n[1],\"5\"\r\n"),
        ShellTest(
            #"echo '[{"a": null, "b": "NULL"}, {"b": "c\u0000"}]' | items --tsv --null-value NULL -"#,
            output: "a\tb\nNULL\tNULL\n\tc\\0\n"),
    ])
    func `--csv and --tsv print a header and records`(test: ShellTest) async throws { try await test.check() }

    @Test(arguments: [
        ShellTest(
            "items --table --field name,age,home.city $URL/people",
            output: """
                name          age  home.city
                Ada            36  London
                李小龍          7  a, "b"
                e\u{301}lan          101
                "two\\nlines"

                """),
        ShellTest("items --table --limit 2 $URL/teas", output: "item\nAssam\nSencha\n"),
        ShellTest("items --table $URL/mixed", output: "a  b\n1\n2  x\n   y\n"),
        ShellTest("items --table --field a,b $URL/none", output: "a  b\n"),
        ShellTest(
            "echo '[{\"a\": null, \"b\": 1}]' | items --table --null-value - -", output: "a  b\n-  1\n"),
        ShellTest(
            "items --table --at items $URL/cut", exit: .badList, output: "item\na\n",
            error: "the response ended early at byte 18, inside item 2: GET $URL/cut (1 item printed)",
            hint: "the response was cut off; try again later"),
    ])
    func `--table aligns columns`(test: ShellTest) async throws { try await test.check() }

    @Test(arguments: [
        ShellTest(
            "items -0 $URL/hostile | tr '\\000' '|'",
            output: "plain|\u{1B}[2J|two\nlines|-n|\"x\"|", messages: nullByte(after: 5)),
        ShellTest(
            #"""
            printf '%s' '[{"p": "a\nb"}, {"p": "\"a\""}, {"p": "a\\nb"}, {"p": "\u202e\u001b"}, {"p": ""}, {"p": null}, {},
            {"p": [1, "\n"]}]' | items -0 --field p - | tr '\000' '|'
            """#, output: "a\nb|\"a\"|a\\nb|\u{202E}\u{1B}||null||[1,\"\\n\"]|"),
        ShellTest(
            #"printf '%s' '[{"p": ["\"", "\n"], "q": "\t"}]' | items -0 --field 'p[],q' - | tr '\000' '|'"#,
            output: "\",\n\t\t|"),
        ShellTest(
            #"""
            printf '%s' '[{"p": "x", "q": "y"}, {"p": "z", "q": "a\u0000b"}]' | items -0 --field p,q - > out
            status=$?; tr '\000' '|' < out; exit $status
            """#, exit: .outputFailed, output: "x\ty|", messages: nullByte(after: 1, in: "z\\ta")),
        ShellTest("items --null --field name,age --limit 1 $URL/people | tr '\\000' '|'", output: "Ada\t36|"),
        ShellTest("items -0 $URL/teas | xargs -0 printf '<%s>'", output: "<Assam><Sencha><Genmaicha>"),
    ])
    func `--null prints the text of strings, each with a null byte at its end`(test: ShellTest) async throws {
        try await test.check()
    }

    /// The messages for an item that starts with `text` and contains a null byte.
    private static func nullByte(after count: Int, in text: String = "a") -> String {
        """
        items: an item contains a null byte, which ends each item: "\(text)\\u0000b" (\(count) item\(count == 1 ? "" : "s") printed)
          hint: use --jsonl, which escapes it

        """
    }

    @Test(arguments: [
        ("-o l.csv", "item\r\nAssam\r\n"), ("-o l.TSV", "item\nAssam\n"), ("-o l.json", "[\n\"Assam\"\n]\n"),
        ("-o a.b/l.jsonl", "\"Assam\"\n"), ("-o l.ndjson", "\"Assam\"\n"), ("-o l.txt", "Assam\n"),
        ("-o csv.d", "Assam\n"), ("-o l.csv --jsonl", "\"Assam\"\n"), ("--count -o l.json", "1\n"),
        ("-0 -o l.csv", "Assam\0"),
    ])
    func `the extension of an output file names the format, unless an option does`(
        options: String, output: String
    ) async throws {
        try await ShellTest(
            "mkdir a.b; items \(options) --limit 1 $URL/teas; cat $(find . -type f)", output: output
        ).check()
    }

    @Test(arguments: [
        ShellTest("items -o out $URL/teas; cat out; ls -A", output: "Assam\nSencha\nGenmaicha\nout\n"),
        ShellTest("echo old > out; items -o out --limit 1 $URL/teas; cat out", output: "Assam\n"),
        // Of the files that look like those of a run that was killed, one belongs to a run, and one is not a file.
        ShellTest(
            "touch .items-killed .items-locked .items-partial-killed; mkdir .items-folder; exec 9< .items-locked; flock 9; items -o out $URL/teas; ls -A",
            output: ".items-folder\n.items-locked\n.items-partial-killed\nout\n"
        ).linuxOnly("flock is a command of Linux"),
        ShellTest(
            "mkdir p; touch p/.items-killed; items -q --save-pages p $URL/teas; ls -A p",
            output: "Assam\nSencha\nGenmaicha\n0001.json\n"),
        ShellTest(
            "echo old > out; items -o out --retry 0 $URL/cut || cat out; ls -A", output: "old\nout\n",
            error: "the response ended early at byte 18, inside item 2: GET $URL/cut",
            hint: "the response was cut off; try again later"),
        ShellTest("items -o out $URL/teas; stat -c %a out", output: "600\n")
            .linuxOnly("stat of BSD has no option -c"),
        ShellTest("echo > out; chmod 640 out; items -o out $URL/teas; stat -c %a out", output: "640\n")
            .linuxOnly("stat of BSD has no option -c"),
        ShellTest(
            "ln -s there out; items -o out --limit 1 $URL/teas; readlink out; cat there",
            output: "there\nAssam\n"),
        ShellTest(
            "echo > there; chmod 640 there; ln -s there out; items -o out $URL/teas; stat -c %a there; ls -A",
            output: "640\nout\nthere\n"
        ).linuxOnly("stat of BSD has no option -c"),
        ShellTest(
            "echo old > there; ln -s there out; items -o out --retry 0 $URL/cut || cat there; ls -A",
            output: "old\nout\nthere\n",
            error: "the response ended early at byte 18, inside item 2: GET $URL/cut",
            hint: "the response was cut off; try again later"),
        ShellTest("items -o /dev/stdout --limit 1 $URL/teas | cat", output: "Assam\n"),
        ShellTest(
            "echo keep > log; items -o /dev/fd/1 --limit 1 $URL/teas >> log; cat log", output: "keep\nAssam\n"
        ),
        ShellTest(
            "echo keep > log; items -o /dev/stdout --limit 1 $URL/teas >> log; cat log",
            output: "keep\nAssam\n"),
        ShellTest(
            "ln -s /dev/stdout out; items -o out --limit 1 $URL/teas > list; cat list", output: "Assam\n"),
        ShellTest("mkfifo out; cat out & items -o out --limit 1 $URL/teas; wait; ls", output: "Assam\nout\n"),
        ShellTest("items -o - --count $URL/teas", output: "3\n"),
        ShellTest(
            "items --output $(printf %0250d 1) --count $URL/teas; ls | wc -c | tr -d ' '", output: "251\n"),
        ShellTest(
            "items -o no/such/out $URL/teas", exit: .outputFailed,
            error: "cannot write no/such/out: No such file or directory"),
        ShellTest(
            "echo old > out; items -o out --expect 2 $URL/teas; cat out", output: "old\n",
            error: "expected 2 items, found 3"),
    ])
    func `--output writes to a file`(test: ShellTest) async throws { try await test.check() }
}
