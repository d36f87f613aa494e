import Foundation
import RESTClient
import Testing

extension Behavior {
    private static let plain: [HTTPStatus] = [
        200, 201, 202, 203, 206, 400, 403, 404, 405, 409, 410, 412, 418, 422, 429, 451, 500, 501, 502, 503,
        504,
    ]

    static let statuses: [Behavior] =
        plain.map { status in
            Behavior("status \(status.rawValue) is received unchanged") { client in
                try await #expect(client.response("/status/\(status.rawValue)").status == status)
            }
        }
        + [204, 304].map { (status: HTTPStatus) in
            Behavior("status \(status.rawValue) has no body, and the next response is complete") { client in
                let response = try await client.response("/status/\(status.rawValue)")
                #expect(response.status == status)
                #expect(response.body.isEmpty)
                try await #expect(client.response("/bytes/1").body.count == 1)
            }
        } + [
            Behavior("status 205 has no body, and the next response is complete") { client in
                let response = try await client.response("/status/205")
                #expect(response.status == 205)
                #expect(response.body.isEmpty)
                try await #expect(client.response("/bytes/1").body.count == 1)
            },
            Behavior("an unregistered status is received unchanged") { client in
                try await #expect(client.response("/status/299").status == 299)
            },
            Behavior("an error status fails validation") { client in
                let request = try client.request("/status/503")
                let error = await #expect(throws: RESTClientError.self) { try await request.response() }
                #expect(error?.kind == .status(503))
            },
            Behavior("a 401 with a Basic challenge is returned as a response", except: needsDynamicReplies) {
                client in
                let response = try await client.response("/basic-auth/u/p")
                #expect(response.status == 401)
                #expect(response.headers[.wwwAuthenticate] == "Basic realm=\"Fake Realm\"")
            },
            Behavior("a 401 with a Bearer challenge is returned as a response", except: needsDynamicReplies) {
                client in
                try await #expect(client.response("/bearer").status == 401)
            },
            Behavior("credentials in the first request are accepted", except: needsDynamicReplies) {
                client in
                let response = try await client.response(
                    "/basic-auth/u/p", headers: [.authorization: "Basic dTpw"])
                #expect(response.status == 200)
            },
        ]

    /// The exception for behaviors that need a server with dynamic responses.
    static let needsDynamicReplies: [TestServer.Kind: String] = [
        .nginx: "serves files and fixed responses only"
    ]

    static let headers: [Behavior] = [
        Behavior("a response header is received", except: needsDynamicReplies) { client in
            let response = try await client.response("/response-headers?X-One=tea%20and%20milk")
            #expect(response.headers["X-One"] == "tea and milk")
        },
        Behavior("header names are case-insensitive", except: needsDynamicReplies) { client in
            let response = try await client.response("/response-headers?X-MiXeD=1")
            #expect(response.headers["x-mixed"] == "1")
        },
        Behavior("header fields with the same name are joined in order") { client in
            let response = try await client.response("/response-headers?X-Two=first&X-Two=second")
            #expect(response.headers["X-Two"] == "first, second")
        },
        Behavior("an empty header is received", except: needsDynamicReplies) { client in
            let response = try await client.response("/response-headers?X-Empty=")
            #expect(response.headers["X-Empty"] == "")
        },
        Behavior("a header of 4 KB is received", except: needsDynamicReplies) { client in
            let value = String(repeating: "a", count: 4_000)
            let response = try await client.response("/response-headers?X-Long=\(value)")
            #expect(response.headers["X-Long"] == value)
        },
        Behavior("the content type is received", except: needsDynamicReplies) { client in
            try await #expect(client.response("/anything").mediaType?.essence == "application/json")
        },
        Behavior("a request header is sent", except: needsDynamicReplies) { client in
            let echo = try await client.echo(headers: ["X-Caller": "tea, milk"])
            #expect(echo.header("X-Caller") == "tea, milk")
        },
        Behavior("a conditional request returns 304", except: needsDynamicReplies) { client in
            let response = try await client.response("/cache", headers: ["If-None-Match": "\"7\""])
            #expect(response.status == 304)
            #expect(response.body.isEmpty)
        },
    ]

    static let bodies: [Behavior] =
        [(0, "0 B"), (1, "1 B"), (65_536, "64 KB"), (1_048_576, "1 MB")].map { count, name in
            // httpbin returns random bytes, at most 100 KB.
            Behavior(
                "a body of \(name) is received completely",
                except: count > 100_000 ? [.httpbin: "returns at most 100 KB"] : [:]
            ) { client in
                let response = try await client.response("/bytes/\(count)")
                #expect(response.body.count == count)
                #expect(client.server.kind == .httpbin || response.body == .letters(count))
                #expect(response.headers[.contentLength] == "\(count)")
            }
        }
        + [1, 1_000, 65_536].map { size in
            Behavior("a body in chunks of \(size) B is received completely", except: needsDynamicReplies) {
                client in
                let count = size == 1 ? 200 : 65_536
                let response = try await client.response("/stream-bytes/\(count)?chunk_size=\(size)")
                #expect(response.body.count == count)
                #expect(client.server.kind == .httpbin || response.body == .letters(count))
                #expect(response.headers[.contentLength] == nil)
            }
        } + [
            Behavior("every byte is received unchanged", except: needsDynamicReplies) { client in
                let bytes = "\u{0}\r\n\u{1F375}\u{FEFF}é\u{7F}"
                let coded = Data(bytes.utf8).base64EncodedString()
                try await #expect(client.response("/base64/\(coded)").body == Data(bytes.utf8))
            },
            Behavior("an empty chunked body is empty", except: needsDynamicReplies) { client in
                try await #expect(client.response("/stream-bytes/0").body.isEmpty)
            },
            Behavior("a gzip body is decoded", except: [.inProcess: decodedBeforeMock]) { client in
                struct Answer: Decodable { let gzipped: Bool }
                try await #expect(client.request("/gzip").decode(Answer.self).gzipped)
            },
            Behavior("a streamed body is received completely") { client in
                var body = Data()
                let count = client.server.kind == .httpbin ? 65_536 : 1_048_576
                for try await chunk in try await client.request("/bytes/\(count)").stream().body {
                    body += chunk
                }
                #expect(body.count == count)
                #expect(client.server.kind == .httpbin || body == .letters(count))
            },
            Behavior("a body that exceeds the limit is an error") { client in
                var request = try client.request("/bytes/65536")
                request.options.maxBodyBytes = 10_000
                let limited = request
                let error = await #expect(throws: RESTClientError.self) { try await limited.response() }
                guard case .limit = error?.kind else { throw try #require(error) }
            },
            Behavior("a download writes the complete body to a file") { client in
                let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
                defer { try? FileManager.default.removeItem(at: file) }
                let response = try await client.request("/bytes/65536").download(to: file)
                #expect(response.status == 200)
                let content = try Data(contentsOf: file)
                #expect(content.count == 65_536)
                #expect(client.server.kind == .httpbin || content == .letters(65_536))
            },
        ]

    private static let decodedBeforeMock =
        "a mock protocol delivers the bytes for the client: URLSession decompresses before that point"
}
