import Foundation
import RESTClient
import Synchronization

/// A progress line on the terminal, shown after one second and erased at the end.
final class ProgressIndicator: Sendable {
    private struct State {
        var line = ProgressLine()
        var wasShown = false, isEnded = false
    }

    private let state = Mutex(State())
    private let start = ContinuousClock.now
    private let draw: @Sendable (String) -> Void
    private let queue = DispatchQueue(label: "items.progress")

    init(_ draw: @escaping @Sendable (String) -> Void) {
        self.draw = draw
        redraw(after: 1)
    }

    /// Records the number of items so far and adds received bytes.
    func advance(items count: Int, bytes more: Int) {
        state.withLock { ($0.line.items, $0.line.bytes) = (count, $0.line.bytes + more) }
    }

    /// Records a complete page and the number of all items, if the server names it.
    func endPage(number: Int, total: Int?) {
        state.withLock { ($0.line.pages, $0.line.total) = (number, total ?? $0.line.total) }
    }

    /// The line after a complete list, or `nil` if it took less than a second.
    var summary: String? { state.withLock(\.wasShown) ? line.summary : nil }

    /// Erases the line while `body` writes to the same terminal.
    func whileHidden(_ body: () -> Void) {
        queue.sync {
            erase()
            body()
        }
    }

    /// Erases the line permanently.
    func end() {
        state.withLock { $0.isEnded = true }
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
        guard !state.withLock(\.isEnded) else { return false }
        isVisible.store(true, ordering: .relaxed)
        state.withLock { $0.wasShown = true }
        draw("\r\(line.text(fitting: Environment.columns(of: STDERR_FILENO)))\u{1B}[K")
        return true
    }

    private var line: ProgressLine {
        var line = state.withLock(\.line)
        line.time = ContinuousClock.now - start
        return line
    }

    private func erase() { if isVisible.exchange(false, ordering: .relaxed) { draw("\(Self.eraser)") } }

    private static let eraser: StaticString = "\r\u{1B}[K"

    /// Erases the line when a signal ends the program. Safe to call in a signal handler.
    static func eraseForSignal() {
        guard isVisible.exchange(false, ordering: .relaxed) else { return }
        _ = write(STDERR_FILENO, eraser.utf8Start, eraser.utf8CodeUnitCount)
    }
}

/// The text of the progress line: `items: 1,204 of 5,000 items, 32 s left, page 12, 25 MB, 61 MB/s`.
struct ProgressLine {
    var items = 0
    /// The number of items of the whole list, or 0 if it is unknown.
    var total = 0
    var pages = 0, bytes = 0
    var time = Duration.zero

    private var seconds: Double { max(time / .seconds(1), 0.001) }
    private var size: String { Self.size(Double(bytes)) }

    /// The line after a complete list, without the name of the program.
    var summary: String {
        let of = pages > 1 ? " on \(pages.text(of: "page"))" : ""
        return "\(items.text(of: "item"))\(of), \(size) in \(Self.time(seconds))"
    }

    /// The parts, most important first.
    private var parts: [String] {
        let isTotal = total > items
        var parts = [
            "items: \(isTotal ? "\(items.groupedText) of \(total.text(of: "item"))" : items.text(of: "item"))"
        ]
        if isTotal, items > 0 {
            parts.append("\(Self.time(seconds * Double(total - items) / Double(items))) left")
        }
        if pages > 1 { parts.append("page \(pages.groupedText)") }
        return parts + [size, "\(Self.size(Double(bytes) / seconds))/s"]
    }

    private static func time(_ seconds: Double) -> String {
        let all = Int(min(seconds.rounded(), 1e9))
        if all < 100 { return "\(all) s" }
        return all < 6_000 ? "\(all / 60) min" : "\(all / 3_600) h \(all / 60 % 60) min"
    }

    /// Returns as many parts as fit on one line, because a wrapped line cannot be erased.
    func text(fitting columns: Int? = nil) -> String {
        // The last column stays free: some terminals wrap after writing it.
        let room = columns.map { max(0, $0 - 1) } ?? .max
        let parts = parts
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
