import Foundation
import RESTClient
import Testing

@testable import items

@Suite struct OptionParserTests {
    @Test(arguments: [
        (["--at", "data"], "data"), (["--at=data"], "data"), (["--at="], ""), (["--at", "--json"], "--json"),
        (["--at=a=b"], "a=b"), (["--at=🏽"], "🏽"), (["--at", "a", "--at", "b"], "b"),
    ])
    func `a value follows its option or is joined to it`(arguments: [String], path: String) throws {
        #expect(try OptionParser.parse(arguments).list == ListPath(path))
    }

    @Test(arguments: [
        ["-H", "A: b", "-v"], ["-HA: b", "-v"], ["-vHA: b"], ["-vH", "A: b"], ["--header=A: b", "--verbose"],
    ])
    func `short options can be combined`(arguments: [String]) throws {
        let options = try OptionParser.parse(arguments)
        #expect(options.headers == ["A: b"])
        #expect(options.verbosity == .verbose)
    }

    @Test func `repeated headers keep their order`() throws {
        #expect(try OptionParser.parse(["-HA:1", "-H", "B:2", "-HA:3"]).headers == ["A:1", "B:2", "A:3"])
    }

    @Test func `an optional value is joined to its option`() throws {
        #expect(try OptionParser.parse(["--demo"]).demo == Scenario(named: "ok"))
        #expect(try OptionParser.parse(["--demo=notnil"]).demo == Scenario(named: "notNil"))
        #expect(try OptionParser.parse(["--demo=list"]).action == .listScenarios)
        #expect(throws: CommandError.self) { try OptionParser.parse(["--demo", "html"]) }
    }

    @Test func `options and the input are accepted in any order`() throws {
        var expected = Options()
        expected.format = .json
        expected.limit = 3
        expected.input = "http://host/"
        #expect(try OptionParser.parse(["--json", "http://host/", "--limit", "3"]) == expected)
        #expect(try OptionParser.parse(["--limit=3", "--json", "--", "http://host/"]) == expected)
    }

    @Test func `default options match the help`() throws {
        let options = try OptionParser.parse([])
        #expect(options == Options())
        #expect(options.list == .automatic)
        #expect(options.pagination.rule == "auto")
        #expect(options.maxPages == 1000)
        #expect(options.jobs == 2)
        #expect(options.maxRedirects == 10)
        #expect(options.idleTimeout == .seconds(30))
        #expect(options.maxTime == nil)
        #expect(options.retries == 2)
        #expect(options.retryMaxTime == .seconds(60))
        let listing = options.listing
        #expect(listing.maxBytes == 4 << 30)
        #expect(listing.maxItemBytes == 16 << 20)
    }

    @Test func `a preset selects the list of its API unless --at is given`() throws {
        #expect(try OptionParser.parse(["--pagination", "stripe"]).list.member == "data")
        #expect(try OptionParser.parse(["--pagination", "github"]).list == .automatic)
        #expect(try OptionParser.parse(["--at", "items", "--pagination", "stripe"]).list.member == "items")
    }

    @Test func `arguments after -- are not options`() throws {
        #expect(try OptionParser.parse(["--", "--json"]).input == "--json")
        #expect(try OptionParser.parse(["-"]).input == "-")
    }

    @Test(arguments: [["--help", "--no-such"], ["-h"], ["--count", "-vh", "a", "b"]])
    func `--help ignores later errors`(arguments: [String]) throws {
        #expect(try OptionParser.parse(arguments).action == .showHelp)
    }

    @Test(arguments: [
        (["-v", "-q"], "--quiet cannot be combined with --verbose"),
        (["--count", "--csv"], "--csv cannot be combined with --count"),
    ])
    func `two options that exclude each other are refused`(arguments: [String], message: String) throws {
        #expect(throws: CommandError.usage(message)) { try OptionParser.parse(arguments) }
        #expect(try OptionParser.parse(["-v", "-v", "--csv", "--csv"]).format == .csv)
    }

    @Test(arguments: [
        ("u:p", "u", "p"), ("u", "u", nil), ("u:", "u", ""), ("u:a:b", "u", "a:b"), (":p", "", "p"),
        ("u:\u{301}p", "u", "\u{301}p"), ("🏽:🏽", "🏽", "🏽"),
    ])
    func `-u accepts a user with or without a password`(text: String, name: String, password: String?) throws
    {
        let user = User(name: name, password: password)
        #expect(try OptionParser.parse(["-u", text]).user == user)
        #expect(try OptionParser.parse(["-u\(text)"]).user == user)
    }

