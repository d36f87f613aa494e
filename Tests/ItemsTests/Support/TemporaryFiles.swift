import Foundation
import Testing

/// An unnamed file that the tested code writes and the test reads.
final class TemporaryFile {
    let handle: FileHandle

    /// Creates a file with `text`, positioned at its start.
    init(_ text: String = "") throws {
        var path = Array("\(FileManager.default.temporaryDirectory.path)/items-tests-XXXXXX".utf8CString)
        let descriptor = mkstemp(&path)
        try #require(descriptor >= 0)
        unlink(path)
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try handle.write(contentsOf: Data(text.utf8))
        try handle.seek(toOffset: 0)
    }

    var descriptor: Int32 { handle.fileDescriptor }

    /// The contents of the file.
    func text() throws -> String {
        try handle.seek(toOffset: 0)
        return String(decoding: try handle.readToEnd() ?? Data(), as: UTF8.self)
    }
}

extension Pipe {
    /// Returns a descriptor to write to and the lines written to it.
    static func lines() throws -> (writing: Int32, text: AsyncStream<String>) {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let reading = ends[0]
        let lines = AsyncStream.makeStream(of: String.self)
        // A separate thread, because reading blocks.
        Thread.detachNewThread {
            var rest: [UInt8] = []
            var bytes = [UInt8](repeating: 0, count: 1 << 16)
            while case let count = read(reading, &bytes, bytes.count), count > 0 {
                rest += bytes[..<count]
                var parts = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
                rest = Array(parts.removeLast())
                for part in parts { lines.continuation.yield(String(decoding: part, as: UTF8.self)) }
            }
            close(reading)
            lines.continuation.finish()
        }
        return (ends[1], lines.stream)
    }
}
