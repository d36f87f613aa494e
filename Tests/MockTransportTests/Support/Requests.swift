import Foundation
import Testing

@testable import MockTransport

extension URLRequest {
    init(
        _ url: URL, method: String = "GET", headers: [String: String] = [:], body: Data? = nil
    ) {
        self.init(url: url)
        httpMethod = method
        httpBody = body
        for (name, value) in headers { setValue(value, forHTTPHeaderField: name) }
    }

    init(
        _ url: String, method: String = "GET", headers: [String: String] = [:], body: String? = nil
    ) throws {
        self.init(
            try #require(URL(string: url)), method: method, headers: headers, body: body.map { Data($0.utf8) }
        )
    }
}

extension ReceivedRequest {
    init(
        _ url: String, method: HTTPMethod = .get, headers: HTTPHeaders = [:], body: String = ""
    ) throws {
        self.init(
            method: method, url: try #require(URL(string: url)), headers: headers, body: Data(body.utf8))
    }
}

extension HAR.Entry {
    /// Creates an exchange at the start of 1970.
    init(_ request: HAR.Request, _ response: HAR.Response = HAR.Response(status: 200)) {
        self.init(start: Date(timeIntervalSince1970: 0), request: request, response: response)
    }
}

extension AsyncSequence where Self == AsyncStream<Data> {
    static func chunks(_ texts: String...) -> Self {
        AsyncStream { stream in
            for text in texts { stream.yield(Data(text.utf8)) }
            stream.finish()
        }
    }
}
