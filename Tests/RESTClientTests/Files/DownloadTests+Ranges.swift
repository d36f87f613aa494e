import Foundation
import MockTransport
import Testing

@testable import RESTClient

/// Answers to a request for the rest of a file, of which only those that certainly continue it are written.
extension DownloadTests {
    /// Returns the error of resuming an interrupted download.
    private func errorOfResuming(from server: MockServer) async throws -> RESTClientError? {
        let request = server.manager().request(try Self.url())
        await interrupt(request)
        return try await failure { try await request.download(to: target, resuming: true) }
    }

    @Test(arguments: [
        (206, ["Content-Range": "bytes 8-11/12"], "milk"),
        (206, ["Content-Range": "bytes 0-11/12"], "tea and milk"),
        (206, ["Content-Range": "bytes 4-11/40"], "a coffee"),
        (206, ["Content-Range": "items 4-11/12"], "and milk"),
        (206, ["Content-Range": "bytes */12"], "and milk"), (206, [:], "and milk"),
        (206, ["Content-Range": "bytes 4-11/12, bytes 4-11/12"], "and milk"),
        (206, ["Content-Range": "bytes 4-7/12"], "and milk"),
        (206, ["Content-Range": "bytes 4-12/*"], "and milk!"),
        (206, ["Content-Range": "bytes 4-11/12", "ETag": "\"v2\""], "a coffee"),
        (206, ["Content-Range": "bytes 4-11/12", "ETag": "W/\"v1\""], "and milk"),
        (206, ["Content-Range": "bytes 4-11/12", "ETag": ""], "and milk"),
        (206, ["Content-Range": "bytes 4-11/12", "Content-Encoding": "gzip"], "and milk"),
        (
            206, ["Content-Range": "bytes 4-11/12", "Content-Type": "multipart/byteranges; boundary=x"],
            "and milk"
        ),
        (206, ["Content-Type": "multipart/byteranges; boundary=x"], "--x"),
        (200, ["Content-Range": "bytes 4-11/12"], "and milk"),
        (200, ["Content-Range": "items 4-11/12"], "and milk"),
        (200, ["Content-Range": "bytes */12"], "tea and milk"),
        (200, ["Content-Range": "bytes 4-11/12", "ETag": "\"v2\""], "a coffee"),
        (200, ["Content-Type": "multipart/byteranges; boundary=x", "ETag": "\"v2\""], "--x"),
        (200, [:], "and milk"),
    ])
    func `a range that does not continue the partial file is not appended`(
        status: Int, fields: [String: String], body: String
    ) async throws {
        let fields = ["ETag": "\"v1\""].merging(fields) { $1 }
        let server = MockServer {
            Route(.any) {
                Self.broken
                fields.reduce(Reply.text(body, status: HTTPStatus(rawValue: status))) {
                    $0.header(HTTPHeaders.Name($1.key), $1.value)
                }
                Self.whole
            }
        }
        let error = try await errorOfResuming(from: server)
        #expect(error?.kind == .invalidResponse(.unexpectedRange))
        #expect(try files == [])
        _ = try await server.manager().request(Self.url()).download(to: target, resuming: true)
        #expect(try text(of: target) == "tea and milk")
        #expect(server.requests.map { $0.headers[.range] } == [nil, "bytes=4-", nil])
    }

    private static func chunks(_ text: String) -> AsyncStream<Data> {
        AsyncStream { continuation in
            continuation.yield(Data(text.utf8))
            continuation.finish()
        }
    }

    @Test(
        arguments: [
            // The same tag and another length.
            (
                Self.whole,
                Reply.stream(chunks("and milk")).header(.eTag, "\"v1\""),
                .incompleteBody(received: 8, expected: 12)
            ),
            // A range that may end before the file.
            (
                Reply.stream(chunks("tea and milk")).header(.eTag, "\"v1\""),
                Reply.text("and milk", status: 206).header("Content-Range", "bytes 4-11/*").header(
                    .eTag, "\"v1\""), .invalidResponse(.unexpectedRange)
            ),
            // A range shorter than it says.
            (
                Self.whole,
                Reply.text("and", status: 206).header("Content-Range", "bytes 4-11/*").header(
                    .eTag, "\"v1\""), .incompleteBody(received: 7, expected: 12)
            ),
            // A file with another date.
            (
                Reply.text("tea and milk").header(.lastModified, "Mon, 05 Jan 2026 10:00:00 GMT")
                    .header(.date, "Mon, 05 Jan 2026 10:00:01 GMT"),
                Reply.text("a coffee", status: 206).header("Content-Range", "bytes 4-11/12").header(
                    .lastModified, "Tue, 06 Jan 2026 10:00:00 GMT"), .invalidResponse(.unexpectedRange)
            ),
        ] as [(Reply, Reply, RESTClientError.Kind)])
    func `a rest of another file or of an unknown length is not appended`(
        first: Reply, rest: Reply, kind: RESTClientError.Kind
    ) async throws {
        let server = MockServer {
            Route(.any) {
                first.fault(.reset(.inBody(after: 4)))
                rest
            }
        }
        #expect(try await errorOfResuming(from: server)?.kind == kind)
    }

