import Foundation
import RESTClientHTTP

/// The secrets of a request and its response, which are masked in every part of an error.
///
/// Secrets are found by their names, in the headers, the URL and the bodies. The same values are then masked where they
/// have no name, for example if the server includes the token of the request in its message.
struct ErrorSecrets: Sendable {
    /// The maximum size of a body in an error.
    static let maxBodyBytes = 64 << 10

    /// The body of an error if that of the response cannot be searched for secrets, such as compressed data.
    static let leftOut = Data("(The body was left out: it cannot be searched for secrets.)".utf8)

    private let values: SecretValues
    /// The secrets, including those that are too short to be masked inside of a text.
    private let all: Set<String>
    private let body: Data
    /// A Boolean value that indicates whether `body` is only the start of the response's body.
    let isBodyTruncated: Bool

    /// Creates an empty set, which masks only secrets that are recognized by their form.
    init() { (values, all, body, isBodyTruncated) = (SecretValues([]), [], Data(), false) }

    init(_ request: URLRequest, _ response: DataResponse?) {
        var scrubber = SecretScrubber()
        scrubber.collect(request)
        if let response { scrubber.collect(response.request) }
        for field in response?.headers ?? [:] { _ = scrubber.masked(field.value, of: field.name) }
        // More than the maximum is examined, so that a secret is also recognized if it is cut there.
        let start = Data(response?.body.prefix(2 * Self.maxBodyBytes) ?? Data())
        let headers = response?.headers ?? [:]
        let masked = scrubber.masked(start, headers)
        all = scrubber.collected
        let values = SecretValues(all, includingWords: true)
        self.values = values
        let whole = masked.map { values.masked($0, in: headers) } ?? Self.leftOut
        body = whole.prefix(Self.maxBodyBytes)
        isBodyTruncated = whole.count > body.count
    }

    func masked(_ text: String) -> String { values.masked(message: Redaction.text(text)) }

    /// Returns the value of a header field, or a mask if one of its words is a secret.
    func masked(_ value: String, of name: HTTPHeaders.Name) -> String {
        let words = value.split { !($0.isLetter || $0.isNumber || "-_.".contains($0)) }
        guard !all.contains(value), !words.contains(where: { all.contains(String($0)) }) else {
            return Redaction.mask
        }
        return values.masked(message: Redaction.value(value, of: name))
    }

    func masked(_ url: URL) -> URL? {
        URL(string: values.masked(message: Redaction.text(ofURL: url.absoluteString)))
    }

    /// Returns `error`, or an error with its masked description if that contains a secret.
    func masked(_ error: any Error) -> any Error {
        if error is RESTClientError { return error }
        if let error = error as? URLError {
            // URLSession includes the URL in its errors.
            let text = masked(error.localizedDescription)
            return URLError(error.code, userInfo: [NSLocalizedDescriptionKey: text])
        }
        let texts = ["\(error)", "\((error as NSError).userInfo)"]
        return texts.allSatisfy { masked($0) == $0 } ? error : MaskedError(description: masked(texts[0]))
    }

    /// Returns a copy without secret headers, and with the start of the body.
    func masked(_ response: DataResponse) -> DataResponse {
        var copy = response
        copy.body = body
        copy.request = masked(response.request)
        copy.headers = masked(response.headers)
        for (index, redirect) in response.redirects.enumerated() {
            copy.redirects[index].from = masked(redirect.from) ?? redirect.from
            copy.redirects[index].headers = masked(redirect.headers)
            copy.redirects[index].proposed = masked(redirect.proposed)
        }
        return copy
    }

    /// Returns the header fields that are not secret, with the secrets in their values masked.
    private func masked(_ headers: HTTPHeaders) -> HTTPHeaders {
        var masked = HTTPHeaders()
        for field in headers where !Redaction.isSecret(header: field.name) {
            masked.add(field.name, self.masked(field.value))
        }
        return masked
    }

    private func masked(_ request: URLRequest) -> URLRequest {
        var copy = request
        copy.url = request.url.flatMap(masked)
        copy.httpBody = nil
        copy.httpBodyStream = nil
        for (name, value) in request.allHTTPHeaderFields ?? [:] {
            let isSecret = Redaction.isSecret(header: .init(name))
            copy.setValue(isSecret ? nil : masked(value), forHTTPHeaderField: name)
        }
        return copy
    }
}

/// The description of an error that contained a secret, with the secret masked.
struct MaskedError: LocalizedError, CustomStringConvertible {
    let description: String

    var errorDescription: String? { description }
}

extension SecretScrubber {
    /// Collects the secrets of a request. Large bodies are uploads and are not searched.
    fileprivate mutating func collect(_ request: URLRequest) {
        if let url = request.url { _ = masked(url: url.absoluteString) }
        for (name, value) in request.allHTTPHeaderFields ?? [:] {
            _ = masked(value, of: HTTPHeaders.Name(name))
        }
        if let body = request.httpBody, body.count <= 64 << 10 {
            _ = masked(body, HTTPHeaders(request.allHTTPHeaderFields ?? [:]))
        }
    }
}

extension RESTClientError.Kind {
    /// Returns the kind with the texts of servers and of URLSession transformed.
    func mapTexts(_ map: (String) -> String) -> Self {
        switch self {
        case .redirect(.tooMany(let max, let target)): .redirect(.tooMany(max: max, to: map(target)))
        case .redirect(.refused(let reason, let target)): .redirect(.refused(reason, to: map(target)))
        case .invalidRequest(.rejected(let text)): .invalidRequest(.rejected(map(text)))
        case .invalidResponse(.unparsable(let text)): .invalidResponse(.unparsable(map(text)))
        case .invalidResponse(.invalidContentLength(let text)):
            .invalidResponse(.invalidContentLength(map(text)))
        case .notJSON(let found, let isHTML): .notJSON(found: map(found), isHTML: isHTML)
        case .malformedJSON(let offset, let path, let error):
            .malformedJSON(offset: offset, path: map(path), error)
        case .wrongShape(let path, let expected, let found):
            .wrongShape(path: map(path), expected: expected, found: found.mapTexts(map))
        case .incompleteList(let text): .incompleteList(map(text))
        case .pagination(let failure): .pagination(failure.mapTexts(map))
        default: self
        }
    }
}

extension FoundJSON {
    fileprivate func mapTexts(_ map: (String) -> String) -> Self {
        switch self {
        case .described(let text): .described(map(text))
        case .keys(let keys): .keys(keys.map(map))
        default: self
        }
    }
}

extension RESTClientError.PaginationFailure {
    fileprivate func mapTexts(_ map: (String) -> String) -> Self {
        func masked(_ url: URL?) -> URL? { url.flatMap { URL(string: map($0.absoluteString)) } }
        return switch self {
        case .notHTTP(let url): .notHTTP(masked(url))
        case .userInfo(let url): .userInfo(masked(url))
        case .otherOrigin(let url, let expected): .otherOrigin(masked(url), expected: expected)
        case .loop(let url): .loop(masked(url))
        case .unresolvableURL(let path, let text): .unresolvableURL(in: path, map(text))
        case .invalidCount(let path, let text): .invalidCount(in: path, map(text))
        case .invalidFlag(let path, let text): .invalidFlag(in: path, map(text))
        case .unknownToken(let path, let text): .unknownToken(in: path, map(text))
        case .unknownNext(let path, let text): .unknownNext(in: path, map(text))
        default: self
        }
    }
}
