import Foundation
import MockTransport
import RESTClientTestingSupport
import Testing

@testable import RESTClient

/// Downloads whose responses are checked, repeated, chosen or changed.
extension DownloadTests {
    // MARK: Interceptors

    @Test func `the response of an interceptor is written to the file`() async throws {
        let server = Self.server(Reply.text("tea"))
        let manager = server.manager()
        let kept = manager.request(try Self.url()).interceptors(
            .intercept { request, _, _ in Response(to: request, status: 200, body: .data(Data("kept".utf8))) }
        )
        _ = try await kept.download(to: target)
        #expect(try text(of: target) == "kept")
        let changed = manager.request(try Self.url()).interceptors(
            .intercept { request, _, next in try await next(request).map { _ in .data(Data("new".utf8)) } })
        _ = try await changed.download(to: target)
        #expect(try text(of: target) == "new")
        #expect(try files == ["tea.bin"])
    }

    @Test(arguments: [false, true])
    func `an interceptor can read the body from the file`(isChanged: Bool) async throws {
        let server = Self.interruptedServer()
        let request = server.manager(Self.retry).request(try Self.url()).interceptors(
            .intercept { request, _, next in
                let response = try await next(request)
                var body = Data()
                for try await chunk in ByteStream(response.body) { body += chunk }
                #expect(body == Data("tea and milk".utf8))
                return isChanged ? response.map { [body] _ in .data(body + body) } : response
            })
        _ = try await request.download(to: target, resuming: true)
        #expect(try text(of: target) == (isChanged ? "tea and milktea and milk" : "tea and milk"))
        #expect(try files == ["tea.bin"])
    }

    /// A server of two bodies with the same validator, of which the first one ends when `chunks` ends.
    private static func server(of chunks: AsyncStream<Data>) -> MockServer {
        MockServer {
            Route(.any, .header("X-Attempt", "1")) { Reply.stream(chunks).header(.eTag, "\"v1\"") }
            Route(.any) { Reply.text("coffee").header(.eTag, "\"v1\"") }
        }
    }

    /// A request, and a stream that ends when the first four bytes of a body were written.
    private static func request(to server: MockServer) throws -> (DataRequest, isWriting: AsyncStream<Void>) {
        let (isWriting, start) = AsyncStream.makeStream(of: Void.self)
        let request = server.manager().request(try url()).progress { if $0.received == 4 { start.finish() } }
        return (request, isWriting)
    }

    private static func attempt(_ number: Int, of request: URLRequest) -> URLRequest {
        var request = request
        request.setValue("\(number)", forHTTPHeaderField: "X-Attempt")
        return request
    }

    @Test(arguments: [1, 2], [false, true])
    func `two attempts at once write to different files`(chosen: Int, isResumable: Bool) async throws {
        let (chunks, source) = AsyncStream.makeStream(of: Data.self)
        let server = Self.server(of: chunks)
        let (unchanged, isWriting) = try Self.request(to: server)
        let request = unchanged.interceptors(
            .intercept { request, _, next in
                async let first = next(Self.attempt(1, of: request))
                for await _ in isWriting {}
                let second = try await next(Self.attempt(2, of: request))
                source.yield(Data("and milk".utf8))
                source.finish()
                let responses = [try await first, second]
                return responses[chosen - 1]
            })
        source.yield(Data("tea ".utf8))
        _ = try await request.download(to: target, resuming: isResumable)
        #expect(try text(of: target) == (chosen == 1 ? "tea and milk" : "coffee"))
        #expect(try files == ["tea.bin"])
    }

    @Test(arguments: ["/coffee", "/absent", "/broken"])
    func `an earlier response is kept during a later attempt`(path: String) async throws {
        let server = MockServer {
            Route(.any, "/tea.bin") { Self.whole }
            Route(.any, "/coffee") { Reply.text("coffee").header(.eTag, "\"v1\"") }
            Route(.any, "/broken") { Reply.text("coffee").fault(.reset(.inBody(after: 4))) }
            Route(.any) { Reply.status(404) }
        }
        let other = try #require(URL(string: "http://shop.example\(path)"))
        let request = server.manager().request(try Self.url()).interceptors(
            .intercept { request, _, next in
                let response = try await next(request)
                var second = request
                second.url = other
                _ = try? await next(second)
                return response
            })
        _ = try await request.download(to: target, resuming: true)
        #expect(try text(of: target) == "tea and milk")
        #expect(try files == ["tea.bin"])
        #expect(server.requests.map { $0.headers[.range] } == [nil, nil])
    }

    @Test func `the file of a released response is used again`() async throws {
        let server = Self.server(
            Reply.text("not yet", status: 202).header(.eTag, "\"v0\""),
            Reply.text("not yet", status: 202).header(.eTag, "\"v0\""), Self.whole)
        let most = LockedState(0)
        let request = server.manager().request(try Self.url()).interceptors(
            .intercept { [directory] request, _, next in
                while true {
                    let names = try FileManager.default.contentsOfDirectory(
                        atPath: directory.path(percentEncoded: false))
                    most.withLock { $0 = max($0, names.count) }
                    let response = try await next(request)
                    if response.status == 200 { return response }
                }
            })
        _ = try await request.download(to: target, resuming: true)
        #expect(try text(of: target) == "tea and milk")
        #expect(try files == ["tea.bin"])
        #expect(most.withLock { $0 } <= 1)
        #expect(server.requests.map { $0.headers[.range] } == [nil, nil, nil])
    }

