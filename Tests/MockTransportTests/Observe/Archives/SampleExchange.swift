import Foundation
import MockTransport

/// An exchange that each program writes in its own way.
enum SampleExchange: String, CaseIterable, Sendable {
    case json, image, jsonPost, form, redirect, failed, bodyMissing, noContent, head, cookies

    static let text = #"{"items":["grün","oolong"],"next":null}"#
    static let gif = Data([0x47, 0x49, 0x46, 0x38, 0x39, 0x61, 0, 0xFF, 0x80])
    static let jsonBody = #"{"name":"tea pot","count":2}"#
    static let formBody = "name=tea%20pot&n=1"
    static let formItems = [("name", "tea pot"), ("n", "1")]

    var method: String {
        switch self {
        case .jsonPost, .form: "POST"
        case .head: "HEAD"
        default: "GET"
        }
    }

    var url: String { "https://shop.example/\(rawValue)?q=a%20b&page=2" }

    /// The type and the text of the request body.
    var requestBody: (type: String, text: String)? {
        switch self {
        case .jsonPost: ("application/json", Self.jsonBody)
        case .form: ("application/x-www-form-urlencoded", Self.formBody)
        default: nil
        }
    }

    /// The status, or `nil` if the request failed.
    var status: Int? {
        switch self {
        case .failed: nil
        case .redirect: 302
        case .noContent: 204
        case .jsonPost: 201
        default: 200
        }
    }

    /// The header fields that the server sent.
    var headers: [(name: String, value: String)] {
        switch self {
        case .json:
            // The length of the encoded body.
            [("content-type", "application/json"), ("content-encoding", "gzip"), ("content-length", "61")]
        case .image: [("content-type", "image/gif"), ("content-length", "\(Self.gif.count)")]
        case .redirect:
            [
                ("location", "https://shop.example/new"), ("content-type", "text/html"),
                ("content-length", "154"),
            ]
        case .bodyMissing: [("content-type", "application/json"), ("content-length", "5120")]
        case .head: [("content-type", "application/json"), ("content-length", "5120")]
        case .cookies:
            [("content-type", "text/plain"), ("set-cookie", "a=1; path=/"), ("set-cookie", "b=2; path=/")]
        case .failed, .noContent: []
        default: [("content-type", "application/json")]
        }
    }

    /// The decoded body that the client received.
    var body: Data {
        switch self {
        case .json, .jsonPost, .form: Data(Self.text.utf8)
        case .image: Self.gif
        case .cookies: Data("tea".utf8)
        default: Data()
        }
    }

    var isBinary: Bool { self == .image }

    /// A request that the exchange must answer.
    func request() throws -> URLRequest {
        try URLRequest(
            url, method: method, headers: requestBody.map { ["Content-Type": $0.type] } ?? [:],
            body: requestBody?.text)
    }
}
