import Foundation
import RESTClientHTTP

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The rules of redirects that hold for every policy: RFC 9110, section 15.4, and the protection of credentials.
enum Redirects {
    /// Returns the redirect that `response` asks for, if it does.
    ///
    /// - Throws: `RESTClientError` of kind `redirect` if the target must not be requested.
    static func hop<Body>(
        number: Int, after response: Response<Body>, hasFile: Bool = false
    ) throws -> RedirectPolicy.Hop? {
        guard statuses.contains(response.status), let location = response.headers[.location],
            let from = response.request.url
        else { return nil }
        let refused = { refusal($0, to: location, response) }
        guard let target = from.resolving(location) else { throw refused(.invalidURL) }
        try check(target, from: from, refused)
        let changesOrigin = Origin(from) != Origin(target)
        let request = response.request
        let method = request.httpMethod ?? "GET"
        let becomesGet =
            response.status == 303 && method != "HEAD"
            || [301, 302].contains(response.status) && method == "POST"
        let keepsBody = !becomesGet && (hasFile || request.httpBody != nil || request.httpBodyStream != nil)
        var proposed = request
        proposed.url = target
        if becomesGet { proposed.httpMethod = "GET" }
        if !keepsBody {
            proposed.httpBody = nil
            proposed.httpBodyStream = nil
        }
        for name in (request.allHTTPHeaderFields ?? [:]).keys {
            let keepsHeader = name.describesBody ? keepsBody : !changesOrigin
            if !keepsHeader { proposed.setValue(nil, forHTTPHeaderField: name) }
        }
        return RedirectPolicy.Hop(
            number: number, status: response.status, from: from, proposed: proposed, keepsBody: keepsBody,
            bodyLeavesOrigin: changesOrigin && keepsBody)
    }

    /// Returns the error for a redirect that exceeds the maximum of the policy.
    static func tooMany<Body>(
        _ hop: RedirectPolicy.Hop, max: Int, _ response: Response<Body>
    ) -> RESTClientError {
        let target = hop.proposed.url.map { Redaction.url($0) } ?? ""
        return RESTClientError(
            .redirect(.tooMany(max: max, to: target)), response.request,
            response: response.map { _ in Data() })
    }

    /// Returns `true` if the file of the body is sent with `next`, the request of the policy for `hop`.
    static func keepsFile(_ next: URLRequest, _ hop: RedirectPolicy.Hop) -> Bool {
        hop.keepsBody && !["GET", "HEAD"].contains((next.httpMethod ?? "GET").uppercased())
    }

    /// Returns the request to send: `next`, the request of the policy for `hop`, without the caller's credentials and
    /// headers if the origin changes.
    ///
    /// - Throws: `RESTClientError` of kind `redirect` if the request must not or cannot be sent.
    static func checked<Body>(
        _ next: URLRequest, for hop: RedirectPolicy.Hop, after response: Response<Body>, hasFile: Bool
    ) throws -> URLRequest {
        var checked = next
        let refused = { refusal($0, to: next.url?.absoluteString ?? "", response) }
        guard let url = next.url else { throw refused(.invalidURL) }
        try check(url, from: hop.from, refused)
        if Origin(url) != Origin(hop.from) {
            let hasBody = hasFile || next.httpBodyStream != nil || next.hasBody(of: response.request)
            // If the server named the origin, the hop reported it and the policy has accepted it.
            guard !hasBody || Origin(url) == Origin(hop.proposed.url) else {
                throw refused(.bodyToOtherOrigin)
            }
            checked.removeHeaders(of: response.request, keepsBody: hasBody)
        }
        do {
            return try checked.checked(hasFile: hasFile)
        } catch let error as RESTClientError {
            guard case .invalidRequest(let reason) = error.kind else { throw error }
            throw refused(.invalidRequest(reason))
        }
    }

    static func refusal<Body>(
        _ reason: RESTClientError.RefusedRedirect, to location: String, _ response: Response<Body>
    ) -> RESTClientError {
        RESTClientError(
            .redirect(.refused(reason, to: Redaction.text(ofURL: location))), response.request,
            response: response.map { _ in Data() })
    }

    private static let statuses: Set<HTTPStatus> = [301, 302, 303, 307, 308]

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
        if from.scheme?.lowercased() == "https", scheme == "http" { throw refusal(.insecure) }
    }
}

extension URLRequest {
    /// Returns `true` if the request has the body of `other`.
    fileprivate func hasBody(of other: URLRequest) -> Bool { httpBody != nil && httpBody == other.httpBody }

    /// Removes the header fields that are equal in `other`, except those that describe a body which is kept.
    fileprivate mutating func removeHeaders(of other: URLRequest, keepsBody: Bool) {
        for (name, value) in other.allHTTPHeaderFields ?? [:] {
            guard !(name.describesBody && keepsBody), self.value(forHTTPHeaderField: name) == value else {
                continue
            }
            setValue(nil, forHTTPHeaderField: name)
        }
    }
}

extension String {
    /// `true` for the names of header fields such as `Content-Type`.
    fileprivate var describesBody: Bool { lowercased().hasPrefix("content-") }
}
