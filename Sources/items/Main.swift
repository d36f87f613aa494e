#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Where the program begins and ends.
@main
enum Main {
    static func main() async {
        StandardDescriptors.openMissing()
        Signals.unblock()
        let ignoresBrokenPipe = Signals.ignoreBrokenPipe()
        Signals.ignoreFileSizeLimit()
        Signals.installCleanUp()
        Signals.installStopHandler()
        Signals.reportTraps()

        let code = await run(Array(CommandLine.arguments.dropFirst()))
        if code == .brokenPipe, !ignoresBrokenPipe { Signals.raiseBrokenPipe() }
        if code == .interrupted { Interrupt.raise() }
        // Not `exit`: the threads of a transfer that is still going on would run into what it takes down.
        _exit(code.rawValue)
    }

    /// Does what `arguments`, without the name of the program, ask for.
    static func run(_ arguments: [String], environment: Environment = Environment()) async -> ExitCode {
        do {
            return await ItemsCommand(try OptionParser.parse(arguments), environment: environment).run()
        } catch {
            let error = CommandError(error)
            Messages(level: .normal, environment.writeMessage).report(error)
            return error.code
        }
    }
}