    @Test(
        arguments: [
            ([.eTag: "\"v1\""], "\"v1\""), ([.eTag: ""], nil), ([.eTag: "\"v\u{1}1\""], nil),
            ([.eTag: "v1"], nil), ([.eTag: "W/\"v1\""], nil), ([:], nil),
            ([.eTag: "W/\"v1\"", .lastModified: "10:00:00", .date: "10:00:01"], nil),
            ([.lastModified: "10:00:00", .date: "10:00:01"], "10:00:00"),
            // The date of a file that may have changed since.
            ([.lastModified: "10:00:00"], nil), ([.lastModified: "10:00:00", .date: "now"], nil),
            ([.lastModified: "10:00:00", .date: "10:00:00"], nil),
            ([.lastModified: "10:00:00", .date: "09:00:00"], nil),
        ] as [(HTTPHeaders, String?)])
    func `a download is resumed with a strong tag or an old date, and otherwise starts again`(
        fields: HTTPHeaders, validator: String?
    ) async throws {
        func full(_ text: String) -> String {
            text.contains("0:0") || text.contains("9:0") ? "Mon, 05 Jan 2026 \(text) GMT" : text
        }
        let server = MockServer {
            Route(.any) {
                fields.reduce(Reply.text("tea and milk")) { $0.header($1.name, full($1.value)) }.fault(
                    .reset(.inBody(after: 4)))
                Reply.text("coffee").header(.eTag, "\"v2\"")
            }
        }
        let request = server.manager().request(try Self.url())
        await interrupt(request)
        #expect(try files.isEmpty == (validator == nil))
        _ = try await request.download(to: target, resuming: true)
        #expect(try text(of: target) == "coffee")
        #expect(server.requests.last?.headers[.ifRange] == validator.map(full))
        #expect(server.requests.last?.headers[.range] == validator.map { _ in "bytes=4-" })
    }

    /// The server may send less than it was asked for (RFC 9110, section 15.3.7).
    @Test(arguments: [12, 40])
    func `a range shorter than requested is continued, up to the total that it has announced`(
        total: Int
    ) async throws {
        let server = MockServer {
            Route(.any) {
                Reply.stream(Self.chunks("tea and milk")).header(.eTag, "\"v1\"").fault(
                    .reset(.inBody(after: 4)))
                Reply.text("and ", status: 206).header("Content-Range", "bytes 4-7/12").header(
                    .eTag, "\"v1\"")
                Reply.text("milk", status: 206).header("Content-Range", "bytes 8-11/\(total)").header(
                    .eTag, "\"v1\"")
            }
        }
        #expect(try await errorOfResuming(from: server)?.kind == .incompleteBody(received: 8, expected: 12))
        let request = server.manager().request(try Self.url())
        let result = await Result { [target] in try await request.download(to: target, resuming: true) }
        #expect(server.requests.map { $0.headers[.range] } == [nil, "bytes=4-", "bytes=8-"])
        if total == 12 {
            _ = try result.get()
            #expect(try text(of: target) == "tea and milk")
        } else {
            let error = #expect(throws: RESTClientError.self) { try result.get() }
            #expect(error?.kind == .invalidResponse(.unexpectedRange))
        }
    }

    @Test(arguments: [
        ("bytes 0-2/3", true), ("items 0-2/67", true), ("0-2/*", true), ("bytes 0-2/67", false),
        ("bytes 1-3/4", false), ("bytes 0-2/*", false), ("bytes */3", false), ("bytes", false),
    ])
    func `a whole body with a Content-Range is written if it is not a part`(
        value: String, isWhole: Bool
    ) async throws {
        let server = Self.server(Reply.text("tea").header("Content-Range", value))
        let request = server.manager().request(try Self.url())
        let result = await Result { [target] in try await request.download(to: target) }
        let error = isWhole ? nil : #expect(throws: RESTClientError.self) { try result.get() }
        #expect(error?.kind == (isWhole ? nil : .invalidResponse(.unexpectedRange)))
        #expect(try files == (isWhole ? ["tea.bin"] : []))
    }

    @Test func `a partial response without a range request is an error`() async throws {
        try Data("tea ".utf8).write(to: directory.appending(path: ".tea.bin.partial"))
        let server = Self.server(Reply.text("and milk", status: 206).header("Content-Range", "bytes 4-11/12"))
        let request = server.manager().request(try Self.url())
        #expect(
            try await failure { try await request.download(to: target, resuming: true) }.kind
                == .invalidResponse(.unexpectedRange))
    }

    @Test(arguments: [
        ("bytes 0-9/10", true), ("bytes 5-9/*", true), ("bytes 9-5/10", false), ("bytes 0-9/9", false),
        ("items 0-9/10", false), ("bytes */10", false), ("bytes -1-9/10", false), ("", false),
        ("bytes +0-9/10", false), ("bytes 0-9/", false), ("bytes 0-9/x", false),
        ("bytes 0-9223372036854775807/*", false), ("bytes 0-99999999999999999999/*", false),
    ])
    func `a Content-Range is read strictly`(value: String, isValid: Bool) {
        #expect((ContentRange(value) != nil) == isValid)
    }
}
