import Foundation
import Synchronization

/// The most recent request, stored where a signal handler can read it.
enum CrashContext {
    private static let capacity = 400

    /// Records `request`, from which secrets have been removed. If another thread is recording, that request is kept.
    static func record(_ request: String) {
        guard !isRecording.exchange(true, ordering: .acquiring) else { return }
        // The runtime would print lines of the platform's source code before the message.
        if !isRecorded, hidesRuntimeMessages.load(ordering: .relaxed) { StandardErrorStream.discard() }
        defer { isRecording.store(false, ordering: .releasing) }
        // A signal handler that runs now finds no request instead of a mixture of two.
        count.store(0, ordering: .sequentiallyConsistent)
        // Never freed, because a signal handler can read it at any time.
        let text =
            UnsafeMutablePointer<UInt8>(bitPattern: address.load(ordering: .relaxed))
            ?? .allocate(capacity: capacity)
        let bytes = request.utf8.prefix(capacity)
        for (index, byte) in bytes.enumerated() { text[index] = byte }
        address.store(UInt(bitPattern: text), ordering: .sequentiallyConsistent)
        count.store(bytes.count, ordering: .sequentiallyConsistent)
    }

    /// Discards the messages of the runtime from the first request on, because a trap has a message of its own.
    static func hideRuntimeMessages() { hidesRuntimeMessages.store(true, ordering: .relaxed) }

    /// `true` if a request has been recorded. Safe to call in a signal handler.
    static var isRecorded: Bool { count.load(ordering: .sequentiallyConsistent) > 0 }

    /// Writes the request to `descriptor`. Safe to call in a signal handler.
    static func print(to descriptor: Int32) {
        let length = count.load(ordering: .sequentiallyConsistent)
        let text = UnsafeRawPointer(bitPattern: address.load(ordering: .relaxed))
        if let text { _ = write(descriptor, text, length) }
    }
}

// Stored as integers, because pointers are not `Sendable`.
private let address = Atomic<UInt>(0)
private let count = Atomic(0)
private let isRecording = Atomic(false)
private let hidesRuntimeMessages = Atomic(false)
