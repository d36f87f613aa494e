import Foundation
import MockTransport
import Testing

/// Upload and download tasks of URLSession, which an in-process mock cannot answer on Linux (PLATFORM A11, A13).
@Suite struct LoopbackTaskTests {
    private let server = MockServer {
        Route(.put, "/in") { request in
            .text("\(request.body.count) \(request.headers[.contentLength] ?? "-")", status: 201)
        }
        Route(.get, "/out") { Reply.data(Data(repeating: 7, count: 1 << 20)) }
        Route(.get, "/chunks") { _ in .stream(.chunks("te", "a")) }
        Route(.get, "/gone") { Reply.text("no such file", status: 404) }
        Route(.get, "/cut") { Reply.data(Data(count: 100)).fault(.close(.inBody(after: 10))) }
    }
    private let body = Data(repeating: 9, count: 300_000)

    private func session() -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        return URLSession(configuration: configuration)
    }

    enum Upload: CaseIterable, Sendable { case data, file, asyncData, asyncFile }

    @Test(arguments: Upload.allCases) func `an upload sends its data or its file`(upload: Upload) async throws
    {
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: file) }
        try body.write(to: file)
        let loopback = try await server.listen()
        let request = URLRequest(loopback.url.appending(path: "in"), method: "PUT")
        let answer: Data
        switch upload {
        case .data:
            answer = try await finished {
                session().uploadTask(with: request, from: body, completionHandler: $0)
            }
        case .file:
            answer = try await finished {
                session().uploadTask(with: request, fromFile: file, completionHandler: $0)
            }
        case .asyncData: answer = try await session().upload(for: request, from: body).0
        case .asyncFile: answer = try await session().upload(for: request, fromFile: file).0
        }
        #expect(String(decoding: answer, as: UTF8.self) == "300000 300000")
        #expect(server.requests.map(\.body) == [body])
    }

    @Test(arguments: [("out", 200, 1 << 20), ("chunks", 200, 3), ("gone", 404, 12)])
    func `a download task receives a file, also of an error response`(
        path: String, status: Int, count: Int
    ) async throws {
        let loopback = try await server.listen()
        let answer = try await downloaded(loopback.url.appending(path: path))
        #expect(answer.status == status)
        #expect(answer.body.count == count)
    }

    @Test func `an interrupted download fails`() async throws {
        let loopback = try await server.listen()
        await #expect(throws: URLError.self) { try await downloaded(loopback.url.appending(path: "cut")) }
    }

    @Test func `the async download method receives a file`() async throws {
        let loopback = try await server.listen()
        let (file, response) = try await session().download(from: loopback.url.appending(path: "out"))
        defer { try? FileManager.default.removeItem(at: file) }
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        #expect(try Data(contentsOf: file).count == 1 << 20)
    }

    private func finished(
        _ make: (@escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void) -> URLSessionUploadTask
    ) async throws -> Data {
        try await withCheckedThrowingContinuation { continuation in
            make { data, _, error in
                continuation.resume(with: data.map { .success($0) } ?? .failure(error ?? URLError(.unknown)))
            }.resume()
        }
    }

    private func downloaded(_ url: URL) async throws -> (status: Int, body: Data) {
        try await withCheckedThrowingContinuation { continuation in
            session().downloadTask(with: url) { file, response, error in
                // The file exists only during this callback; on Linux it stays forever, so it is removed.
                let body = file.flatMap { try? Data(contentsOf: $0) }
                if let file { try? FileManager.default.removeItem(at: file) }
                guard let body else {
                    return continuation.resume(throwing: error ?? URLError(.cannotOpenFile))
                }
                continuation.resume(returning: ((response as? HTTPURLResponse)?.statusCode ?? 0, body))
            }.resume()
        }
    }
}
