// Streamed bodies: bytes, elements, files.

import Foundation
import RESTClient

// snippet.hide
func streaming(manager: SessionManager, url: URL, file: URL) async throws {
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

func files(manager: SessionManager, url: URL, file: URL) async throws {
    // snippet.show
    let download = try await manager.request(url)
        .progress { progress in print("\(progress.received) of \(progress.toReceive ?? -1)") }
        .download(to: file, resuming: true)
    let sent = try await manager.request(url, method: .put, body: .file(download.body)).response()
    print(sent.status)
    // snippet.hide
}
