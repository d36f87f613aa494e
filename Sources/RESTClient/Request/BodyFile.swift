import Foundation
import RESTClientHTTP

/// A file that is sent as a request body. A temporary file is deleted when the last reference is released.
final class BodyFile: Sendable {
    let url: URL
    /// The file name given by the caller. For a symbolic link it differs from the name in `url`.
    let name: String
    /// The length in bytes.
    let length: Int64
    let isTemporary: Bool
    private let version: Attributes?

    /// The attributes of a file that indicate a change of its content.
    private struct Attributes: Equatable {
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

    /// Creates a body from the file at `url`.
    ///
    /// - Throws: `BodyEncodingError` unless it is a regular file that can be read.
    init(_ url: URL) throws {
        name = url.lastPathComponent
        let url = url.resolvingSymlinksInPath()
        let values = try url.resourceValues(forKeys: [.isRegularFileKey])
        let version = Attributes(url)
        guard values.isRegularFile == true, let size = version.size,
            FileManager.default.isReadableFile(atPath: url.path(percentEncoded: false))
        else { throw BodyEncodingError(description: "\(name) is not a regular file, or cannot be read") }
        self.url = url
        length = Int64(size)
        isTemporary = false
        self.version = version
    }

    private init(temporary url: URL, length: Int64) {
        self.url = url
        name = url.lastPathComponent
        self.length = length
        isTemporary = true
        version = nil
    }

    /// The error for a file that has changed or was removed, or `nil` if it is unchanged. URLSession would send the
    /// number of bytes that the file had before.
    var invalidity: RESTClientError.InvalidRequest? {
        guard let version, case let current = Attributes(url), current != version else { return nil }
        return current.size == nil ? .bodyFileUnreadable : .bodyFileChanged
    }

    deinit { if isTemporary { try? FileManager.default.removeItem(at: url) } }

    /// Writes a body to a temporary file.
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
                let path = url.path(percentEncoded: false)
                throw TransportError(kind: .file(path: path, .system(.write, errno: error.errorNumber)))
            }
            length += Int64(data.count)
        }

        /// Copies the file `source` in chunks.
        func write(contentsOf source: BodyFile) throws {
            let input = try FileHandle(forReadingFrom: source.url)
            // Stops after the original length if the file grows while it is copied.
            let end = length + source.length
            defer { try? input.close() }
            while let chunk = try input.read(upToCount: 1 << 20), !chunk.isEmpty {
                try Task.checkCancellation()
                try write(chunk)
                guard length <= end else { break }
            }
            if let invalidity = source.invalidity {
                throw BodyEncodingError(description: "\(source.name): \(invalidity)")
            }
        }

        func finish() throws -> BodyFile {
            try handle.close()
            isFinished = true
            return BodyFile(temporary: url, length: length)
        }
    }
}
