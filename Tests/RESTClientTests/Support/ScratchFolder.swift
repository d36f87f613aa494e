import Foundation

/// A folder for one test, gone with it.
final class ScratchFolder: Sendable {
    let url = FileManager.default.temporaryDirectory.appending(path: "restclient-tests-\(UUID())")

    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: url) }
}
