import Foundation
import RESTClientHTTP

/// A file that is sent as a request body. A temporary file is deleted when the last reference is released.
final class BodyFile: Sendable {
    let url: URL
    /// The file name given by the caller, which differs from that in `url` for a symbolic link; `nil` for a temporary
    /// file.
    let name: String?
    /// The length in bytes.
    let length: Int64
    private let temporary: TemporaryFile?
    /// The attributes of a file of the caller when its length was read.
    private let attributes: FileAttributes?

    /// Creates a body from the file at `url`.
    ///
    /// - Throws: `BodyEncodingError` unless it is a regular file that can be read.
    init(_ url: URL) throws {
        let name = url.lastPathComponent
        let url = url.resolvingSymlinksInPath()
        let attributes = FileAttributes(url)
        guard attributes.type == .typeRegular, let length = attributes.size,
            FileManager.default.isReadableFile(atPath: url.path(percentEncoded: false))
        else { throw BodyEncodingError(description: "\(name) is not a regular file, or cannot be read") }
        (self.url, self.name, self.length) = (url, name, length)
        (temporary, self.attributes) = (nil, attributes)
    }

    private init(_ temporary: TemporaryFile, length: Int64) {
        (url, name, self.length) = (URL(filePath: temporary.path), nil, length)
        (self.temporary, attributes) = (temporary, nil)
    }

    /// The error for a file that has changed or was removed, or `nil` if it is unchanged. URLSession would send the
    /// number of bytes that the file had before.
    var invalidity: RESTClientError.InvalidRequest? {
        guard let attributes, case let current = FileAttributes(url), current != attributes else {
            return nil
        }
        return current.size == nil ? .bodyFileUnreadable : .bodyFileChanged
    }

    /// Writes a body to a temporary file.
    final class Writer {
        private let file: TemporaryFile
        private var length: Int64 = 0

        init() throws { file = try TemporaryFile() }

        func write(_ data: Data) throws {
            try file.write(data)
            length += Int64(data.count)
        }

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
                throw BodyEncodingError(
                    description: "\(source.url.lastPathComponent): \(invalidity)")
            }
        }

        func finish() throws -> BodyFile {
            try file.close()
            return BodyFile(file, length: length)
        }
    }
}

/// The attributes of the item at a URL, not those of the target of a link; `nil` if there is none.
struct FileAttributes: Equatable {
    let type: FileAttributeType?
    let number: Int?
    let size: Int64?
    let modified: Date?

    init(_ url: URL) {
        let values = try? FileManager.default.attributesOfItem(atPath: url.path(percentEncoded: false))
        type = values?[.type] as? FileAttributeType
        number = (values?[.systemFileNumber] as? NSNumber)?.intValue
        size = (values?[.size] as? NSNumber)?.int64Value
        modified = values?[.modificationDate] as? Date
    }
}
