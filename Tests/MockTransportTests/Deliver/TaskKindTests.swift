import Foundation
import MockTransport
import RESTClientHTTP
import RESTClientTestSupport
import RESTClientTestingSupport
import Testing

@Suite struct UploadTaskTests {
    private let body = String(repeating: "tea & milk ", count: 20_000)
    private let server = MockServer { Route(.post, "/items") { Reply.status(201) } }

    private let request = URLRequest(URL(literal: "http://shop.example/items"), method: "POST")

    enum Upload: CaseIterable { case data, file, completionHandler, taskOfData, taskOfFile, taskOfStream }

    @Test(arguments: Upload.allCases) func `an upload has its body`(upload: Upload) async throws {
        let data = Data(body.utf8)
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).txt")
        defer { try? FileManager.default.removeItem(at: file) }
        try data.write(to: file)
        let plain = URLSession(configuration: server.configuration)
        let recorder = Recorder(body: data)
        let session = server.session(recorder)
        switch upload {
        case .data:
            let (_, response) = try await plain.upload(for: request, from: data)
            #expect((response as? HTTPURLResponse)?.statusCode == 201)
        case .file: _ = try await plain.upload(for: request, fromFile: file)
        case .completionHandler:
            let status = await withCheckedContinuation { done in
                plain.uploadTask(with: request, from: data) { _, response, _ in
                    done.resume(returning: (response as? HTTPURLResponse)?.statusCode)
                }.resume()
            }
            #expect(status == 201)
        case .taskOfData:
            #expect(await recorder.run(session.uploadTask(with: request, from: data)).error == nil)
        case .taskOfFile:
            #expect(await recorder.run(session.uploadTask(with: request, fromFile: file)).error == nil)
        case .taskOfStream:
            #expect(await recorder.run(session.uploadTask(withStreamedRequest: request)).error == nil)
        }
        #expect(server.requests.first?.text == body)
    }

    @Test func `an upload of an empty body has none`() async throws {
        let session = URLSession(configuration: server.configuration)
        _ = try await session.upload(for: request, from: Data())
        #expect(server.requests.first?.body == Data())
    }

    @Test(.linuxOnly("URLSession on Apple platforms reads the file"))
    func `an upload of a missing file fails`() async throws {
        let session = URLSession(configuration: server.configuration)
        let error = await #expect(throws: URLError.self) {
            try await session.upload(for: request, fromFile: URL(fileURLWithPath: "/no/such/file"))
        }
        #expect(error?.code == .fileDoesNotExist)
        #expect(server.requests.isEmpty)
    }
}

// URLSession on Linux has download tasks for its own protocols only (PLATFORM A13).
#if canImport(FoundationNetworking)
@Suite struct UnsupportedTaskTests {
    private let url = URL(literal: "http://shop.example/video")
    private let server = MockServer { Route("/video") { Reply.text("tea") } }

    private func check(_ error: (any Error)?) {
        let text = (error as? MockServerError)?.description ?? "\(String(describing: error))"
        #expect(text.contains("GET http://shop.example/video: a download task"))
        #expect(text.contains("listen()"))
    }

    @Test func `a download fails with an error that names listen() and the URL`() async throws {
        let session = URLSession(configuration: server.configuration)
        check(await #expect(throws: (any Error).self) { try await session.download(from: url) })
        let error = await withCheckedContinuation { done in
            session.downloadTask(with: url) { _, _, error in done.resume(returning: error) }.resume()
        }
        check(error)
        let recorder = Recorder()
        check(await recorder.run(server.session(recorder).downloadTask(with: url)).error)
        #expect(server.requests.isEmpty)
    }

    @Test(.hangLimit) func `a WebSocket task fails and opens no connection`() async throws {
        let raw = try RawServer { _ in [.close] }
        let session = URLSession(configuration: server.configuration)
        let task = session.webSocketTask(with: try #require(URL(string: "ws://127.0.0.1:\(raw.port)/")))
        task.resume()
        await #expect(throws: (any Error).self) { try await task.receive() }
        #expect(raw.connections == 0)
    }
}
#endif
