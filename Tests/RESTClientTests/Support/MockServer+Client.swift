import Foundation
import MockTransport
import RESTClient
import Testing

extension MockServer {
    /// Returns a manager whose requests this server answers.
    func manager(
        _ interceptors: any RequestInterceptor..., options: RequestOptions = RequestOptions(),
        monitor: EventMonitor? = nil, clock: any Clock<Duration> = ContinuousClock()
    ) -> SessionManager {
        SessionManager(
            configuration: configuration, interceptors: interceptors, options: options, monitor: monitor,
            clock: clock)
    }

    /// Returns a client of a list on this server.
    func client(
        _ listing: ItemListing = ItemListing(), path: String = PagedCollection.path,
        interceptors: [any RequestInterceptor] = [], options: RequestOptions = RequestOptions(),
        monitor: EventMonitor? = nil, clock: any Clock<Duration> = ContinuousClock()
    ) -> MyRESTClient {
        let manager = SessionManager(
            configuration: configuration, interceptors: interceptors, options: options, monitor: monitor,
            clock: clock)
        return MyRESTClient(url: URL(string: path) ?? URL(filePath: "/"), manager: manager, listing: listing)
    }
}

extension MyRESTClient {
    /// Returns the JSON texts of all elements, and the error that has ended the list.
    func texts() async -> (elements: [String], error: (any Error)?) {
        var texts: [String] = []
        do {
            for try await batch in elements() {
                batch.forEach { element in
                    texts.append(element.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
                }
            }
            return (texts, nil)
        } catch { return (texts, error) }
    }
}

/// Lists numbers from a server that answers each request with `reply`, and returns them, the error that has ended the list,
/// and the number of requests.
func numbers(
    _ listing: ItemListing = ItemListing(), query: String = "",
    reply: @escaping @Sendable (ReceivedRequest) -> Reply
) async -> (items: [Int], error: RESTClientError?, requests: Int) {
    let server = MockServer { Route(.any) { request in reply(request) } }
    let client = server.client(listing, path: "https://shop.example/items\(query.isEmpty ? "" : "?\(query)")")
    let result = await client.items(as: Int.self).collect()
    #expect(result.error == nil || result.error is RESTClientError)
    return (result.elements, result.error as? RESTClientError, server.requests.count)
}
