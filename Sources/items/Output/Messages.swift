#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

import RESTClientHTTP

/// Where everything goes that is not an item: the standard error.
struct Messages: Sendable {
    private let level: Options.Talk
    private let write: @Sendable (String) -> Void

    /// Messages that `write` gets, whole lines each.
    init(level: Options.Talk, _ write: @escaping @Sendable (String) -> Void = Self.toStandardError) {
        self.level = level
        self.write = write
    }

    /// Whether details are wanted.
    var isVerbose: Bool { level == .verbose }

    /// Something gone wrong; said whatever the level.
    func complain(_ complaint: Complaint) { write(complaint.text) }

    /// Something good to know.
    func note(_ text: String) {
        if level > .quiet { write("items: \(text)\n") }
    }

    /// Something about the items that somebody should know.
    func note(_ remark: Remark) { note("\(remark.message)\n  hint: \(remark.hint)") }

    /// Something for those who want every detail.
    func detail(_ text: @autoclosure () -> String) {
        if isVerbose { write("items: \(text())\n") }
    }

    static let toStandardError: @Sendable (String) -> Void = { text in
        var output = Output(descriptor: STDERR_FILENO, capacity: text.utf8.count)
        // There is nowhere left to say that saying it failed.
        try? output.append(text)
        try? output.flush()
    }
}
