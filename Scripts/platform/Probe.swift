import Foundation

/// The result of a probe, with its evidence.
enum ProbeResult: Sendable {
    case present(String), fixed(String), unknown(String)

    static let present = ProbeResult.present("")
    static let fixed = ProbeResult.fixed("")

    /// `present` when `fact` holds, `fixed` when it does not.
    static func when(_ fact: Bool, _ evidence: String = "") -> ProbeResult {
        fact ? .present(evidence) : .fixed(evidence)
    }

    /// The result as a line that a child process prints and its parent parses.
    var line: String {
        switch self {
        case .present(let evidence): "present\t\(evidence)"
        case .fixed(let evidence): "fixed\t\(evidence)"
        case .unknown(let why): "unknown\t\(why)"
        }
    }

    init?(line: Substring) {
        let parts = line.split(separator: "\t", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let evidence = String(parts[1])
        switch parts[0] {
        case "present": self = .present(evidence)
        case "fixed": self = .fixed(evidence)
        case "unknown": self = .unknown(evidence)
        default: return nil
        }
    }
}

/// A probe for one fact about the platform. It runs in its own process, because the fact may be a hang or a trap.
struct Probe: Sendable {
    /// The result if the process hangs or traps.
    enum Failure: Sendable { case present, unknown }

    let number: String
    let fact: String
    var hang = Failure.unknown
    var trap = Failure.unknown
    /// The time in seconds after which the process counts as hanging.
    var limit = 10.0
    let run: @Sendable () throws -> ProbeResult

    init(
        _ number: String, _ fact: String, hang: Failure = .unknown, trap: Failure = .unknown,
        limit: Double = 10,
        run: @escaping @Sendable () throws -> ProbeResult
    ) {
        self.number = number
        self.fact = fact
        self.hang = hang
        self.trap = trap
        self.limit = limit
        self.run = run
    }

    static let all =
        sessionFacts + mockFacts + timeFacts + redirectFacts + responseFacts + bodyFacts + restFacts
}

/// The reason why a probe has no result.
struct Inconclusive: Error { let reason: String }
