import Foundation
import RESTClient
import Testing

extension Behaviour {
    static let requests: [Behaviour] =
        [HTTPMethod.get, .post, .put, .patch, .delete].map { method in
            Behaviour("\(method) arrives as it is", except: fixedAnswers) { subject in
                try await #expect(subject.echo(method: method).method == method.rawValue)
            }
        } + [
            Behaviour("HEAD gets the head of a GET and no body") { subject in
                let response = try await subject.response("/bytes/65536", method: .head)
                #expect(response.status == 200)
                #expect(response.headers[.contentLength] == "65536")
                #expect(response.body.isEmpty)
                try await #expect(subject.response("/bytes/1").body.count == 1)
            },
            Behaviour("OPTIONS is answered", except: fixedAnswers) { subject in
                try await #expect(subject.response("/anything", method: .options).status == 200)
            },
            Behaviour("a query arrives decoded", except: fixedAnswers) { subject in
                let echo = try await subject.echo(query: "?q=tea%20%2B%20milk%20%26%20%C3%A9&empty=")
                #expect(echo.args == ["q": "tea + milk & é", "empty": ""])
            },
            Behaviour("a body of text arrives", except: fixedAnswers) { subject in
                let echo = try await subject.echo(body: .data(Data("tea é".utf8), type: "text/plain"))
                #expect(echo.data == "tea é")
                #expect(echo.header("Content-Type") == "text/plain")
            },
            Behaviour("a body of JSON arrives", except: fixedAnswers) { subject in
                let echo = try await subject.echo(body: .json(["name": "tea"] as JSONLiteral))
                #expect(echo.data == "{\"name\":\"tea\"}")
            },
            Behaviour("a form arrives", except: fixedAnswers) { subject in
                let echo = try await subject.echo(body: .form(["name": "tea & milk", "sum": "1+1"]))
                #expect(echo.form == ["name": "tea & milk", "sum": "1+1"])
            },
            Behaviour("a request body of 1 MB arrives whole", except: fixedAnswers) { subject in
                let body = Data(repeating: UInt8(ascii: "b"), count: 1 << 20)
                let echo = try await subject.echo(method: .put, body: .data(body, type: "text/plain"))
                #expect(echo.data.utf8.count == 1 << 20)
            },
            Behaviour("a file arrives whole, its length told ahead", except: fixedAnswers) { subject in
                let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
                defer { try? FileManager.default.removeItem(at: file) }
                try Data(repeating: UInt8(ascii: "c"), count: 200_000).write(to: file)
                let echo = try await subject.echo(body: .file(file, type: "text/plain"))
                #expect(echo.data.utf8.count == 200_000)
                // In the process the platform adds it behind the mock.
                if subject.target.kind != .inProcess {
                    #expect(echo.header("Content-Length") == "200000")
                }
            },
            Behaviour("a stream arrives whole", except: fixedAnswers) { subject in
                let chunks = [Data("te".utf8), Data("a".utf8)]
                let echo = try await subject.echo(
                    body: .stream(type: "text/plain") {
                        AsyncStream { stream in
                            for chunk in chunks { stream.yield(chunk) }
                            stream.finish()
                        }
                    })
                #expect(echo.data == "tea")
            },
            Behaviour("an empty body is no body", except: fixedAnswers) { subject in
                try await #expect(subject.echo(body: .data(Data())).data.isEmpty)
            },
        ]
}
