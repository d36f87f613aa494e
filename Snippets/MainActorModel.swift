// A view model, and types that are used outside the main actor, for any default isolation.

import Foundation
import RESTClient

nonisolated struct Tea: Decodable, Sendable {
    var name: String
}

nonisolated struct Language: RequestInterceptor {
    func intercept(
        _ request: URLRequest, context: RequestContext, next: Next
    ) async throws -> Response<ResponseBody> {
        var request = request
        request.setValue("de", forHTTPHeaderField: "Accept-Language")
        return try await next(request)
    }
}

@MainActor final class TeaModel {
    private(set) var teas: [Tea] = []
    private(set) var fraction = 0.0
    private let request: DataRequest

    init(_ request: DataRequest) { self.request = request }

    func load() async throws {
        let request = request.progress { self.fraction = $0.fractionCompleted }
        teas = try await request.decode([Tea].self)
    }

    func reload() {
        request.decode([Tea].self) { @MainActor result in
            self.teas = (try? result.get()) ?? []
        }
    }
}
// snippet.hide
