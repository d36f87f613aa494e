import Testing

@testable import items

@Suite struct `The help` {
    @Test func `it says this`() {
        let expected = """
            Usage: items [OPTIONS] URL | FILE | -
                   items --demo[=SCENARIO] [OPTIONS]

            Lists everything behind a REST collection: one item a line, as it arrives.

            What to list
                  --at PATH         where the list is (default: items); dots go inside:
                                    data.results; a single dot: the document is the list
                  --limit N         stop after N items, and the transfer with them
                  --demo[=SCENARIO]
                                    list from a server inside the process, without network;
                                    --demo=list names the scenarios

            How to print it
                  --json            print one JSON array
                  --count           print only how many items there are

            Request
              -H, --header NAME:VALUE|@FILE
                                    send this header field; @FILE: one from each line
              -u, --user USER[:PASSWORD]
                                    sign in (Basic), at this origin only; a password that
                                    is missing is asked for on the terminal

            Time
              -m, --max-time SECONDS
                                    give up after so many seconds, such as 0.5; 0 is never
                  --retry N         try again so many times; only 0 for now

            Talk
              -v, --verbose         say what is sent and what comes back, secrets masked
              -q, --quiet           say nothing but errors
              -h, --help            show this
              -V, --version         show the version

            Exit status: 0 the list is complete, or --limit was reached; 2 out of time;
            3, 4, 5 the server said 3xx, 4xx, 5xx; 6 a redirect refused; 7 no connection;
            8 not a valid or not a complete list; 9 a limit; 64 usage; 66 no such file;
            74 output failed; 1 anything else.

            """
        #expect(Help.text == expected)
    }

    @Test func `it fits a terminal of 80 columns`() {
        for line in Help.text.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
    }

    @Test func `no name and no letter is taken twice`() {
        #expect(Set(Option.all.map(\.name)).count == Option.all.count)
        let letters = Option.all.compactMap(\.short)
        #expect(Set(letters).count == letters.count)
    }
}
