import Foundation
import RESTClient
import Testing

extension Behavior {
    static let requests: [Behavior] =
        [HTTPMethod.get, .post, .put, .patch, .delete].map { method in
            Behavior("method \(method) is sent unchanged", except: needsDynamicReplies) { client in
                try await #expect(client.echo(method: method).method == method.rawValue)
            }
        } + [
            Behavior("HEAD returns the headers of GET and no body") { client in
                let response = try await client.response("/bytes/65536", method: .head)
                #expect(response.status == 200)
                #expect(response.headers[.contentLength] == "65536")
                #expect(response.body.isEmpty)
                try await #expect(client.response("/bytes/1").body.count == 1)
            },
            Behavior("OPTIONS returns a response", except: needsDynamicReplies) { client in
                try await #expect(client.response("/anything", method: .options).status == 200)
            },
            Behavior("query values are percent-encoded", except: needsDynamicReplies) { client in
                let echo = try await client.echo(query: "?q=tea%20%2B%20milk%20%26%20%C3%A9&empty=")
                #expect(echo.args == ["q": "tea + milk & é", "empty": ""])
            },
            Behavior("a text body is sent", except: needsDynamicReplies) { client in
                let echo = try await client.echo(body: .data(Data("tea é".utf8), type: "text/plain"))
                #expect(echo.data == "tea é")
                #expect(echo.header("Content-Type") == "text/plain")
            },
            Behavior("a JSON body is sent", except: needsDynamicReplies) { client in
                let echo = try await client.echo(body: .json(["name": "tea"] as JSONLiteral))
                #expect(echo.data == "{\"name\":\"tea\"}")
            },
            Behavior("a form body is sent", except: needsDynamicReplies) { client in
                let echo = try await client.echo(body: .form(["name": "tea & milk", "sum": "1+1"]))
                #expect(echo.form == ["name": "tea & milk", "sum": "1+1"])
            },
            Behavior("a request body of 1 MB is sent completely", except: needsDynamicReplies) { client in
                let body = Data(repeating: UInt8(ascii: "b"), count: 1 << 20)
                let echo = try await client.echo(method: .put, body: .data(body, type: "text/plain"))
                #expect(echo.data.utf8.count == 1 << 20)
            },
            Behavior("a file body is sent completely with Content-Length", except: needsDynamicReplies) {
                client in
                let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
                defer { try? FileManager.default.removeItem(at: file) }
                try Data(repeating: UInt8(ascii: "c"), count: 200_000).write(to: file)
                let echo = try await client.echo(body: .file(file, type: "text/plain"))
                #expect(echo.data.utf8.count == 200_000)
                // URLSession adds the header after the mock has received the request.
                if client.server.kind != .inProcess {
                    #expect(echo.header("Content-Length") == "200000")
                }
            },
            Behavior("a streamed body is sent completely", except: needsDynamicReplies) { client in
                let chunks = [Data("te".utf8), Data("a".utf8)]
                let echo = try await client.echo(
                    body: .stream(type: "text/plain") {
                        AsyncStream { stream in
                            for chunk in chunks { stream.yield(chunk) }
                            stream.finish()
                        }
                    })
                #expect(echo.data == "tea")
            },
            Behavior("an empty body is sent without a body", except: needsDynamicReplies) { client in
                try await #expect(client.echo(body: .data(Data())).data.isEmpty)
            },
        ]

    static let redirects: [Behavior] =
        [301, 302, 303, 307, 308].map { status in
            Behavior("a \(status) redirect is followed") { client in
                let response = try await client.request(redirect(status, to: "/bytes/1")).response()
                #expect(response.body.count == 1)
                #expect(response.redirects.map(\.status.rawValue) == [status])
                #expect(response.url?.path == "/bytes/1")
            }
        } + [
            Behavior("a POST becomes a GET after a 303", except: needsDynamicReplies) { client in
                let echo = try await client.request(
                    redirect(303, to: "/anything"), method: .post, body: .data(Data("tea".utf8))
                ).decode(Echo.self)
                #expect(echo.method == "GET")
                #expect(echo.data.isEmpty)
            },
            Behavior("a POST keeps its method and body after a 307", except: needsDynamicReplies) { client in
                let echo = try await client.request(
                    redirect(307, to: "/anything"), method: .post,
                    body: .data(Data("tea".utf8), type: "text/plain")
                ).decode(Echo.self)
                #expect(echo.method == "POST")
                #expect(echo.data == "tea")
            },
            Behavior("a PUT keeps its method and body after a 308", except: needsDynamicReplies) { client in
                let echo = try await client.request(
                    redirect(308, to: "/anything"), method: .put,
                    body: .data(Data("tea".utf8), type: "text/plain")
                ).decode(Echo.self)
                #expect(echo.method == "PUT")
                #expect(echo.data == "tea")
            },
            Behavior("three redirects are followed", except: needsDynamicReplies) { client in
                let response = try await client.request("/relative-redirect/3").response()
                #expect(response.redirects.count == 3)
            },
            Behavior("too many redirects are an error", except: needsDynamicReplies) { client in
                let request = try client.request("/relative-redirect/11")
                let error = await #expect(throws: RESTClientError.self) { try await request.response() }
                guard case .redirect = error?.kind else { throw try #require(error) }
            },
            Behavior("a redirect that is not followed is the response") { client in
                let response = try await client.response(redirect(302, to: "/bytes/1"))
                #expect(response.status == 302)
                #expect(response.headers[.location] == "/bytes/1")
            },
        ]

    private static func redirect(_ status: Int, to path: String) -> String {
        "/redirect-to?url=\(path)&status_code=\(status)"
    }

    static let cookies: [Behavior] = [
        Behavior("cookies are not stored for the next request", except: needsDynamicReplies) { client in
            _ = try await client.response("/response-headers?Set-Cookie=secret%3Dtea%3B%20Path%3D/")
            try await #expect(client.echo(method: .get).header("Cookie") == nil)
        },
        Behavior("cookies are not sent after a redirect", except: needsDynamicReplies) { client in
            let text = try await client.request("/cookies/set?secret=tea").string()
            #expect(!text.contains("tea"))
        },
        Behavior("a Cookie header set by the caller is sent", except: needsDynamicReplies) { client in
            let echo = try await client.echo(method: .get, headers: [.cookie: "a=1; b=2"])
            #expect(echo.header("Cookie") == "a=1; b=2")
        },
    ]
}
