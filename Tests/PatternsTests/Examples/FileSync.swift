import Foundation
import RESTClient

/// A job that keeps a directory up to date with a list of remote files.
struct FileSync: Sendable {
    struct RemoteFile: Decodable, Sendable {
        var name: String
        var url: URL
    }

    /// The result of a run, with the names of the files.
    struct Report: Equatable, Sendable {
        var updated: [String] = []
        var unchanged: [String] = []
        /// The reasons by name.
        var failed: [String: String] = [:]
    }

    private let manager: SessionManager
    private let directory: URL
    private let list: ConditionalRequests

    init(
        server: URL, directory: URL, configuration: URLSessionConfiguration = .ephemeral,
        clock: any Clock<Duration> = ContinuousClock()
    ) throws {
        manager = SessionManager(
            baseURL: server, configuration: configuration,
            interceptors: [.retry(maxAttempts: 3), .limiting(concurrent: 2)], clock: clock)
        self.directory = directory
        list = try ConditionalRequests(directory: directory.appending(path: ".list"))
    }

    /// Downloads the files that are new or have changed. Files that fail are in the report, and continue in the next run.
    /// If the task is cancelled, throws `CancellationError` instead; unfinished files continue in the next run, too.
    func run() async throws -> Report {
        let files = try await MyRESTClient(manager.request("files").interceptors(list))
            .getAvailableItems(as: RemoteFile.self)
        var report = Report()
        // A name is a part of a path, and comes from the server.
        let safe = files.filter { !$0.name.contains("/") && !$0.name.hasPrefix(".") }
        for file in files where !safe.contains(where: { $0.name == file.name }) {
            report.failed[file.name] = "the name is not valid"
        }
        var tags = storedTags()
        await withTaskGroup(of: (String, Result<String?, any Error>).self) { group in
            for file in safe {
                let local = directory.appending(path: file.name)
                let tag = FileManager.default.fileExists(atPath: local.path) ? tags[file.name] : nil
                let request = manager.request(file.url, headers: [.ifNoneMatch: tag])
                group.addTask {
                    do {
                        let response = try await request.download(to: local, resuming: true)
                        return (file.name, .success(response.headers[.eTag]))
                    } catch { return (file.name, .failure(error)) }
                }
            }
            for await (name, result) in group {
                do {
                    tags[name] = try result.get()
                    report.updated.append(name)
                } catch let error as RESTClientError where error.kind == .status(304) {
                    report.unchanged.append(name)
                } catch {
                    report.failed[name] = error.localizedDescription
                }
            }
        }
        // Downloads end in any order.
        report.updated.sort()
        report.unchanged.sort()
        try JSONEncoder().encode(tags).write(to: tagFile, options: .atomic)
        try Task.checkCancellation()
        return report
    }

    private var tagFile: URL { directory.appending(path: ".tags.json") }

    /// Returns the tags of the last run. Without them, all files are downloaded again.
    private func storedTags() -> [String: String] {
        guard let data = try? Data(contentsOf: tagFile) else { return [:] }
        return (try? JSONDecoder().decode([String: String].self, from: data)) ?? [:]
    }
}
