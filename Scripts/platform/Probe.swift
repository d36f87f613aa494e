import Foundation

/// The result of a probe, with its evidence.
struct ProbeResult: Sendable {
    enum Word: String { case present, fixed, unknown }

    let word: Word
    let evidence: String

    static func present(_ evidence: String) -> Self { Self(word: .present, evidence: evidence) }
    static func fixed(_ evidence: String) -> Self { Self(word: .fixed, evidence: evidence) }
    static func unknown(_ reason: String) -> Self { Self(word: .unknown, evidence: reason) }

    /// `present` when `fact` holds, `fixed` when it does not.
    static func when(_ fact: Bool, _ evidence: String = "") -> Self {
        fact ? present(evidence) : fixed(evidence)
    }
}

/// A probe for one fact about the platform. It runs in its own process, because the fact may be a hang or a trap.
struct Probe: Sendable {
    let number: String
    let fact: String
    /// A Boolean value that indicates whether the fact is present if the process traps or exceeds its limit.
    let isFatal: Bool
    /// The time in seconds after which the process counts as hanging.
    let limit: Double
    let run: @Sendable () throws -> ProbeResult

    init(
        _ number: String, _ fact: String, isFatal: Bool = false, limit: Double = 10,
        run: @escaping @Sendable () throws -> ProbeResult
    ) {
        self.number = number
        self.fact = fact
        self.isFatal = isFatal
        self.limit = limit
        self.run = run
    }

    static let all = sessionFacts + mockFacts
}

/// A value that is protected by a lock.
final class Box<Value>: @unchecked Sendable {
    // SAFETY: `value` is accessed only while `lock` is held.
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) { self.value = value }
    var current: Value { lock.withLock { value } }
    func change(_ body: (inout Value) -> Void) { lock.withLock { body(&value) } }
}

/// Returns the value for which `start` calls its argument, or `nil` if it does not within four seconds.
func awaited<Value: Sendable>(_ start: (@escaping @Sendable (Value) -> Void) -> Void) -> Value? {
    let (done, box) = (DispatchSemaphore(value: 0), Box<Value?>(nil))
    start { value in
        box.change { $0 = value }
        done.signal()
    }
    return done.wait(timeout: .now() + 4) == .success ? box.current : nil
}
