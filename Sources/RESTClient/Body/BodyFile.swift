import Foundation
import RESTClientHTTP

/// A body that lies on disk, for as long as somebody may send it; one made for the purpose goes with its last holder.
final class BodyFile: Sendable {
    let url: URL
    /// What it is called; a symbolic link and its target may differ in this.
    let name: String
    /// In bytes.
    let length: Int64
    let isTemporary: Bool
    private let stamp: Stamp?

    /// What changes with a file.
    private struct Stamp: Equatable {
        let number: Int?
        let size: Int?
        let modified: Date?

        init(_ url: URL) {
            let attributes = try? FileManager.default.attributesOfItem(
                atPath: url.path(percentEncoded: false))
            number = (attributes?[.systemFileNumber] as? NSNumber)?.intValue
            size = (attributes?[.size] as? NSNumber)?.intValue
            modified = attributes?[.modificationDate] as? Date
        }
    }

    /// The file at `url`.
    ///
    /// - Throws: `BodyFailure` unless it is a file that can be read.
    init(_ url: URL) throws {
        name = url.lastPathComponent
        let url = url.resolvingSymlinksInPath()
        let values = try url.resourceValues(forKeys: [.isRegularFileKey])
        let stamp = Stamp(url)
        guard values.isRegularFile == true, let size = stamp.size,
            FileManager.default.isReadableFile(atPath: url.path(percentEncoded: false))
        else { throw BodyFailure(description: "\(name) is no file that can be read") }
        self.url = url
        length = Int64(size)
        isTemporary = false
        self.stamp = stamp
    }

    private init(temporary url: URL, length: Int64) {
        self.url = url
        name = url.lastPathComponent
        self.length = length
        isTemporary = true
        stamp = nil
    }

    /// Why it cannot be sent any more: its length is announced as it was measured, and the platform sends that much of
    /// whatever is there.
    var obstacle: RESTClientError.InvalidRequest? {
        guard let stamp, case let now = Stamp(url), now != stamp else { return nil }
        return now.size == nil
            ? .bodyFileUnreadable : .bodyFileChanged
    }

    deinit { if isTemporary { try? FileManager.default.removeItem(at: url) } }

    /// Writes a body to a temporary file, for this user only.
    final class Writer {
        private let url: URL
        private let handle: FileHandle
        private var length: Int64 = 0
        private var isFinished = false

        init() throws {
            let file = try TemporaryFile()
            url = URL(filePath: file.path)
            handle = FileHandle(fileDescriptor: file.descriptor, closeOnDealloc: true)
        }

        deinit {
            try? handle.close()
            if !isFinished { try? FileManager.default.removeItem(at: url) }
        }

        func write(_ data: Data) throws {
            do { try handle.write(contentsOf: data) } catch {
                throw FileError(path: url.path, failure: .system(.write, errno: error.errorNumber))
            }
            length += Int64(data.count)
        }

        /// Copies the file at `source`, piece by piece.
        func write(contentsOf source: BodyFile) throws {
            let input = try FileHandle(forReadingFrom: source.url)
            // One that grows as fast as it is read would have no end.
            let end = length + source.length
            defer { try? input.close() }
            while let piece = try input.read(upToCount: 1 << 20), !piece.isEmpty {
                try Task.checkCancellation()
                try write(piece)
                guard length <= end else { break }
            }
            if let obstacle = source.obstacle {
                throw BodyFailure(description: "\(source.name): \(obstacle)")
            }
        }

        func finish() throws -> BodyFile {
            try handle.close()
            isFinished = true
            return BodyFile(temporary: url, length: length)
        }
    }
}
