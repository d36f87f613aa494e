import Foundation

@main enum Main {
    static func main() async {
        Heap.useOne()
        openMissingDescriptors()
        let ignoresBrokenPipe = Signals.prepare()
        let own = ProcessArguments.own
        let arguments = own.dropFirst().map { String(cString: $0) }
        let invalid = own.dropFirst().firstIndex { String(validatingCString: $0) == nil }
        ProcessArguments.hideSecrets(in: own)
        let code = if let invalid { refuse(invalid) } else { await run(arguments) }
        if code.isInterruption || code == .brokenPipe && !ignoresBrokenPipe {
            Signals.end(with: code.rawValue - 128)
        }
        // `_exit` instead of `exit`: threads of a running transfer would use objects that `exit` destroys.
        _exit(code.rawValue)
    }

    /// Reports an argument that is not UTF-8, whose bytes would be lost. It can be a secret.
    private static func refuse(_ index: Int) -> ExitCode {
        let failure = CommandError.usage(
            "argument \(index) is not valid UTF-8",
            hint: "percent-encode a URL; pass a body or a file with another name on standard input")
        Messages(level: .normal, hasColor: false, Environment().writeMessage).report(failure)
        return failure.code
    }

    /// Opens a closed standard descriptor in the wrong direction. So no socket or file gets its number and receives
    /// items, and using it fails as if it were still closed.
    private static func openMissingDescriptors() {
        let modes = [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
        for (descriptor, mode) in modes where fcntl(descriptor, F_GETFD) < 0 {
            // `open` uses the lowest free number, which is the missing one.
            _ = open("/dev/null", mode)
        }
    }

    /// Runs the program with `arguments`, which do not include its name.
    static func run(_ arguments: [String], environment: Environment = Environment()) async -> ExitCode {
        do {
            return await ItemsCommand(try OptionParser.parse(arguments), environment: environment).run()
        } catch {
            let failure = CommandError(error)
            let hasColor = ColorMode.auto.isOn(isTerminal: environment.isInteractive(), environment)
            Messages(level: .normal, hasColor: hasColor, environment.writeMessage).report(failure)
            return failure.code
        }
    }
}