    @Test(.hangLimit)
    func `a download does not wait for an attempt whose response is not used`() async throws {
        let (chunks, source) = AsyncStream.makeStream(of: Data.self)
        let server = Self.server(of: chunks)
        let (unchanged, isWriting) = try Self.request(to: server)
        let request = unchanged.interceptors(
            .intercept { request, _, next in
                Task { try await next(Self.attempt(1, of: request)) }
                for await _ in isWriting {}
                return try await next(Self.attempt(2, of: request))
            })
        source.yield(Data("tea ".utf8))
        _ = try await request.download(to: target)
        #expect(try text(of: target) == "coffee")
        #expect(try files == ["tea.bin"])
        source.finish()
    }

    // MARK: Validation

    @Test func `a continued download has the status of the whole file`() async throws {
        let server = Self.interruptedServer()
        let request = server.manager(Self.retry).request(try Self.url()).validation(
            Validation(status: 200..<201))
        let response = try await request.download(to: target, resuming: true)
        #expect(try text(of: target) == "tea and milk")
        #expect(response.status == 200)
        #expect(response.headers["Content-Range"] == nil)
    }

    /// The page of a login, as a network that requires one sends it instead of the file.
    @Test func `the body of a response that is not accepted is not written, and is kept in the error`()
        async throws
    {
        let server = Self.server(
            Self.broken, Reply.text("sign in", as: "text/html").header(.eTag, "\"v2\""), Self.rest)
        let validation = Validation { head in
            guard head.mediaType?.rawValue.hasPrefix("text/html") != true else {
                throw RESTClientError(.status(head.status), head.request)
            }
        }
        let reports = LockedState<[Int64]>([])
        let request = server.manager().request(try Self.url()).validation(validation).progress { report in
            reports.withLock { $0.append(report.received) }
        }
        let broken = try await failure {
            try await request.download(to: target, resuming: true)
        }
        #expect(broken.kind == .incompleteBody(received: 4, expected: 12))
        let refused = try await failure {
            try await request.download(to: target, resuming: true)
        }
        #expect(refused.kind == .status(200))
        #expect(refused.response?.body == Data("sign in".utf8))
        #expect(PartialDownload(of: target)?.received == 4)
        _ = try await request.download(to: target, resuming: true)
        #expect(try text(of: target) == "tea and milk")
        #expect(reports.withLock { !$0.contains(7) })
    }

    @Test func `an unsuccessful response that is accepted is written`() async throws {
        let server = Self.server(Reply.text("absent", status: 404))
        let response = try await server.manager().request(Self.url()).validation(.none).download(to: target)
        #expect(response.status == 404)
        #expect(try text(of: target) == "absent")
    }

    // MARK: Limit

    @Test func `a download that is announced above the limit is not begun`() async throws {
        let server = Self.server(Self.whole.dribble(chunks: 12, over: .zero))
        let manager = server.manager(options: RequestOptions(maxStreamBytes: 11))
        let request = manager.request(try Self.url())
        #expect(
            try await failure { try await request.download(to: target, resuming: true) }.kind
                == .limit(.streamBytes(11)))
        #expect(PartialDownload(of: target)?.received == 0)
    }

    @Test func `the limit applies to the body of an interceptor`() async throws {
        let request = SessionManager(options: RequestOptions(maxStreamBytes: 11)).request(try Self.url())
            .interceptors(
                .intercept { request, _, _ in
                    Response(to: request, status: 200, body: .data(Data("tea and milk".utf8)))
                })
        #expect(try await failure { try await request.download(to: target) }.kind == .limit(.streamBytes(11)))
        #expect(try files == [])
    }

    @Test(arguments: [11, 12], [true, false])
    func `the limit applies to the whole file of a continued download`(
        limit: Int64, isTotalKnown: Bool
    ) async throws {
        let first = Self.broken
        let server = MockServer {
            Route(.any) {
                first
                Reply.text("and milk", status: 206).header(.eTag, "\"v1\"").header(
                    "Content-Range", isTotalKnown ? "bytes 4-11/12" : "bytes 4-11/*")
            }
        }
        // The first attempt has no limit.
        let configuration = server.configuration
        _ = try? await SessionManager(configuration: configuration).request(Self.url()).download(
            to: target, resuming: true)
        let manager = SessionManager(
            configuration: configuration, options: RequestOptions(maxStreamBytes: limit))
        let request = manager.request(try Self.url())
        let result = await Result { [target] in try await request.download(to: target, resuming: true) }
        if limit < 12 {
            let error = #expect(throws: RESTClientError.self) { try result.get() }
            #expect(error?.kind == .limit(.streamBytes(11)))
            #expect(PartialDownload(of: target)?.received == 4)
        } else {
            _ = try result.get()
            #expect(try text(of: target) == "tea and milk")
        }
    }
}
