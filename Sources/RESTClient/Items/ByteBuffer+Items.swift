import Foundation

extension ByteBuffer {
    /// Waits for the first item of a list, or for what shows that there is none; takes nothing.
    ///
    /// So a retry, which ends when the answer is handed on, covers what fails before an item is out. A document may be
    /// long before its list: then the answer goes on without, because all this has to be kept.
    func waitForItem(ofListAt path: MemberPath) async throws {
        var scanner = ListScanner(at: path)
        try await wait(forAtMost: Self.longestOpening) { chunk in
            do { try scanner.scan(chunk.bytes) { _ in } } catch { return true }
            return scanner.itemCount > 0
        }
    }

    private static let longestOpening = 1 << 20
}
