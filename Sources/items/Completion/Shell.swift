import RESTClientHTTP

/// The shells that can be taught the options.
enum Shell: String, CaseIterable, Sendable {
    case bash, zsh, fish

    init(named text: String) throws(UsageError) {
        guard let shell = Self(rawValue: text.lowercased()) else {
            let names = Self.allCases.map(\.rawValue).joined(separator: ", ")
            throw UsageError("--completion knows \(names), not \(TerminalEscaping.quoted(text))")
        }
        self = shell
    }

    /// What the shell reads in order to complete the command line.
    var script: String {
        switch self {
        case .bash: BashCompletion.script
        case .zsh: ZshCompletion.script
        case .fish: FishCompletion.script
        }
    }
}
