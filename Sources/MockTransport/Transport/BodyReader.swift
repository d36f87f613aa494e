import Dispatch
import Foundation

/// Reads body streams to their end, away from the work queue: a read may wait for whoever writes.
enum BodyReader {
    // SAFETY: the stream is handed over: nobody but the reader touches it from here on.
    private struct Handover: @unchecked Sendable { let stream: InputStream }

    static func read(_ stream: InputStream, then: @escaping @Sendable (Data) -> Void) {
        let handover = Handover(stream: stream)
        DispatchQueue.global().async {
            let stream = handover.stream
            stream.open()
            defer { stream.close() }
            var body = Data()
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            while case let count = stream.read(&buffer, maxLength: buffer.count), count > 0 {
                body.append(contentsOf: buffer[..<count])
            }
            then(body)
        }
    }
}
