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
        let masked = masking.masked(HAR.Request(request)) { values.insert($0) }
        var copy = ReceivedRequest(
            method: masked.method, url: masked.url, headers: masked.headers, body: masked.body,
            time: request.time)
        copy.route = request.route
        copy.routeName = request.routeName
        return copy
    }

    /// Returns the URL with custom values masked, and collects them.
    mutating func masked(_ url: URL) -> URL { masked(ReceivedRequest(method: .get, url: url)).url }

    /// Returns a message with the collected values masked.
    func masked(message: String) -> String { SecretValues(values).masked(message: message) }
}

extension MockServerError.Kind {
    /// Returns the same kind with custom values of its requests masked.
    func masked(by masker: inout MessageMasker) -> Self {
        switch self {
        case .unmatched(let request, let routes, let nearest):
            .unmatched(masker.masked(request), routes: routes, nearest: nearest)
        case .exhausted(let request, let route, let location, let call, let replies):
            .exhausted(
                masker.masked(request), route: route, location: location, call: call, replies: replies)
        case .exhaustedRecording(let request, let call, let exchanges):
            .exhaustedRecording(masker.masked(request), call: call, exchanges: exchanges)
        case .changedRecording(let request, let differences):
            .changedRecording(masker.masked(request), differences: differences)
        case .outOfOrder(let request, let route, let location, let other, let isTooEarly):
            .outOfOrder(
                masker.masked(request), route: route, location: location, other: other,
                isTooEarly: isTooEarly)
        case .clockStopped(let request, let route, let location, let limit):
            .clockStopped(masker.masked(request), route: route, location: location, limit: limit)
        case .sharedSessionRefused(let request, let server):
            .sharedSessionRefused(masker.masked(request), server: server)
        case .serverGone(let method, let url):
            .serverGone(method: method, url: url.map { masker.masked($0) })
        case .unsupportedTask(let task, let method, let url):
            .unsupportedTask(task, method: method, url: url.map { masker.masked($0) })
        case .credentialAfterChallenge(let method, let url):
            .credentialAfterChallenge(method: method, url: url.map { masker.masked($0) })
        case .cassette(.tooLarge(let url)): .cassette(.tooLarge(masker.masked(url)))
        case .tooFewRequests(let expected, let received, let limit):
            .tooFewRequests(
                expected: expected, received: received.map { masker.masked($0) }, limit: limit)
        case .invalidRoute, .unusableReply, .cassette, .verification, .sharedSessionInUse: self
        }
    }
}
