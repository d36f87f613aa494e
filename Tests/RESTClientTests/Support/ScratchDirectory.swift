import Foundation

/// A directory that is deleted after the test.
final class ScratchDirectory: Sendable {
    let url = FileManager.default.temporaryDirectory.appending(path: "restclient-tests-\(UUID())")

    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: url) }
}
