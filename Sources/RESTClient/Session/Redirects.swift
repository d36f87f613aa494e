import Foundation
import RESTClientHTTP

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The rules of redirects, whatever the policy: RFC 9110, section 15.4, and what keeps secrets at home.
enum Redirects {
    /// The hop that `response` asks for, or `nil` where it asks for none.
    ///
    /// - Throws: `RESTClientError` of kind `redirect` for a target that must not be followed.
    static func hop<Body>(
        number: Int, after response: Response<Body>, hasFile: Bool = false
    ) throws -> RedirectPolicy.Hop? {
        guard statuses.contains(response.status), let location = response.headers[.location],
            let from = response.request.url
        else { return nil }
        let target = try target(of: location, from: from, response)
        let changesOrigin = Origin(from) != Origin(target)
        let request = response.request
        let hasBody = hasFile || request.httpBody != nil || request.httpBodyStream != nil
        let keepsBody = hasBody && !becomesGet(request.httpMethod ?? "GET", response.status)
        let proposed = proposal(
            to: target, changesOrigin: changesOrigin, keepsBody: keepsBody, status: response.status, request)
        return RedirectPolicy.Hop(
            number: number, status: response.status, from: from, proposed: proposed, keepsBody: keepsBody,
            bodyLeavesOrigin: changesOrigin && keepsBody)
    }

    /// The error of a hop more than the policy allows.
    static func tooMany<Body>(
        _ hop: RedirectPolicy.Hop, max: Int, _ response: Response<Body>
    ) -> RESTClientError {
        let to = hop.proposed.url.map { Redaction.url($0) } ?? ""
        return RESTClientError(
            .redirect(.tooMany(max: max, to: to)), response.request, response: response.map { _ in Data() })
    }

    /// What goes out for `hop`: `next`, which the policy made of it. Its rules are those of `hop`, whatever the policy
    /// changed: encryption stays, and what is the caller's stays at its origin.
    ///
    /// - Throws: `RESTClientError` of kind `redirect` for what must not or cannot be sent.
    static func order<Body>(
        _ next: URLRequest, for hop: RedirectPolicy.Hop, after response: Response<Body>, _ order: Order
    ) throws -> Order {
        var following = order
        let method = next.httpMethod ?? "GET"
        if !hop.keepsBody || ["GET", "HEAD"].contains(method.uppercased()) { following.file = nil }
        let refused = { refusal($0, to: next.url?.absoluteString ?? "", response) }
        guard let url = next.url else { throw refused(.invalidURL) }
        try check(url, from: hop.from, refused)
        following.request = next
        if Origin(url) != Origin(hop.from) {
            let carriesBody =
                following.file != nil || next.httpBodyStream != nil || next.hasBody(of: order.request)
            // Where the server named the origin, the hop said so, and the policy has agreed.
            guard !carriesBody || Origin(url) == Origin(hop.proposed.url) else {
                throw refused(.bodyToOtherOrigin)
            }
            following.request.dropHeaders(of: order.request, keepsBody: carriesBody)
        }
        do {
            following.request = try following.request.checked(hasFile: following.file != nil)
        } catch let error as RESTClientError {
            guard case .invalidRequest(let reason) = error.kind else { throw error }
            throw refused(.invalidRequest(reason))
        }
        return following
    }

    private static let statuses: Set<HTTPStatus> = [301, 302, 303, 307, 308]

    private static func refusal<Body>(
        _ reason: RESTClientError.RefusedRedirect, to location: String, _ response: Response<Body>
    ) -> RESTClientError {
        RESTClientError(
            .redirect(.refused(reason, to: Redaction.text(ofURL: location))), response.request,
            response: response.map { _ in Data() })
    }

    private static func target<Body>(
        of location: String, from: URL, _ response: Response<Body>
    ) throws -> URL {
        let refused = { refusal($0, to: location, response) }
        guard let target = from.resolving(location) else { throw refused(.invalidURL) }
        try check(target, from: from, refused)
        return target
    }

    private static func check(
        _ target: URL, from: URL, _ refusal: (RESTClientError.RefusedRedirect) -> RESTClientError
    ) throws {
        guard target.user(percentEncoded: true) == nil, target.password(percentEncoded: true) == nil else {
            throw refusal(.userInfo)
        }
        guard let scheme = target.scheme?.lowercased(), ["http", "https"].contains(scheme) else {
            throw refusal(.notHTTP)
        }
        guard Origin(target) != nil else { throw refusal(.missingHost) }
        if from.scheme?.lowercased() == "https", scheme == "http" {
            throw refusal(.insecure)
        }
    }

    private static func becomesGet(_ method: String, _ status: HTTPStatus) -> Bool {
        status == 303 && method != "HEAD" || [301, 302].contains(status) && method == "POST"
    }

    private static func proposal(
        to target: URL, changesOrigin: Bool, keepsBody: Bool, status: HTTPStatus, _ request: URLRequest
    ) -> URLRequest {
        var proposed = request
        proposed.url = target
        if becomesGet(request.httpMethod ?? "GET", status) { proposed.httpMethod = "GET" }
        if !keepsBody {
            proposed.httpBody = nil
            proposed.httpBodyStream = nil
        }
        for name in (request.allHTTPHeaderFields ?? [:]).keys {
            let describesBody = name.lowercased().hasPrefix("content-")
            let stays = describesBody ? keepsBody : !changesOrigin
            if !stays { proposed.setValue(nil, forHTTPHeaderField: name) }
        }
        return proposed
    }
}

extension URLRequest {
    /// Whether it has the body that `other` has.
    fileprivate func hasBody(of other: URLRequest) -> Bool { httpBody != nil && httpBody == other.httpBody }

    /// Removes the header fields that it has from `other`; those that describe a body stay if that does.
    fileprivate mutating func dropHeaders(of other: URLRequest, keepsBody: Bool) {
        for (name, value) in other.allHTTPHeaderFields ?? [:] {
            let describesBody = name.lowercased().hasPrefix("content-")
            guard !(describesBody && keepsBody), self.value(forHTTPHeaderField: name) == value else {
                continue
            }
            setValue(nil, forHTTPHeaderField: name)
        }
    }
}
