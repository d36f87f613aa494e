// This file repairs defects of URLSession on Linux. On Apple platforms nothing of it is used; see
// Platform.swift.
#if canImport(FoundationNetworking)
import Foundation

/// The body of a request as a stream of exactly the announced length.
///
/// A file that has become shorter makes the stream fail, so that the request fails instead of waiting for more bytes.
/// The bytes that were added to a file are not sent.
final class BodyInputStream: InputStream {
    enum Content {
        case data(Data)
        case file(BodyFile)
        /// Every read fails.
        case failure
    }

    private let content: Content
    /// The number of bytes.
    let length: Int64
    private var position: Int64 = 0
    private var descriptor: Int32?

    init(_ content: Content) {
        self.content = content
        switch content {
        case .data(let data): length = Int64(data.count)
        case .file(let file): length = file.length
        case .failure: length = .max
        }
        super.init(data: Data())
    }

    deinit { if let descriptor { closeFile(descriptor) } }

    /// Returns a stream of the same body from its start.
    func rewound() -> BodyInputStream { BodyInputStream(content) }

    // MARK: InputStream

    override var hasBytesAvailable: Bool { position < length }

    override func open() {
        guard case .file(let file) = content, descriptor == nil else { return }
        descriptor = openFile(file.url)
    }

    override func close() {}

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int {
        let count = Int(min(Int64(maxLength), length - position))
        switch content {
        case .data(let data):
            data.copyBytes(
                to: buffer, from: data.startIndex + Int(position)..<data.startIndex + Int(position) + count)
            position += Int64(count)
            return count
        case .file:
            guard count > 0 else { return 0 }
            var result = -1
            repeat {
                result = pread(descriptor ?? -1, buffer, count, off_t(position))
            } while result < 0 && errno == EINTR
            guard result > 0 else { return -1 }
            position += Int64(result)
            return result
        case .failure: return -1
        }
    }
}

// The functions of the C library, which the methods of the stream with the same names hide.
private func openFile(_ url: URL) -> Int32 { open(url.path(percentEncoded: false), O_RDONLY | O_CLOEXEC) }
private func closeFile(_ descriptor: Int32) { _ = close(descriptor) }
#endif
