import Foundation

/// A path of a file or folder, which is removed after the test.
final class TemporaryPath: Sendable {
    let url: URL

    init(_ suffix: String = "") {
        url = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString + suffix)
    }

    deinit { try? FileManager.default.removeItem(at: url) }
}
