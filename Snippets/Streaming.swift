// Streamed bodies: bytes and elements.

import Foundation
import RESTClient

// snippet.hide
func streaming(manager: SessionManager, url: URL) async throws {
    // snippet.show
    let response = try await manager.request(url).stream()
    print(response.status, response.headers[.contentType] ?? "")
    for try await chunk in response.body {
        print(chunk.count)
    }
    // snippet.hide
}

// snippet.show
func scan(_ response: StreamingResponse) async throws -> Int? {
    var scanner = ListScanner(at: "data.results")
    for try await chunk in response.body {
        try scanner.scan(chunk.bytes) { element in
            print(ListScanner.string(element) ?? "\(element.byteCount) bytes")
        }
    }
    return try scanner.finish().integer("total")  // throws if the document is incomplete
}
// snippet.hide