    @Test(arguments: [
        ("2", Duration.seconds(2)), ("0.5", .milliseconds(500)), (".5", .milliseconds(500)),
        ("2.", .seconds(2)), ("0", nil), ("0.0", nil), ("1000000000", .seconds(1_000_000_000)),
    ])
    func `a duration can have a fraction and 0 means no limit`(text: String, duration: Duration?) throws {
        #expect(try OptionParser.parse(["--max-time", text]).maxTime == duration)
    }
}

@Suite struct InvalidCommandLineTests {
    @Test(arguments: [
        "--limit=", "--limit -1", "--limit 1e3", "--limit +1", "--limit 1.0", "--limit ٣",
        "--limit 99999999999999999999", "--max-time -1", "--max-time 1e3", "--max-time .", "--max-time inf",
        "--max-time nan", "--max-time 2s", "--max-time 1000000001", "--retry x", "--retry -1", "--demo=none",
        "--json=1", "--at", "-H", "-x", "a b", "--demo http://host/", "-v=1", "--port 80 --demo",
        "--serve --demo", "--serve=tea", "--max-pages 0", "--jobs x", "--expect x", "--max-redirs",
        "--token-file", "--rate=", "--rate 0/s", "--rate x/s", "--rate 10/d", "--rate -1/s", "--max-bytes=",
        "--max-bytes K",
        "--max-bytes 0", "--max-bytes -1", "--max-bytes 1.5M", "--max-bytes 1KB", "--max-item 9999999999G",
        "--max-item ٣",
        "--demo=hug", "--demo=",
    ])
    func `an invalid command line is rejected`(line: String) {
        #expect(throws: CommandError.self) {
            try OptionParser.parse(line.split(separator: " ").map(String.init))
        }
    }

    @Test(arguments: [
        ("--josn", "--json"), ("--hlep", "--help"), ("--lim", "--limit"), ("--cuont", "--count"),
        ("--heade", "--header"), ("--max-tiem", "--max-time"), ("-U", "-u"), ("--demmo", "--demo"),
        ("-help", "--help"), ("-version", "--version"), ("-json", "--json"), ("-count", "--count"),
        ("-output", "--output"), ("-cookie-jar", "--cookie-jar"), ("-data", "--data"),
        ("-limit=\u{1B}[2J", "--limit"),
    ])
    func `a misspelled option gets a suggestion, without its value`(slip: String, meant: String) {
        let name = slip.prefix { $0 != "=" }
        #expect(throws: CommandError.usage("unknown option \(name)", hint: "did you mean \(meant)?")) {
            try OptionParser.parse([slip])
        }
    }

    @Test func `an alias is not an option and its hint names only options`() {
        let ours = Set(Option.all.flatMap { ["--\($0.name)"] + ($0.short.map { ["-\($0)"] } ?? []) })
        for foreign in OptionAlias.all {
            #expect(ours.isDisjoint(with: foreign.names))
            for word in foreign.hint.split(whereSeparator: { " ;,:".contains($0) }) where word.hasPrefix("-")
            {
                #expect(ours.contains(String(word)), "\(foreign.hint)")
            }
        }
    }

    @Test(arguments: [
        "--output=", "--resume-file=", "--token-file=", "--user=", "--request=", "--pagination=",
    ])
    func `an option for a file, a user or a word rejects an empty value`(argument: String) throws {
        let name = argument.dropLast()
        let error = try #require(throws: CommandError.self) { try OptionParser.parse([argument]) }
        #expect(error.message.hasPrefix("\(name) requires a value: \(name) "))
    }

    @Test(arguments: [
        "--xyzzy", "-y", "--abc", "--\u{1B}[2J=x", "--\(String(repeating: "long", count: 100))",
    ])
    func `an unknown option without a similar one gets no suggestion`(option: String) throws {
        let error = try #require(throws: CommandError.self) { try OptionParser.parse([option]) }
        #expect(error.hint == "see items --help")
        #expect(error.message.count < 120 && !error.message.contains("\u{1B}"))
    }

    @Test func `a password in a URL is not part of the message`() throws {
        let error = try #require(throws: CommandError.self) {
            try OptionParser.parse(["http://u:secret@host/", "http://u:secret@host//x"])
        }
        #expect(!error.message.contains("secret"))
        let second = try #require(throws: CommandError.self) {
            try OptionParser.parse(["--demo", "http://u:secret@host/"])
        }
        #expect(!second.message.contains("secret"))
    }
}
