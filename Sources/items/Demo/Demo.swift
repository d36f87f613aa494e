import Foundation
import MockTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A server inside the process that answers as its scenario says, and knows no network.
struct Demo {
    /// What to list.
    let url: String
    private let server: MockServer

    init(_ scenario: Scenario) {
        url = scenario.address
        server = MockServer.demo([scenario])
    }

    /// A configuration whose requests the server answers, as long as it lives.
    var configuration: URLSessionConfiguration { server.configuration }
}

extension Scenario {
    /// Where it is when there is no network: the classic hosts answer at their names.
    fileprivate var address: String {
        switch self {
        case .notNil, .nil, .concepts: "http://\(name)/"
        default: "https://demo.example\(path)"
        }
    }
}
