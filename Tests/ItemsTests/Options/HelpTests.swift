import Testing

@testable import items

@Suite struct HelpTests {
    @Test func `the help starts with the usage`() {
        #expect(
            Help.text.hasPrefix(
                """
                Usage: items [OPTIONS] URL | FILE | -
                       items --demo[=SCENARIO] [OPTIONS]
                       items --serve[=SCENARIO|FILE.har] [--port N]

                Lists all items of a REST collection, one per line, as they arrive.

                Selection
                      --at PATH         list the array at this path, such as data.results;
                                        those in its elements: data[].items; at an index: [1];
                                        the members of an object, with their names as key:
                                        users{}; . is the document (default: items, or an array
                                        as document)

                """))
    }

    @Test func `the help ends with the environment and the exit codes`() {
        #expect(
            Help.text.hasSuffix(
                """

                Environment: ITEMS_URL is the default input; ITEMS_TOKEN_FILE is the file with
                the token for its origin; http_proxy, HTTPS_PROXY and NO_PROXY select proxies.

                Exit status: 0 complete, or --limit reached; 2 timeout; 3, 4, 5 response 3xx,
                4xx, 5xx; 6 redirect refused; 7 no connection; 8 invalid or incomplete list;
                9 limit exceeded; 10 value without column, or no such field; 64 usage error;
                66 file not readable; 74 output failed; 129 ended by SIGHUP; 130 interrupted;
                141 output closed by its reader; 143 ended by SIGTERM; 1 any other.

                """))
    }

    @Test func `the help contains each option`() throws {
        let lines = Help.text.split(separator: "\n")
        for option in Option.all {
            let start = (option.short.map { "  -\($0), " } ?? "      ") + option.usage
            let line = try #require(lines.first { $0.hasPrefix(start) }, "\(option.name)")
            #expect(line == start || line.contains("  \(option.help.prefix(15))"))
        }
    }

    @Test func `each group of the help has a heading`() {
        for group in Option.groups { #expect(Help.text.contains("\n\n\(group.title)\n  ")) }
    }

    @Test func `the help fits 80 columns`() {
        for line in Help.text.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
    }

    @Test func `the short help fits one screen`() {
        let lines = Help.short.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        #expect(lines.count <= 24)
        for line in lines { #expect(line.count <= 80, "\(line)") }
        for line in lines {
            if let (_, short, name) = line.wholeMatch(of: #/  (?:-(.), |    )--([\w-]+).*/#)?.output {
                #expect(Option.all.contains { $0.name == name && $0.short == short?.first }, "\(line)")
            }
            guard let example = line.wholeMatch(of: #/  items (.*)/#)?.1 else { continue }
            let words = example.split(separator: " ").map(String.init)
            #expect(throws: Never.self) { try OptionParser.parse(words) }
        }
    }

    @Test func `option names are unique`() {
        #expect(Set(Option.all.map(\.name)).count == Option.all.count)
        let letters = Option.all.compactMap(\.short)
        #expect(Set(letters).count == letters.count)
    }
}
