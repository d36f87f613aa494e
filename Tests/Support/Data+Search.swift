package import Foundation

extension Data {
    /// Returns `true` if the bytes of a text are in the data. In a build for debugging, `range(of:)` takes ten times as long.
    package func contains(bytes part: Data) -> Bool {
        guard let first = part.first else { return true }
        return withUnsafeBytes { whole in
            part.withUnsafeBytes { part in
                guard var start = whole.baseAddress, let text = part.baseAddress else { return false }
                let end = start + whole.count - part.count
                while start <= end, let found = memchr(start, Int32(first), end - start + 1) {
                    if memcmp(found, text, part.count) == 0 { return true }
                    start = UnsafeRawPointer(found) + 1
                }
                return false
            }
        }
    }
}
