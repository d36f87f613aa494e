import Foundation

/// Masks the values in messages about requests that a cassette masks in its file.
///
/// The parts of a request that are shown are masked by their names. The same values are then masked everywhere else in the
/// message.
struct MessageMasker {
    private let masking: HAR.Masking
    private var values: Set<String> = []

    init(_ masking: HAR.Masking) { self.masking = masking }

    /// Returns the request with custom values masked, and collects them.
    mutating func masked(_ request: ReceivedRequest) -> ReceivedRequest {
        guard !masking.isStandard else { return request }
        let (masked, found) = masking.masked(HAR.Request(request))
        values.formUnion(found)
        var copy = ReceivedRequest(
            method: masked.method, url: masked.url, headers: masked.headers, body: masked.body,
            time: request.time)
        (copy.route, copy.routeName) = (request.route, request.routeName)
        return copy
    }

    mutating func masked(_ url: URL) -> URL { masked(ReceivedRequest(method: .get, url: url)).url }

    mutating func text(of url: URL?) -> String { url.map { Redaction.url(masked($0)) } ?? "no URL" }

    /// Returns a message with the collected values masked.
    func masked(message: String) -> String { SecretValues(values).masked(message: message) }
}
