import Dispatch
import HTTPCore
import Synchronization

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The line on a terminal that says how far a long listing got: from its second second on, and gone in the end.
final class Progress: Sendable {
    private let items = Atomic(0)
    private let bytes = Atomic(0)
    private let start = ContinuousClock.now
    private let isEnded = Lock(false)
    private let draw: @Sendable (String) -> Void
    private let queue = DispatchQueue(label: "items.progress")

    /// - Parameter draw: puts text on the terminal, at once.
    init(_ draw: @escaping @Sendable (String) -> Void) {
        self.draw = draw
        redraw(after: 1)
    }

    /// Takes note of a piece of the list, and of how many items there were so far.
    func advance(items count: Int, bytes more: Int) {
        items.store(count, ordering: .relaxed)
        bytes.wrappingAdd(more, ordering: .relaxed)
    }

    /// Runs `body`, which writes to the same terminal, with the line out of its way.
    func aside(_ body: () -> Void) {
        isEnded.withLock { _ in
            erase()
            body()
        }
    }

    /// Takes the line away, for good.
    func end() {
        isEnded.withLock { isEnded in
            isEnded = true
            erase()
        }
    }

    private func redraw(after seconds: Double) {
        queue.asyncAfter(deadline: .now() + seconds) { [weak self] in
            guard let self, show() else { return }
            redraw(after: 0.2)
        }
    }

    /// Whether it was shown, and so may be again.
    private func show() -> Bool {
        isEnded.withLock { isEnded in
            guard !isEnded else { return false }
            let line = ProgressLine(
                items: items.load(ordering: .relaxed), bytes: bytes.load(ordering: .relaxed),
                time: ContinuousClock.now - start)
            isOnScreen.store(true, ordering: .relaxed)
            draw("\r\(line.text)\u{1B}[K")
            return true
        }
    }

    private func erase() {
        if isOnScreen.exchange(false, ordering: .relaxed) { draw(Self.eraser) }
    }

    private static let eraser = "\r\u{1B}[K"

    /// Takes the line away when the program ends by a signal; its handler may call it.
    static func eraseForSignal() {
        guard isOnScreen.exchange(false, ordering: .relaxed) else { return }
        let eraser: StaticString = "\r\u{1B}[K"
        _ = write(STDERR_FILENO, eraser.utf8Start, eraser.utf8CodeUnitCount)
    }
}

/// What the line says: `items: 1,204,331 items, 25 MB, 61 MB/s`.
struct ProgressLine {
    let text: String

    init(items: Int, bytes: Int, time: Duration) {
        let rate = Double(bytes) / max(time / .seconds(1), 0.001)
        text =
            "items: \(items.grouped) \(items == 1 ? "item" : "items"), \(Self.size(Double(bytes))), \(Self.size(rate))/s"
    }

    private static func size(_ bytes: Double) -> String {
        var (size, unit) = (bytes, 0)
        while size >= 999.5, unit < units.count - 1 { (size, unit) = (size / 1000, unit + 1) }
        let isShort = unit > 0 && size < 9.95
        return "\(isShort ? "\((size * 10).rounded() / 10)" : "\(Int(size.rounded()))") \(units[unit])"
    }

    private static let units = ["B", "kB", "MB", "GB", "TB"]
}

/// Of the whole process, as there is one terminal, and a signal handler knows no instance.
private let isOnScreen = Atomic(false)
