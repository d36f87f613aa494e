import Foundation
import RESTClient
import Testing

extension Behaviour {
    static let redirects: [Behaviour] =
        [301, 302, 303, 307, 308].map { status in
            Behaviour("a \(status) is followed") { subject in
                let response = try await subject.request(redirect(status, to: "/bytes/1")).response()
                #expect(response.body.count == 1)
                #expect(response.redirects.map(\.status.rawValue) == [status])
                #expect(response.url?.path == "/bytes/1")
            }
        } + [
            Behaviour("a POST becomes a GET behind a 303", except: fixedAnswers) { subject in
                let echo = try await subject.request(
                    redirect(303, to: "/anything"), method: .post, body: .data(Data("tea".utf8))
                ).decode(Echo.self)
                #expect(echo.method == "GET")
                #expect(echo.data.isEmpty)
            },
            Behaviour("a POST stays one behind a 307, with its body", except: fixedAnswers) { subject in
                let echo = try await subject.request(
                    redirect(307, to: "/anything"), method: .post,
                    body: .data(Data("tea".utf8), type: "text/plain")
                ).decode(Echo.self)
                #expect(echo.method == "POST")
                #expect(echo.data == "tea")
            },
            Behaviour("a PUT stays one behind a 308, with its body", except: fixedAnswers) { subject in
                let echo = try await subject.request(
                    redirect(308, to: "/anything"), method: .put,
                    body: .data(Data("tea".utf8), type: "text/plain")
                ).decode(Echo.self)
                #expect(echo.method == "PUT")
                #expect(echo.data == "tea")
            },
            Behaviour("three hops are three hops", except: fixedAnswers) { subject in
                let response = try await subject.request("/relative-redirect/3").response()
                #expect(response.redirects.count == 3)
            },
            Behaviour("one hop too many is an error", except: fixedAnswers) { subject in
                let request = try subject.request("/relative-redirect/11")
                let error = await #expect(throws: RESTClientError.self) { try await request.response() }
                guard case .redirect = error?.kind else {
                    Issue.record("\(String(describing: error))")
                    return
                }
            },
            Behaviour("a redirect that is refused is the answer") { subject in
                let response = try await subject.response(redirect(302, to: "/bytes/1"))
                #expect(response.status == 302)
                #expect(response.headers[.location] == "/bytes/1")
            },
        ]

    private static func redirect(_ status: Int, to path: String) -> String {
        "/redirect-to?url=\(path)&status_code=\(status)"
    }
}
