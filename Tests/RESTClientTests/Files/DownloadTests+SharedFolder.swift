import Foundation
import MockTransport
import Testing

@testable import RESTClient

/// Downloads in a folder in which other users can create files.
extension DownloadTests {
    private var partial: URL { directory.appending(path: ".tea.bin.partial") }
    private var validator: URL { directory.appending(path: ".tea.bin.partial.validator") }
    private var secret: URL { directory.appending(path: "private") }

    /// Writes the files of an interrupted download, as the package does.
    func plant(_ part: String = "tea ", validator tag: String = "\"v1\"", total: String = "12") throws {
        for (file, text) in [(partial, part), (validator, "\(tag)\n\(total)\ntea.bin")] {
            try Data(text.utf8).write(to: file)
            chmod(file.path(percentEncoded: false), 0o600)
        }
    }

    /// A server that continues a download, and the range and the validator of its first request.
    private func download(isContinued: Bool = true) async throws -> [String?] {
        let server = MockServer {
            if isContinued {
                Route(.any, .header("Range", "bytes=4-")) {
                    Self.rest
                }.optional()
            }
            Route(.any) { Self.whole }.optional()
        }
        _ = try await server.manager().request(Self.url()).download(to: target, resuming: true)
        let request = try #require(server.requests.first)
        return [request.headers[.range], request.headers[.ifRange]]
    }

    @Test func `the files of an interrupted download are continued`() async throws {
        try plant()
        #expect(try await download() == ["bytes=4-", "\"v1\""])
        #expect(try text(of: target) == "tea and milk")
        #expect(try files == ["tea.bin"])
    }

    /// The ways in which a file at the name of a partial file or of its validator can be another user's.
    enum Planted: CaseIterable { case readable, writable, linked, symbolicLink, danglingLink, pipe, folder }

    private func replace(_ file: URL, by kind: Planted) throws {
        let path = file.path(percentEncoded: false)
        let other = secret.path(percentEncoded: false)
        try FileManager.default.copyItem(at: file, to: secret)
        chmod(other, 0o600)
        switch kind {
        case .readable: chmod(path, 0o640)
        case .writable: chmod(path, 0o602)
        default:
            unlink(path)
            switch kind {
            case .linked: link(other, path)
            case .symbolicLink: symlink(other, path)
            case .danglingLink: symlink("\(other).absent", path)
            case .pipe: mkfifo(path, 0o600)
            default: mkdir(path, 0o700)
            }
        }
    }

    @Test(arguments: Planted.allCases, [true, false])
    func `a file that others can access, a link or a pipe is neither continued nor changed`(
        kind: Planted, isPart: Bool
    ) async throws {
        try plant("foul")
        try replace(isPart ? partial : validator, by: kind)
        let before = try Data(contentsOf: secret)
        #expect(try await download() == [nil, nil])
        #expect(try text(of: target) == "tea and milk")
        #expect(try Data(contentsOf: secret) == before)
        #expect(try files.contains { $0.hasPrefix(".tea.bin") } == (kind == .folder))
        var status = stat()
        #expect(lstat(target.path(percentEncoded: false), &status) == 0 && status.st_nlink == 1)
        #expect(status.st_mode & S_IFMT == S_IFREG)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files to another user"), arguments: [true, false])
    func `the files of another user are neither continued nor changed`(isSticky: Bool) async throws {
        try plant("foul")
        chmod(directory.path(percentEncoded: false), isSticky ? 0o1777 : 0o755)
        for file in [partial, validator] { chown(file.path(percentEncoded: false), 65_534, 65_534) }
        #expect(PartialDownload(of: target) == nil)
        #expect(try PartialDownload.all(in: directory).isEmpty)
        #expect(try await download() == [nil, nil])
        #expect(try text(of: target) == "tea and milk")
        #expect(try files == [".tea.bin.partial", ".tea.bin.partial.validator", "tea.bin"])
        #expect(try text(of: partial) == "foul")
        var status = stat()
        #expect(lstat(target.path(percentEncoded: false), &status) == 0 && status.st_uid == geteuid())
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files to another user"), arguments: [true, false])
    func `in a folder of all users, a link or a file of another user is not trusted`(
        isLink: Bool
    ) async throws {
        try Data("old".utf8).write(to: secret)
        let path = target.path(percentEncoded: false)
        if isLink { symlink("private", path) } else { try Data("foul".utf8).write(to: target) }
        if !isLink { chmod(path, 0o666) }
        lchown(path, 65_534, 65_534)
        chmod(directory.path(percentEncoded: false), 0o1777)
        let result = await Result { try await download() }
        if isLink {
            let error = #expect(throws: RESTClientError.self) { try result.get() }
            #expect(error?.kind == .file(path: path, .notRegularFile))
        }
        #expect(try text(of: secret) == "old")
        var status = stat()
        #expect(lstat(path, &status) == 0)
        #expect(isLink || status.st_uid == geteuid() && status.st_mode & 0o022 == 0)
    }

    @Test(arguments: [
        ("\"v1\"", true), ("\"\"", true), ("\"é\"", true), ("Mon, 05 Jan 2026 10:00:00 GMT", true),
        ("W/\"v1\"", false), ("\"", false), ("\"v 1\"", true), ("\"v\"1\"", false), ("v1", false),
        ("\"v1", false), ("\"v\t1\"", false), ("root:x:0:0:root:/root:/bin/bash", false),
        ("Mon, 32 Jan 2026 10:00:00 GMT", false), ("", false),
    ])
    func `only an entity tag or a date is sent as If-Range`(value: String, isValid: Bool) async throws {
        try plant(validator: value)
        #expect(try await download(isContinued: false)[1] == (isValid ? value : nil))
    }

    @Test(arguments: [("tea ", "3"), ("tea ", "-1"), ("tea ", "x"), ("tea ", "+12"), ("", "12")])
    func `a partial file that is empty or does not fit its total length is not continued`(
        part: String, total: String
    ) async throws {
        try plant(part, total: total)
        #expect(try await download() == [nil, nil])
        #expect(try text(of: target) == "tea and milk")
    }
}
