#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Where the program begins and ends.
@main
enum Main {
    static func main() async {
        StandardDescriptors.fill()
        let ignoresBrokenPipe = Signals.holdBrokenPipe()
        Signals.explainTraps()

        let code = await run(Array(CommandLine.arguments.dropFirst()))
        if code == .brokenPipe, !ignoresBrokenPipe { Signals.raiseBrokenPipe() }
        // Not `exit`: the threads of a transfer that is still going on would run into what it takes down.
        _exit(code.rawValue)
    }

    private static func run(_ arguments: [String]) async -> ExitCode {
        do {
            return await ItemsCommand(try OptionParser.parse(arguments)).run()
        } catch {
            let complaint = Complaint(error)
            Messages(level: .normal).complain(complaint)
            return complaint.code
        }
    }
}
