import Foundation
import RESTClient

enum ColorMode: String, CaseIterable, Sendable {
    case auto, always, never

    /// Returns `true` if text for a file or a terminal is colored.
    func isOn(isTerminal: Bool, _ environment: Environment) -> Bool {
        switch self {
        case .always: return true
        case .never: return false
        case .auto:
            // https://no-color.org
            let isRefused = environment.variable("NO_COLOR")?.isEmpty == false
            return isTerminal && !isRefused && environment.variable("TERM") != "dumb"
        }
    }
}

/// The colors of the output (ECMA-48, SGR).
enum Color {
    static let header = "\u{1B}[1m"
    static let error = "\u{1B}[1;31m"
    static let hint = "\u{1B}[36m"
    static let end = "\u{1B}[0m"

    static let tokens = TerminalEscaping.TokenStyle(
        key: "\u{1B}[1;34m", string: "\u{1B}[32m", scalar: "\u{1B}[33m", end: end)
}
