import Foundation
import Testing

/// Checks of the source files as text: dependencies between the parts of the package that the compiler does not see.
@Suite struct SourceStructureTests {
    private struct SourceFile {
        /// The path in `Sources`.
        let path: String
        /// The lines without those that are comments.
        let lines: [String]

        init(_ path: String) throws {
            self.path = path
            let url = SourceStructureTests.sources.appending(path: path)
            let text = try String(contentsOf: url, encoding: .utf8)
            lines = text.split(separator: "\n").map(String.init).filter { !$0.trimmed.hasPrefix("//") }
        }
    }

    private static let sources = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources")

    private static func files(in folder: String = "") throws -> [SourceFile] {
        let root = sources.appending(path: folder).path(percentEncoded: false)
        let paths = try FileManager.default.subpathsOfDirectory(atPath: root)
        let prefix = folder.isEmpty ? "" : "\(folder)/"
        return try paths.filter { $0.hasSuffix(".swift") }.map { try SourceFile(prefix + $0) }
    }

    /// The files outside the Linux folders with platform conditions besides imports, and the reason for each.
    private static let platformConditions = [
        "RESTClient/Transport/SessionDelegate.swift": "only Apple platforms collect metrics",
        "RESTClientPlatform/PlatformSession.swift": "it selects the Linux folder",
        "RESTClientHTTP/System/FileReplacement.swift": "only Linux has links to open files",
        "RESTClientHTTP/System/Exports.swift": "it names the platforms that are not supported",
        "RESTClientHTTP/System/StreamSocket.swift": "the constants of sockets have other types and names",
        "MockTransport/Deliver/URLLoading.swift": "it extends the protocol of mock servers",
        "items/System/PasswordPrompt.swift": "the field of the signal handler has another name",
    ]

    @Test func `platform conditions are in the Linux folders`() throws {
        let files = try Self.files().filter { !$0.path.contains("/Linux/") && Self.hasPlatformCondition($0) }
        #expect(Set(files.map(\.path)) == Set(Self.platformConditions.keys))
    }

    /// Returns `true` if a platform condition of `file` contains more than imports.
    private static func hasPlatformCondition(_ file: SourceFile) -> Bool {
        let condition = /canImport|os\(|targetEnvironment|arch\(/
        var conditions: [Bool] = []
        for line in file.lines.map(\.trimmed) {
            if line.hasPrefix("#if") {
                conditions.append(line.contains(condition))
            } else if line.hasPrefix("#endif") {
                conditions.removeLast()
            } else if conditions.contains(true), !line.hasPrefix("#else"), !line.contains(/\bimport\s/) {
                return true
            }
        }
        return false
    }

    @Test func `reflection is in the Linux folders`() throws {
        let reflection = /Mirror\(reflecting|NSClassFromString|NSSelectorFromString|dlsym\(|_typeByName/
        for file in try Self.files() where !file.path.contains("/Linux/") {
            #expect(!file.lines.contains { $0.contains(reflection) }, "\(file.path)")
        }
    }
}

extension String { fileprivate var trimmed: Substring { drop { $0 == " " } } }
