import Foundation
import RESTClient
import Testing

extension Behaviour {
    static let cookies: [Behaviour] = [
        Behaviour("a cookie is not kept for the next request", except: fixedAnswers) { subject in
            _ = try await subject.response("/response-headers?Set-Cookie=secret%3Dtea%3B%20Path%3D/")
            try await #expect(subject.echo(method: .get).header("Cookie") == nil)
        },
        Behaviour("a cookie is not taken along a redirect", except: fixedAnswers) { subject in
            let text = try await subject.request("/cookies/set?secret=tea").string()
            #expect(!text.contains("tea"))
        },
        Behaviour("a cookie that the caller sets is sent", except: fixedAnswers) { subject in
            let echo = try await subject.echo(method: .get, headers: [.cookie: "a=1; b=2"])
            #expect(echo.header("Cookie") == "a=1; b=2")
        },
    ]
}
