import Foundation

/// A folder that is deleted after the test.
final class ScratchFolder: Sendable {
    let url = FileManager.default.temporaryDirectory.appending(path: "restclient-tests-\(UUID())")

    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: url) }
}
