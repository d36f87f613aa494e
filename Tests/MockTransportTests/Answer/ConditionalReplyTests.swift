import Foundation
import MockTransport
import RESTClientHTTP
import Testing

/// Replies that answer conditional requests and ranges (RFC 9110, sections 13 and 14).
@Suite struct ConditionalReplyTests {
    private let reply = Reply.text("tea and milk").header(.eTag, "\"1\"")
        .header(.lastModified, "Thu, 29 Feb 2024 12:30:45 GMT").conditional()

    private func answer(
        _ reply: Reply, _ fields: [String: String], method: String = "GET"
    ) async throws -> (status: Int, body: String, range: String?) {
        let server = MockServer { Route(.any) { reply } }
        let (data, response) = try await server.data(
            URLRequest("http://shop.example/tea", method: method, headers: fields))
        return (
            response.statusCode, String(decoding: data, as: UTF8.self),
            response.value(forHTTPHeaderField: "Content-Range")
        )
    }

    @Test(
        arguments: [
            ([:], 200, "tea and milk", nil), (["If-None-Match": "\"1\""], 304, "", nil),
            (["If-None-Match": "\"0\", W/\"1\""], 304, "", nil),
            (["If-None-Match": "\"2\""], 200, "tea and milk", nil),
            (["If-Modified-Since": "Thu, 29 Feb 2024 12:30:45 GMT"], 304, "", nil),
            (["If-Modified-Since": "Thu, 29 Feb 2024 12:30:44 GMT"], 200, "tea and milk", nil),
            // The tag counts if there are both.
            (
                ["If-None-Match": "\"2\"", "If-Modified-Since": "Thu, 29 Feb 2024 12:30:45 GMT"], 200,
                "tea and milk", nil
            ),
            (["Range": "bytes=4-"], 206, "and milk", "bytes 4-11/12"),
            (["Range": "bytes=4-6"], 206, "and", "bytes 4-6/12"),
            (["Range": "bytes=-4"], 206, "milk", "bytes 8-11/12"),
            (["Range": "bytes=-40"], 206, "tea and milk", "bytes 0-11/12"),
            (["Range": "bytes=8-99"], 206, "milk", "bytes 8-11/12"),
            (["Range": "bytes=12-"], 416, "", "bytes */12"),
            (["Range": "bytes=6-4"], 200, "tea and milk", nil),
            (["Range": "bytes=0-1,4-5"], 200, "tea and milk", nil),
            (["Range": "lines=1-"], 200, "tea and milk", nil),
            (["Range": "bytes=4-", "If-Range": "\"1\""], 206, "and milk", "bytes 4-11/12"),
            (["Range": "bytes=4-", "If-Range": "\"2\""], 200, "tea and milk", nil),
            (
                ["Range": "bytes=4-", "If-Range": "Thu, 29 Feb 2024 12:30:45 GMT"], 206, "and milk",
                "bytes 4-11/12"
            ),
            (["Range": "bytes=4-", "If-Range": "yesterday"], 200, "tea and milk", nil),
        ] as [([String: String], Int, String, String?)])
    func `a current validator is answered with 304, and a range with a part`(
        fields: [String: String], status: Int, body: String, range: String?
    ) async throws {
        #expect(try await answer(reply, fields) == (status, body, range))
    }

    @Test func `only a successful reply to a GET request that is conditional changes`() async throws {
        let range = ["Range": "bytes=4-", "If-None-Match": "\"2\""]
        #expect(try await answer(reply, range, method: "POST").status == 200)
        #expect(try await answer(.text("tea"), range).status == 200)
        #expect(try await answer(.text("tea", status: 500).conditional(), range).status == 500)
    }

    @Test func `a file has ranges, also on a socket`() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).txt")
        try Data("tea and milk".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let server = MockServer {
            Route(.get, "/fixed") { Reply.file(file).conditional() }
            Route(.get, "/handler") { _ in .file(file).conditional() }
        }
        let loopback = try await server.listen()
        for path in ["fixed", "handler"] {
            let request = URLRequest(loopback.url.appending(path: path), headers: ["Range": "bytes=4-"])
            let session = URLSession(configuration: .ephemeral)
            #expect(try await session.data(for: request).0 == Data("and milk".utf8))
            session.invalidateAndCancel()
            #expect(try await server.text(request) == "and milk")
        }
        await loopback.close()
    }
}
