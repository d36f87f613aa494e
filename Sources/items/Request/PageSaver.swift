import Foundation
import RESTClient
import Synchronization

/// The files of `--save-pages`: the body of each page as it came, after its compression was removed. The
/// interceptor copies each body to a hidden file, which gets the number of the page when the page is
/// complete. A reply that is not a page leaves no file.
final class PageSaver: RequestInterceptor {
    private final class Body: Sendable {
        let url: URL?
        let path: String
        /// The open file, whose lock says that it is in use.
        private let descriptor: Int32
        /// `error` is the first one of a write.
        let state = Mutex((isComplete: false, error: Int32?.none))

        init(url: URL?, path: String, descriptor: Int32) {
            (self.url, self.path, self.descriptor) = (url, path, descriptor)
        }

        deinit { close(descriptor) }

        /// Writes a chunk; `nil` is the end.
        func write(_ chunk: Data?) {
            guard let chunk else { return state.withLock { $0.isComplete = true } }
            var output = Output(descriptor: descriptor, capacity: 64)
            do {
                try chunk.withUnsafeBytes { try output.append($0) }
                try output.flush()
            } catch {
                let code = if case .failed(let code) = error as? OutputError { code } else { EIO }
                state.withLock { $0.error = $0.error ?? code }
            }
        }
    }

    private let directory: String
    /// `true` to replace the files of the run that is continued.
    private let isContinued: Bool
    /// The bodies, or `nil` after the end.
    private let bodies = Mutex<[Body]?>([])

    /// Creates the directory, if necessary.
    init(_ directory: String, from start: ResumeToken?) throws {
        self.directory = directory.hasSuffix("/") ? directory : directory + "/"
        isContinued = start != nil
        if mkdir(directory, 0o777) != 0, errno != EEXIST { throw CommandError(writing: label, errno) }
        guard access(self.directory + ".", W_OK) == 0 else { throw CommandError(writing: label, errno) }
        let first = path(ofPage: start?.pageNumber ?? 1)
        if !isContinued, access(first, F_OK) == 0 { throw Self.exists(first) }
    }

    /// Removes the bodies that are not those of complete pages.
    func end() {
        let rest = bodies.withLock { bodies in
            defer { bodies = nil }
            return bodies
        }
        for body in rest ?? [] { unlink(body.path) }
    }

    private var label: String { String(directory.dropLast()).escaped() }

    func intercept(
        _ request: URLRequest, context: RequestContext, next: Next
    ) async throws -> Response<ResponseBody> {
        var response = try await next(request)
        guard response.status.isSuccess else { return response }
        let file = try TemporaryOutput.create(in: directory)
        let body = Body(url: request.url, path: file.path, descriptor: file.descriptor)
        // A page that is received after the end is not needed.
        guard bodies.withLock({ $0?.append(body) }) != nil else {
            unlink(file.path)
            return response
        }
        response.body = response.body.mapped { chunk in
            body.write(chunk)
            return chunk
        }
        return response
    }

    /// Gives the body of a complete page its name.
    func save(_ page: PageInfo) throws {
        let found = bodies.withLock { bodies in
            bodies?.firstIndex { $0.url == page.url && $0.state.withLock(\.isComplete) }.flatMap {
                bodies?.remove(at: $0)
            }
        }
        let path = path(ofPage: page.number)
        guard let body = found else { throw CommandError(writing: path, EIO) }
        defer { unlink(body.path) }
        if let error = body.state.withLock(\.error) { throw CommandError(writing: path, error) }
        // Reserves the name, so that no other file is replaced.
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (isContinued ? 0 : O_EXCL), 0o666)
        guard descriptor >= 0 else {
            throw errno == EEXIST ? Self.exists(path) : CommandError(writing: path, errno)
        }
        close(descriptor)
        guard rename(body.path, path) == 0 else { throw CommandError(writing: path, errno) }
    }

    private func path(ofPage number: Int) -> String { directory + String(format: "%04d.json", number) }

    private static func exists(_ path: String) -> CommandError {
        CommandError(
            .outputFailed, "\(path.escaped()) exists already", hint: "name a new directory with --save-pages")
    }
}

extension ResponseBody {
    /// Returns the body with each chunk replaced by the result of `transform`, which receives `nil` at the end.
    func mapped(_ transform: @escaping @Sendable (Data?) -> Data?) -> ResponseBody {
        switch self {
        case .data(let data):
            let start = transform(data) ?? Data()
            return .data(start + (transform(nil) ?? Data()))
        case .stream(let stream): return .stream(ByteStream(MappedBody(body: stream, transform: transform)))
        }
    }
}

/// The chunks of a body after a change.
private struct MappedBody: AsyncSequence, Sendable {
    let body: ByteStream
    let transform: @Sendable (Data?) -> Data?

    struct AsyncIterator: AsyncIteratorProtocol {
        var chunks: ByteStream.AsyncIterator
        let transform: @Sendable (Data?) -> Data?
        var isAtEnd = false

        mutating func next() async throws -> Data? {
            guard !isAtEnd else { return nil }
            let chunk = try await chunks.next()
            isAtEnd = chunk == nil
            return transform(chunk)
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(chunks: body.makeAsyncIterator(), transform: transform)
    }
}
