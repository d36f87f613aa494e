import Foundation

/// The part of a streamed body that was received and has not been read, and the end of the body.
///
/// A value, which the transfer guards with its lock.
struct UnreadBody {
    /// The number of bytes at which the transfer is to wait for its reader.
    private static let capacity = 1 << 20
    /// The number of bytes with which a transfer that cannot wait ends.
    static let maxBytes = 64 << 20

    private var chunks: [Data] = []
    private(set) var byteCount = 0
    /// The end of the body, after the chunks.
    private var end: Result<[Data], any Error>?

    /// `true` if the transfer is to wait until bytes were read.
    var isFull: Bool { byteCount >= Self.capacity && end == nil }

    mutating func append(_ data: Data) {
        guard end == nil else { return }
        chunks.append(data)
        byteCount += data.count
    }

    /// Marks the body as complete, or as failed with `error`. The chunks can still be read.
    mutating func finish(_ error: (any Error)?) {
        guard end == nil else { return }
        end = error.map { .failure($0) } ?? .success([])
    }

    /// Discards the chunks; all further calls of `read` throw `CancellationError`.
    mutating func abandon() {
        self = UnreadBody()
        end = .failure(CancellationError())
    }

    /// Removes and returns the chunks, or returns those after the first `count` and removes none.
    ///
    /// Returns an empty array at the end of a complete body, and `nil` if the reader must wait.
    ///
    /// - Throws: the error of the body after its last chunk.
    mutating func read(after count: Int? = nil) throws -> [Data]? {
        guard chunks.count > count ?? 0 else { return try end?.get() }
        if let count { return Array(chunks[count...]) }
        defer { (chunks, byteCount) = ([], 0) }
        return chunks
    }
}

/// The error that is thrown by a second iteration of a stream.
public struct BodyAlreadyRead: Error, CustomStringConvertible {
    /// The message of the error.
    public var description: String { "a stream can be read only once" }
}
