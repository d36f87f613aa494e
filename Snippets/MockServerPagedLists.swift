// Lists that the mock server divides into pages.

import Foundation
import MockTransport

// snippet.hide
struct Charge: Encodable, Sendable {
    var id: String
}

func servers(charges: [Charge]) {
    // snippet.show
    let server = MockServer {
        Route(.get, "/v1/charges", list: PagedList(of: charges, size: 3, by: .stripe, at: "data"))
        Route(.get, "/teas", list: PagedList(count: 100, size: 10, by: .link, at: .root))
    }
    // snippet.hide
    _ = server

    // snippet.show
    var teas = PagedList(count: 100, by: .number(count: nil).pageSizeParameter("per_page"))
    teas.total = .header("X-Total-Count")
    teas.pastEnd = .notFound
    teas.parameters = ["q"]
    // snippet.hide

    // snippet.show
    let slow = MockServer {
        Route(.get, "/teas") { [teas] request in teas.page(for: request).delay(.seconds(2)) }
    }
    // snippet.hide
    _ = slow
}
