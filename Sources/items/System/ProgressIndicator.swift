import Foundation
import Synchronization

/// A progress line on the terminal, shown after one second and erased at the end.
final class ProgressIndicator: Sendable {
    private let items = Atomic(0)
    private let bytes = Atomic(0)
    private let start = ContinuousClock.now
    private let isEnded = Atomic(false)
    private let draw: @Sendable (String) -> Void
    private let queue = DispatchQueue(label: "items.progress")

    /// - Parameter draw: Writes text to the terminal immediately.
    init(_ draw: @escaping @Sendable (String) -> Void) {
        self.draw = draw
        redraw(after: 1)
    }

    /// Records the number of items so far and adds received bytes.
    func advance(items count: Int, bytes more: Int) {
        items.store(count, ordering: .relaxed)
        bytes.wrappingAdd(more, ordering: .relaxed)
    }

    /// Erases the line while `body` writes to the same terminal.
    func whileHidden(_ body: () -> Void) {
        queue.sync {
            erase()
            body()
        }
    }

    /// Erases the line permanently.
    func end() {
        isEnded.store(true, ordering: .relaxed)
        queue.sync(execute: erase)
    }

    private func redraw(after seconds: Double) {
        queue.asyncAfter(deadline: .now() + seconds) { [weak self] in
            guard let self, show() else { return }
            redraw(after: 0.2)
        }
    }

    /// Draws the line and returns `true`, unless progress has ended.
    private func show() -> Bool {
        guard !isEnded.load(ordering: .relaxed) else { return false }
        let line = ProgressLine(
            items: items.load(ordering: .relaxed), bytes: bytes.load(ordering: .relaxed),
            time: ContinuousClock.now - start)
        isVisible.store(true, ordering: .relaxed)
        draw("\r\(line.text(fitting: Self.columns))\u{1B}[K")
        return true
    }

    private func erase() {
        if isVisible.exchange(false, ordering: .relaxed) { draw("\(Self.eraser)") }
    }

    private static let eraser: StaticString = "\r\u{1B}[K"

    /// The current width of the terminal, if known.
    private static var columns: Int? {
        var size = winsize()
        return ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : nil
    }

    /// Erases the line when a signal ends the program. Safe to call in a signal handler.
    static func eraseForSignal() {
        guard isVisible.exchange(false, ordering: .relaxed) else { return }
        _ = write(STDERR_FILENO, eraser.utf8Start, eraser.utf8CodeUnitCount)
    }
}

/// The text of the progress line: `items: 1,204,331 items, 25 MB, 61 MB/s`.
struct ProgressLine {
    /// The parts, most important first.
    private let parts: [String]

    init(items: Int, bytes: Int, time: Duration) {
        let rate = Double(bytes) / max(time / .seconds(1), 0.001)
        parts = [
            "items: \(items.grouped) \(items == 1 ? "item" : "items")", Self.size(Double(bytes)),
            "\(Self.size(rate))/s",
        ]
    }

    /// Returns as many parts as fit on one line, because a wrapped line cannot be erased.
    func text(fitting columns: Int? = nil) -> String {
        // The last column stays free: some terminals wrap after writing it.
        let room = columns.map { max(0, $0 - 1) } ?? .max
        let texts = (1...parts.count).map { parts[..<$0].joined(separator: ", ") }
        return texts.last { $0.count <= room } ?? String(texts[0].prefix(room))
    }

    private static func size(_ bytes: Double) -> String {
        var (size, unit) = (bytes, 0)
        while size >= 999.5, unit < units.count - 1 { (size, unit) = (size / 1000, unit + 1) }
        let isShort = unit > 0 && size < 9.95
        return "\(isShort ? "\((size * 10).rounded() / 10)" : "\(Int(size.rounded()))") \(units[unit])"
    }

    private static let units = ["B", "kB", "MB", "GB", "TB"]
}

/// A property of the process, because there is one terminal and a signal handler cannot access an instance.
private let isVisible = Atomic(false)
