// Common uses of Mocker, OHHTTPStubs and custom URLProtocols, written with a mock server.

import Foundation
import MockTransport

// snippet.hide
let json = Data(#"{"items": ["tea"]}"#.utf8)

func fromMocker() -> URLSession {
    // snippet.show
    let server = MockServer {
        Route(.get, "https://shop.example/items") { Reply.data(json, as: .json) }
    }
    let session = URLSession(configuration: server.configuration)
    // snippet.hide
    return session
}

func fromOHHTTPStubs() -> MockServer {
    // snippet.show
    let server = MockServer {
        Route(.get, .host("shop.example"), "/items") {
            Reply.json(["items": ["tea"]]).delay(.seconds(1)).dribble(chunks: 10, over: .seconds(2))
        }
    }
    // snippet.hide
    return server
}

func fromACustomProtocol() -> URLSession {
    // snippet.show
    let server = MockServer {
        Route(.any) { request in
            guard request.headers[.authorization] != nil else { return .status(401) }
            return .text("\(request.method) \(request.url.path()) with \(request.body.count) bytes")
        }
    }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [server.protocolClass]
    // snippet.hide
    return URLSession(configuration: configuration)
}
