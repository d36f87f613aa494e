import Foundation

/// The entry point of the program.
@main enum Main {
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
        // `_exit` instead of `exit`: threads of a running transfer would use objects that `exit` destroys.
        _exit(code.rawValue)
    }

    /// Runs the program with `arguments`, which do not include its name.
    static func run(_ arguments: [String], environment: Environment = Environment()) async -> ExitCode {
        do {
            return await ItemsCommand(try OptionParser.parse(arguments), environment: environment).run()
        } catch {
            let failure = CommandError(error)
            Messages(level: .normal, environment.writeMessage).report(failure)
            return failure.code
        }
    }
}
