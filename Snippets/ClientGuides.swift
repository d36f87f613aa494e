// The shortest samples of the guides: lists of well-known APIs, retries, uploads and downloads.

import Foundation
import RESTClient

struct Charge: Decodable, Sendable {
    var id: String
    var amount: Int
}

func charges(_ stripe: SessionManager) async throws -> [Charge] {
    let request = stripe.request("v1/charges", query: ["limit": 100])
    return try await MyRESTClient(request, listing: ItemListing(at: "data", pagination: .stripe))
        .getAvailableItems()
}

struct GitHubRepository: Decodable, Sendable {
    var name: String
}
// snippet.hide

func printRepositories(of organization: String, _ github: SessionManager) async throws {
    // snippet.show
    let request = github.request("orgs/\(organization)/repos", query: ["per_page": 100])
    let client = MyRESTClient(request, listing: ItemListing(at: .root))
    for try await repository in client.items(as: GitHubRepository.self) {
        print(repository.name)
    }
    // snippet.hide
}

func orderTea(_ manager: SessionManager) async throws {
    // snippet.show
    try await manager
        .request("orders", method: .post, body: .json(["item": "tea"]))
        .interceptors(.retry(RetryPolicy(methods: .idempotencyKeyed)))
        .response()
    // snippet.hide
}

func upload(_ photo: URL, _ manager: SessionManager) async throws -> HTTPStatus {
    // snippet.show
    let response =
        try await manager
        .request("photos/tea", method: .put, body: .file(photo))
        .progress { print("\(Int(100 * $0.fractionCompleted)) %") }
        .response()
    // snippet.hide
    return response.status
}

func download(to file: URL, _ manager: SessionManager) async throws {
    // snippet.show
    try await manager.request("archive.zip").download(to: file, resuming: true)
    // snippet.hide
}

func downloadAll(_ urls: [URL], to directory: URL) async throws {
    // snippet.show
    let manager = SessionManager(interceptors: [.retry(), .limiting(concurrent: 4)])
    try await withThrowingTaskGroup { group in
        for url in urls {
            group.addTask {
                try await manager.request(url).download(to: directory.appending(path: url.lastPathComponent))
            }
        }
        try await group.waitForAll()
    }
    // snippet.hide
}

func discardPartialDownloads(in directory: URL) throws {
    // snippet.show
    for download in try PartialDownload.all(in: directory) {
        print("\(download.file.lastPathComponent): \(download.received) bytes")
        try download.discard()
    }
    // snippet.hide
}

func stripeManager(key: String) -> SessionManager {
    // snippet.show
    let stripe = SessionManager(
        baseURL: URL(string: "https://api.stripe.com"), interceptors: [.retry(), .bearer(key)])
    // snippet.hide
    return stripe
}

func gitHubManager(token: String) -> SessionManager {
    // snippet.show
    let github = SessionManager(
        baseURL: URL(string: "https://api.github.com"), interceptors: [.retry(), .bearer(token)])
    // snippet.hide
    return github
}
