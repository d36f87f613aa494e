import Foundation
import RESTClient
import Testing

extension Behaviour {
    static let headers: [Behaviour] = [
        Behaviour("a response header arrives", except: fixedAnswers) { subject in
            let response = try await subject.response("/response-headers?X-One=tea%20and%20milk")
            #expect(response.headers["X-One"] == "tea and milk")
        },
        Behaviour("the names of headers compare without case", except: fixedAnswers) { subject in
            let response = try await subject.response("/response-headers?X-MiXeD=1")
            #expect(response.headers["x-mixed"] == "1")
        },
        Behaviour("headers of one name are joined in order") { subject in
            let response = try await subject.response("/response-headers?X-Two=first&X-Two=second")
            #expect(response.headers["X-Two"] == "first, second")
        },
        Behaviour("an empty header arrives", except: fixedAnswers) { subject in
            let response = try await subject.response("/response-headers?X-Empty=")
            #expect(response.headers["X-Empty"] == "")
        },
        Behaviour("a header of 4 KB arrives", except: fixedAnswers) { subject in
            let value = String(repeating: "a", count: 4_000)
            let response = try await subject.response("/response-headers?X-Long=\(value)")
            #expect(response.headers["X-Long"] == value)
        },
        Behaviour("the type of a body arrives", except: fixedAnswers) { subject in
            try await #expect(subject.response("/anything").mediaType?.essence == "application/json")
        },
        Behaviour("a request header arrives", except: fixedAnswers) { subject in
            let echo = try await subject.echo(headers: ["X-Caller": "tea, milk"])
            #expect(echo.header("X-Caller") == "tea, milk")
        },
        Behaviour("a conditional request gets a 304", except: fixedAnswers) { subject in
            let response = try await subject.response("/cache", headers: ["If-None-Match": "\"7\""])
            #expect(response.status == 304)
            #expect(response.body.isEmpty)
        },
    ]
}
