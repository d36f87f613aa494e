import Foundation
import MockTransport
import RESTClient
import Testing

/// Returns a URL of the shop that most tests send requests to.
func shop(_ path: String = "/items") throws -> URL {
    try #require(URL(string: "http://shop.example\(path)"))
}

/// Returns the error of a call that fails.
///
/// `#require(throws:)` describes each error with all its members, which takes milliseconds.
func failure<Value>(
    _ location: SourceLocation = #_sourceLocation, of call: () async throws -> Value
) async throws -> RESTClientError {
    var failure: RESTClientError?
    do { _ = try await call() } catch let error as RESTClientError { failure = error }
    return try #require(failure, "the call did not fail", sourceLocation: location)
}

extension ReceivedRequest {
    /// Returns the number in a query item, or another one if there is none.
    func number(_ name: String, or other: Int = 0) -> Int { query[name].flatMap { Int($0) } ?? other }
}

extension LockedState<Int> {
    /// Counts by one, and returns the number.
    func next() -> Int {
        withLock { number in
            number += 1
            return number
        }
    }
}
