import Foundation
import MockTransport
import Testing

@testable import RESTClient

/// The files of downloads: their names, permissions and sizes.
extension DownloadTests {
    @Test(arguments: [215, 255], [false, true])
    func `a file with a long name is downloaded and resumed`(length: Int, isResumable: Bool) async throws {
        let server = MockServer {
            Route(.any) {
                Self.broken
                if isResumable {
                    Self.rest
                } else {
                    Reply.text("and milk")
                }
            }
        }
        let request = server.manager().request(try Self.url())
        let name = String(repeating: "é", count: length / 2) + "a"
        let target = directory.appending(path: name)
        let interrupted = try await failure {
            try await request.download(to: target, resuming: isResumable)
        }
        #expect(interrupted.kind == .incompleteBody(received: 4, expected: 12))
        _ = try await request.download(to: target, resuming: isResumable)
        #expect(try files == [name])
        #expect(try text(of: target) == (isResumable ? "tea and milk" : "and milk"))
    }

    private func permissions(of file: URL) throws -> Int? {
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path(percentEncoded: false))
        return (attributes[.posixPermissions] as? NSNumber)?.intValue
    }

    @Test func `a download has the permissions of a new file or of the replaced file`() async throws {
        let server = Self.server(Reply.text("tea"))
        let request = server.manager().request(try Self.url())
        let other = directory.appending(path: "other")
        let descriptor = open(other.path(percentEncoded: false), O_WRONLY | O_CREAT, 0o666)
        close(descriptor)
        _ = try await request.download(to: target)
        #expect(try permissions(of: target) == permissions(of: other))
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o640], ofItemAtPath: target.path(percentEncoded: false))
        _ = try await request.download(to: target)
        #expect(try permissions(of: target) == 0o640)
        #expect(try files == ["other", "tea.bin"])
    }

    /// The length counts bytes of the encoded body.
    @Test func `the length of an encoded body is not that of the file`() async throws {
        let server = MockServer {
            Route(.any) {
                Reply.text("tea").header(.contentEncoding, "x").header(.contentLength, "99").header(
                    .eTag, "\"v1\"")
            }
        }
        let request = server.manager().request(try Self.url())
        _ = try await request.download(to: target, resuming: true)
        #expect(try text(of: target) == "tea")
    }

    // A limit of the process is an enumeration in glibc only, and `/dev/full` exists only on Linux.
    #if canImport(Glibc)
    /// A limit for the size of files makes a write fail as a full disk does. It applies to the whole process.
    @Test func `a download that cannot be written is a file error and leaves no file`() async {
        await #expect(processExitsWith: .success) {
            signal(SIGXFSZ, SIG_IGN)
            let scratch = try ScratchDirectory()
            let target = scratch.url.appending(path: "tea.bin")
            try Data("old".utf8).write(to: target)
            var limit = rlimit(rlim_cur: 8_192, rlim_max: 8_192)
            try #require(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
            let server = Self.server(Reply.text(String(repeating: "a", count: 8_193)))
            let request = server.manager().request(try DownloadTests.url())
            let error = await #expect(throws: RESTClientError.self) { try await request.download(to: target) }
            let path = target.path(percentEncoded: false)
            #expect(error?.kind == .file(path: path, .system(.write, errno: EFBIG)))
            let files = try FileManager.default.contentsOfDirectory(
                atPath: scratch.url.path(percentEncoded: false))
            #expect(files == ["tea.bin"])
            #expect(try Data(contentsOf: target) == Data("old".utf8))
        }
    }

    @Test func `the error of a full disk has its number`() throws {
        let full = try FileHandle(forWritingTo: URL(filePath: "/dev/full"))
        let error = #expect(throws: (any Error).self) { try full.write(contentsOf: Data("tea".utf8)) }
        #expect(error?.errorNumber == ENOSPC)
    }
    #endif

    @Test func `only the owner can read a partial file`() async throws {
        let (chunks, source) = AsyncStream.makeStream(of: Data.self)
        let server = Self.server(Reply.stream(chunks).header(.eTag, "\"v1\""))
        let request = server.manager().request(try Self.url())
        let call = Task { [target] in try await request.download(to: target, resuming: true) }
        source.yield(Data("tea ".utf8))
        while try !files.contains(".tea.bin.partial.validator") { await Task.yield() }
        #expect(try permissions(of: directory.appending(path: ".tea.bin.partial")) == 0o600)
        source.finish()
        _ = try await call.value
    }
}
