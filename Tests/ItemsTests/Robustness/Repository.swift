import Foundation

/// The files of this package, as far as tests look at them.
enum Repository {
    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    static func article(_ name: String) -> URL {
        root.appending(path: "Sources/RESTClient/RESTClient.docc/\(name).md")
    }

    /// The names of all tests that are sentences.
    static let tests: Set<String> = {
        let folder = root.appending(path: "Tests")
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        var names: Set<String> = []
        for case let file as URL in files ?? .init() where file.pathExtension == "swift" {
            guard let text = try? String(contentsOf: file, encoding: .utf8) else { continue }
            for part in text.components(separatedBy: "func `").dropFirst() {
                names.insert(String(part.prefix { $0 != "`" }))
            }
        }
        return names
    }()
}
