public import Foundation
import RESTClientHTTP

/// The files of a download that has not been completed, or was interrupted.
///
/// ```swift
/// for download in try PartialDownload.all(in: directory) { try download.discard() }
/// ```
public struct PartialDownload: Hashable, Sendable {
    /// The destination of the download.
    public let file: URL
    /// The hidden file with the received bytes, in the same directory.
    public let partialFile: URL
    /// The number of received bytes.
    public let received: Int64
    /// The total number of bytes, if the server has sent it.
    public let total: Int64?
    /// A Boolean value that indicates whether the next call of ``DataRequest/download(to:resuming:)`` with `resuming:
    /// true` can continue the download. Otherwise, the process has ended during a download that was not resumable.
    public let isResumable: Bool

    private let files: PartialFile

    /// Returns the partial files of resumable downloads to `file`, or `nil` if there are none.
    public init?(of file: URL) {
        self.init(PartialFile(of: file.resolvingLinks()), file: file)
    }

    private init?(_ files: PartialFile, file: URL) {
        guard let status = files.status else { return nil }
        let validator = status.isPrivate ? files.validator : nil
        self.files = files
        self.file = file
        partialFile = files.url
        received = status.size
        total = validator?.total
        isResumable = ReceivedPart(length: received, validator: validator) != nil
    }

    /// Returns the partial downloads of this user in `directory`, sorted by name, including those in progress.
    public static func all(in directory: URL) throws -> [PartialDownload] {
        let path = directory.path(percentEncoded: false)
        let names = try FileManager.default.contentsOfDirectory(atPath: path)
        return names.sorted().compactMap { name in
            guard name.hasPrefix("."), name.hasSuffix(PartialFile.suffix) else { return nil }
            var target = String(name.dropFirst().dropLast(PartialFile.suffix.count))
            let validator = directory.appending(path: "\(name).\(PartialFile.validatorExtension)")
            var id: UUID?
            if let lines = PartialFile.lines(of: validator), lines.count > 2, !lines[2].contains("/") {
                target = lines[2]
            } else if let unique = PartialFile.id(in: name) {
                (target, id) = (unique.target, unique.id)
            }
            let file = directory.appending(path: target)
            return PartialDownload(PartialFile(of: file, id: id), file: file)
        }
    }

    /// Deletes the files.
    ///
    /// - Throws: `RESTClientError` of kind `file(path:, .inUse)` if the download is in progress.
    public func discard() throws {
        do {
            guard let handle = try files.openLocked(creating: false) else { return files.removeValidator() }
            files.remove(handle)
            try handle.close()
        } catch {
            let code = error.errorNumber
            let reason: RESTClientError.FileFailure = code == EBUSY ? .inUse : .system(.write, errno: code)
            let path = file.path(percentEncoded: false)
            throw RESTClientError(.file(path: path, reason), URLRequest(url: file), underlying: error)
        }
    }
}
