import Foundation
import RESTClient
import Testing

extension Behaviour {
    private static let plain: [HTTPStatus] = [
        200, 201, 202, 203, 206, 400, 403, 404, 405, 409, 410, 412, 418, 422, 429, 451, 500, 501, 502, 503,
        504,
    ]

    static let statuses: [Behaviour] =
        plain.map { status in
            Behaviour("a \(status.rawValue) arrives as it is") { subject in
                try await #expect(subject.response("/status/\(status.rawValue)").status == status)
            }
        }
        + [204, 304].map { (status: HTTPStatus) in
            Behaviour("a \(status.rawValue) has no body, and the next answer is whole") { subject in
                let response = try await subject.response("/status/\(status.rawValue)")
                #expect(response.status == status)
                #expect(response.body.isEmpty)
                try await #expect(subject.response("/bytes/1").body.count == 1)
            }
        } + [
            Behaviour("a 205 has no body, and the next answer is whole") { subject in
                let response = try await subject.response("/status/205")
                #expect(response.status == 205)
                #expect(response.body.isEmpty)
                try await #expect(subject.response("/bytes/1").body.count == 1)
            },
            Behaviour("a status that nobody registered arrives as it is") { subject in
                try await #expect(subject.response("/status/299").status == 299)
            },
            Behaviour("a status that is no success is an error of that status") { subject in
                let request = try subject.request("/status/503")
                let error = await #expect(throws: RESTClientError.self) { try await request.response() }
                #expect(error?.kind == .status(503))
            },
            Behaviour("a 401 with a Basic challenge is a 401", except: fixedAnswers) { subject in
                let response = try await subject.response("/basic-auth/u/p")
                #expect(response.status == 401)
                #expect(response.headers[.wwwAuthenticate] == "Basic realm=\"Fake Realm\"")
            },
            Behaviour("a 401 with a Bearer challenge is a 401", except: fixedAnswers) { subject in
                try await #expect(subject.response("/bearer").status == 401)
            },
            Behaviour("a credential that is sent up front is taken", except: fixedAnswers) { subject in
                let response = try await subject.response(
                    "/basic-auth/u/p", headers: [.authorization: "Basic dTpw"])
                #expect(response.status == 200)
            },
        ]

    /// The reason of those that need a server which looks at the request.
    static let fixedAnswers: [Target.Kind: String] = [.nginx: "serves files and fixed answers only"]
}
