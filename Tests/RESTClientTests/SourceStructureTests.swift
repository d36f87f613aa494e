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

    // MARK: Layers

    /// The types that are declared in the folders of the listing, the pagination and JSON.
    private static func listingTypes() throws -> Set<String> {
        let declaration = /^(?:(?:public|package|final|indirect) )*(?:struct|class|enum|protocol) (\w+)/
        let folders = ["RESTClient/List", "RESTClient/Paging", "RESTClient/JSON"]
        let lines = try folders.flatMap { try files(in: $0).flatMap(\.lines) }
        return Set(lines.compactMap { $0.prefixMatch(of: declaration).map { String($0.1) } })
    }

    @Test func `the session and the transport name no list, page or JSON type`() throws {
        let types = try Self.listingTypes()
        #expect(types.isSuperset(of: ["ItemListing", "PageReader", "Pagination", "ListScanner"]))
        let names = types.union(["JSONDecoder", "JSONEncoder", "JSONSerialization", "JSONLiteral"])
        let files = try Self.files(in: "RESTClient/Exchange") + Self.files(in: "RESTClient/Transport")
        #expect(files.count > 10)
        for file in files {
            let words = file.lines.flatMap { $0.split { !$0.isLetter && !$0.isNumber && $0 != "_" } }
            let found = names.intersection(words.map(String.init))
            #expect(found.isEmpty, "\(file.path)")
        }
    }

    // MARK: Platforms

    /// The files outside the Linux folders with platform conditions besides imports, and the reason for each.
    private static let platformConditions = [
        "RESTClient/Transport/Platform.swift": "it selects the Linux folder",
        "RESTClientPlatform/PlatformSession.swift": "it selects the Linux folder",
        "RESTClientHTTP/System/FileReplacement.swift": "only Linux has links to open files",
        "RESTClientHTTP/System/Exports.swift": "it names the platforms that are not supported",
        "RESTClientHTTP/System/StreamSocket.swift": "the constants of sockets have other types and names",
        "MockTransport/Deliver/URLLoading.swift": "it extends the protocol of mock servers",
        "items/PasswordPrompt.swift": "the field of the signal handler has another name",
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

    // MARK: Pipeline

    /// The functions between `getAvailableItems` and `resume()`, each with its file and its call of the next.
    private static let pipeline = [
        ("MyRESTClient.swift", "getAvailableItems<", "readItems(into:"),
        ("List/PageReader.swift", "readItems<", "next()"),
        ("List/PageReader.swift", "next()", "openPage()"),
        ("List/PageReader.swift", "openPage()", "queue.next("),
        ("List/PageQueue.swift", "next(", "transfer(of: page).stream()"),
        ("Exchange/DataRequest.swift", "stream()", "manager.perform("),
        ("Exchange/SessionManager.swift", "perform(", "executor.response()"),
        ("Exchange/RequestExecutor.swift", "response()", "attempt("),
        ("Exchange/RequestExecutor.swift", "attempt(", "send("),
        ("Exchange/RequestExecutor.swift", "send(", "transfer.response()"),
        ("Transport/TransportTask.swift", "response()", "start("),
        ("Transport/TransportTask.swift", "start(", "Platform.start"),
        ("Transport/Linux/LinuxPlatform.swift", "start(", "work()"),
    ]

    @Test func `a listing reaches URLSession in 14 calls over 8 files`() throws {
        for (path, function, call) in Self.pipeline {
            let file = try SourceFile("RESTClient/\(path)")
            let first = try #require(
                file.lines.firstIndex { $0.contains("func \(function)") }, "\(path): \(function)")
            let indentation = file.lines[first].prefix { $0 == " " }
            let body = file.lines[first...].dropFirst().prefix { $0 != "\(indentation)}" }
            #expect(body.contains { $0.contains(call) }, "\(path): \(function)")
        }
        // The last call is `resume()`, in the closure that `TransportTask.start` passes to the platform.
        #expect(Self.pipeline.count + 1 <= 14)
        #expect(Set(Self.pipeline.map(\.0)).count <= 8)
    }
}

extension String {
    fileprivate var trimmed: Substring { drop { $0 == " " } }
}
