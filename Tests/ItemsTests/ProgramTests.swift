import Foundation
import RESTClientTestingSupport
import Testing

@testable import items

/// The program as seen by its caller: descriptors, signals, exit codes.
@Suite(.hangLimit) struct ProgramTests {
    @Test func `items with control characters are escaped to one line each`() async throws {
        let run = try await Program.run("--demo=hostile")
        #expect(run.status == 0)
        #expect(
            run.output == #"""
                harmless
                "\u001b[2Jclears the screen"
                "\u001b]0;renames the window\u0007"
                "\u001b]52;c;c3RvbGVu\u0007"
                "two\nlines"
                "overwritten\rby this"
                "\u009b31mred in eight bits"
                "invoice\u202efdp.exe"
                "\u007f"
                "\"already quoted\""
                -rf

                {"kind":"object","note":"\u001b[1m"}
                null

                """#)
    }

    @Test func `output to a closed pipe ends the program with SIGPIPE`() async throws {
        let pipe = Pipe()
        try pipe.fileHandleForReading.close()
        let run = try await Program.run(
            Program.path, ["-q", "--demo"], input: try TemporaryFile().handle, into: pipe.fileHandleForWriting
        )
        // If this process ignores SIGPIPE, the child inherits that and ends with the equivalent status.
        #expect(run.status == (run.isSignal ? SIGPIPE : 128 + SIGPIPE))
        #expect(run.messages == "")
    }

    @Test(arguments: ["", "trap '' PIPE; "])
    func `a closed reader ends the program without a message, even if SIGPIPE is ignored`(
        start: String
    ) async throws {
        let run = try await Program.shell(
            start + #"{ "$items" --at . -; echo $? >&2; } < /dev/stdin | head -1"#, input: Self.manyItems)
        #expect(run.output == "0\n")
        #expect(run.messages == "141\n")
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func `a full device ends with 74`() async throws {
        for arguments in ["--demo", "--demo --count", "--demo --json", "--help", "--version"] {
            let run = try await Program.shell("\"$items\" -q \(arguments) > /dev/full")
            #expect(run.status == 74)
            #expect(
                run.messages
                    == "items: cannot write standard output: No space left on device\n  hint: free some space, or write to another disk\n"
            )
        }
        #expect(try await Program.shell("\"$items\" -q --demo --limit 0 > /dev/full").status == 0)
    }

    @Test func `a closed output ends with 74 and nothing is written elsewhere`() async throws {
        let run = try await Program.shell(#""$items" -q --demo >&-"#)
        #expect(run.status == 74)
        #expect(run.messages == "items: cannot write standard output: Bad file descriptor\n")
        // If all descriptors are closed, a file that is opened must not become the output.
        let file = try NamedTemporaryFile("[1]")
        #expect(try await Program.shell("\"$items\" --at . '\(file.path)' <&- >&- 2>&-").status == 74)
        #expect(try file.text() == "[1]")
    }

    @Test func `a closed standard input ends with 66`() async throws {
        let run = try await Program.shell(#""$items" - <&-"#)
        #expect(run.status == 66)
        #expect(run.messages == "items: cannot read standard input: Bad file descriptor\n")
        #expect(try await Program.shell(#""$items" --demo --count <&-"#).output == "6\n")
    }

    @Test func `a closed standard error does not change the exit code`() async throws {
        let run = try await Program.shell(
            #""$items" --demo --count 2>&-; echo $?; "$items" --demo=nil 2>&-; echo $?"#)
        #expect(run.output == "6\n0\n8\n")
    }

    // A shell without job control starts background processes with SIGINT ignored.
    @Test(.enabled(if: Program.hasLinuxTools))
    func `an interrupt ends the program with SIGINT`() async throws {
        // The first line arrives before the input ends; the signal is sent after it.
        let run = try await Program.shell(
            #"""
            mkfifo "$HOME/in.$$" "$HOME/out.$$"
            env --default-signal=INT "$items" --at . - < "$HOME/in.$$" > "$HOME/out.$$" &
            exec 3> "$HOME/in.$$" 4< "$HOME/out.$$"
            rm "$HOME/in.$$" "$HOME/out.$$"
            printf '["first", "second' >&3
            read line <&4
            echo "$line"
            kill -INT $!
            wait $!
            echo $?
            """#)
        #expect(run.output == "first\n130\n")
        #expect(run.messages == "items: interrupted (1 item printed)\n")
    }

    @Test func `an item from a pipe is printed before the next one arrives`() async throws {
        let run = try await Program.shell(
            #"""
            mkfifo "$HOME/in.$$" "$HOME/out.$$"
            "$items" --at . - < "$HOME/in.$$" > "$HOME/out.$$" &
            exec 3> "$HOME/in.$$" 4< "$HOME/out.$$"
            rm "$HOME/in.$$" "$HOME/out.$$"
            for item in a b c; do
                [ $item = a ] && printf '["a", ' >&3 || printf '"%s", ' $item >&3
                read line <&4
                echo "$line"
            done
            printf '4]' >&3
            exec 3>&-
            cat <&4
            wait $!
            echo $?
            """#)
        #expect(run.output == "a\nb\nc\n4\n0\n")
    }

    @Test func `--max-time ends a stalled standard input`() async throws {
        let run = try await Program.shell(
            #"mkfifo "$HOME/in.$$"; exec 3<> "$HOME/in.$$"; rm "$HOME/in.$$"; "$items" --max-time 0.05 - <&3"#
        )
        #expect(run.status == 2)
        #expect(run.messages == "items: timed out reading standard input\n")
    }

    @Test(.enabled(if: Program.hasLinuxTools))
    func `a password prompt without a terminal is a usage error`() async throws {
        let run = try await Program.shell(#"setsid -w "$items" -u someone http://host.invalid/"#)
        #expect(run.status == 64)
        #expect(
            run.messages == """
                items: no terminal to ask for the password of "someone"
                  hint: pass the password with -u USER:PASSWORD

                """)
    }

    /// More than the capacity of a pipe.
    private static let manyItems = "[\((0..<100_000).map(String.init).joined(separator: ","))]"
}

/// A named file, removed at the end of the test.
private final class NamedTemporaryFile {
    let path = FileManager.default.temporaryDirectory.appending(path: "items-\(UUID()).json").path

    init(_ text: String) throws { try Data(text.utf8).write(to: URL(filePath: path)) }

    func text() throws -> String {
        String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
