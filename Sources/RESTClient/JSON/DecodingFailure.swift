import Foundation
import HTTPCore

/// What is wrong with a body that a decoder refused.
struct DecodingFailure {
    let kind: RESTClientError.Kind
    let underlying: any Error

    init(_ error: any Error, in body: Data) {
        underlying = error
        kind = .notJSON(found: "")
    }

    func error(for response: DataResponse) -> RESTClientError {
        var error = RESTClientError(kind, response.request, response: response, underlying: underlying)
        error.attempts = response.attempts
        return error
    }
}
