import Foundation
import RESTClientHTTP

/// The rules that apply to redirects with every policy: methods and bodies (RFC 9110, section 15.4), and the protection
/// of credentials.
enum Redirects {
    /// Returns the redirect in `response`, or `nil` if it is not a redirect.
    ///
    /// - Throws: `RESTClientError` of kind `redirect` if the target must not be requested.
    static func redirect<Body>(
        number: Int, after response: Response<Body>, hasFile: Bool = false
    ) throws -> RedirectPolicy.Redirect? {
        guard statuses.contains(response.status), let location = response.headers[.location],
            let from = response.request.url
        else { return nil }
        let refused = { refusal($0, to: location, response) }
        guard let target = from.resolving(location.withoutRepetition) else { throw refused(.invalidURL) }
        try check(target, from: from, refused)
        let changesOrigin = Origin(from) != Origin(target)
        let request = response.request
        let becomesGet =
            response.status == 303 && request.method != .head
            || [301, 302].contains(response.status) && request.method == .post
        let keepsBody = !becomesGet && (hasFile || request.httpBody != nil || request.httpBodyStream != nil)
        var proposed = request
        proposed.url = target
        if becomesGet { proposed.httpMethod = "GET" }
        if !keepsBody {
            proposed.httpBody = nil
            proposed.httpBodyStream = nil
        }
        for name in (request.allHTTPHeaderFields ?? [:]).keys {
            let keepsHeader = name.describesBody ? keepsBody : !changesOrigin || name.isForAnyOrigin
            if !keepsHeader { proposed.setValue(nil, forHTTPHeaderField: name) }
        }
        return RedirectPolicy.Redirect(
            number: number, status: response.status, headers: response.headers, from: from,
            proposed: proposed, keepsBody: keepsBody,
            bodyLeavesOrigin: changesOrigin && keepsBody)
    }

    /// Returns the request to send: the request `next` that the policy returned for `redirect`. If the origin changes, the
    /// caller's credentials and headers are removed.
    ///
    /// - Throws: `RESTClientError` of kind `redirect` if the request must not or cannot be sent.
    static func checked<Body>(
        _ next: URLRequest, for redirect: RedirectPolicy.Redirect, after response: Response<Body>,
        hasFile: Bool
    ) throws -> URLRequest {
        var checked = next
        let refused = { refusal($0, to: next.url?.absoluteString ?? "", response) }
        guard let url = next.url else { throw refused(.invalidURL) }
        try check(url, from: redirect.from, refused)
        if Origin(url) != Origin(redirect.from) {
            let hasData = next.httpBody != nil && next.httpBody == response.request.httpBody
            let hasBody = hasFile || next.httpBodyStream != nil || hasData
            // A body may be sent to the origin in `Location`, because the policy has accepted that redirect.
            guard !hasBody || Origin(url) == Origin(redirect.proposed.url) else {
                throw refused(.bodyToOtherOrigin)
            }
            checked.removeHeaders(of: response.request, keepsBody: hasBody)
        }
        if let stream = next.httpBodyStream, stream === response.request.httpBodyStream {
            throw refused(.bodyStream)
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
        RESTClientError(.redirect(.refused(reason, to: Redaction.text(ofURL: location))), head: response)
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
    /// Removes the header fields that have the same value in `other`. Fields that describe the body, such as
    /// `Content-Type`, are kept if the body is.
    fileprivate mutating func removeHeaders(of other: URLRequest, keepsBody: Bool) {
        for (name, value) in other.allHTTPHeaderFields ?? [:] {
            let keepsHeader =
                name.describesBody && keepsBody || name.isForAnyOrigin
                || self.value(forHTTPHeaderField: name) != value
            if !keepsHeader { setValue(nil, forHTTPHeaderField: name) }
        }
    }
}

extension String {
    /// `true` for the names of header fields that describe the client, and not its user.
    var describesClient: Bool {
        [.accept, "Accept-Encoding", "Accept-Language", .userAgent].contains(HTTPHeaders.Name(self))
    }

    /// `true` for the names of header fields that a redirect to another origin keeps: those that describe the
    /// client, or the part of a file that is requested.
    fileprivate var isForAnyOrigin: Bool {
        describesClient || [.range, .ifRange].contains(HTTPHeaders.Name(self))
    }

    /// `true` for the names of header fields such as `Content-Type`.
    fileprivate var describesBody: Bool { lowercased().hasPrefix("content-") }
}
