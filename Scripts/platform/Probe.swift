import Foundation

/// What a probe saw, with a few words of evidence.
enum Verdict: Sendable {
    case present(String), fixed(String), unknown(String)

    static let present = Verdict.present("")
    static let fixed = Verdict.fixed("")

    /// `present` when `fact` holds, `fixed` when it does not.
    static func when(_ fact: Bool, _ evidence: String = "") -> Verdict {
        fact ? .present(evidence) : .fixed(evidence)
    }

    /// One line that a child can print and its parent can read.
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

/// One raw fact about the platform. Facts are hangs and traps, so each is probed in a process of its own.
struct Probe: Sendable {
    /// What it means when the process does not come back in time, or is ended by a trap.
    enum End: Sendable { case present, unknown }

    let number: String
    let fact: String
    var hang = End.unknown
    var trap = End.unknown
    /// Seconds after which a process counts as hanging.
    var limit = 10.0
    let run: @Sendable () throws -> Verdict

    init(
        _ number: String, _ fact: String, hang: End = .unknown, trap: End = .unknown, limit: Double = 10,
        run: @escaping @Sendable () throws -> Verdict
    ) {
        self.number = number
        self.fact = fact
        self.hang = hang
        self.trap = trap
        self.limit = limit
        self.run = run
    }

    static let all = sessionFacts + mockFacts + timeFacts + redirectFacts + wireFacts + bodyFacts + restFacts
}

/// Why a probe could not tell.
struct Unclear: Error { let why: String }
