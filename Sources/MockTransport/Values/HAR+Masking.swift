import Foundation

extension HAR {
    /// Returns the archive without secrets.
    ///
    /// Values in headers, URLs, queries, forms, JSON and multipart parts are masked by their names. The same values are
    /// then masked everywhere else in the archive.
    ///
    /// - Parameter values: Further values to mask everywhere.
    func masked(_ masking: Masking = .standard, values: Set<String> = []) -> HAR {
        var scrubber = SecretScrubber()
        var custom = values
        let entries = entries.map { entry in
            masking.masked(entry) { custom.insert($0) }.masked(by: &scrubber)
        }
        var values = SecretValues(scrubber.collected.union(custom))
        return HAR(entries.map { $0.masked(by: &values) })
    }
}

/// Masks the parts of an exchange that can contain secrets.
private protocol SecretMasker {
    mutating func masked(_ url: URL) -> URL
    mutating func masked(_ value: String, of name: HTTPHeaders.Name) -> String
    /// Returns `nil` if the body cannot be searched for secrets.
    mutating func masked(_ body: Data, _ headers: HTTPHeaders) -> Data?
    mutating func masked(message: String) -> String
}

extension SecretScrubber: SecretMasker {
    mutating func masked(_ body: Data, _ headers: HTTPHeaders) -> Data? { masked(body, headers, depth: 0) }

    /// Returns the URL with its secrets masked, and collects them.
    mutating func masked(_ url: URL) -> URL {
        collect(url)
        return URL(masked: Redaction.masked(url))
    }
}

extension SecretValues: SecretMasker {
    fileprivate func masked(_ body: Data, _ headers: HTTPHeaders) -> Data? { masked(body, in: headers) }

    fileprivate func masked(_ url: URL) -> URL {
        URL(masked: URL(string: masked(message: url.absoluteString)))
    }
}

extension SecretMasker {
    /// Masks a message, and removes a body that cannot be searched for secrets. Returns `false` if it has removed one.
    fileprivate mutating func mask(_ headers: inout HTTPHeaders, _ body: inout Data) -> Bool {
        let masked = masked(body, headers)
        body = masked ?? Data()
        let fields = headers
        headers = [:]
        for (name, value) in fields { headers.add(name, self.masked(value, of: name)) }
        return masked != nil
    }
}

extension HAR.Entry {
    fileprivate func masked(by masker: inout some SecretMasker) -> HAR.Entry {
        var copy = self
        copy.request.url = masker.masked(request.url)
        if !masker.mask(&copy.request.headers, &copy.request.body) { copy.request.isBodyMissing = true }
        var body = response.body
        if !masker.mask(&copy.response.headers, &body) { copy.response.failure = .unsearchable(response) }
        copy.setBody(body)
        if let text = copy.response.failure?.text {
            copy.response.failure?.text = masker.masked(message: text)
        }
        return copy
    }
}

extension HAR.Failure {
    /// The reason why the body of `response` is left out.
    fileprivate static func unsearchable(_ response: HAR.Response) -> Self {
        let type = response.headers[.contentType].map { " of \($0)" } ?? ""
        let coding = response.headers[.contentEncoding].map { ", encoded as \($0)" } ?? ""
        return .incomplete(
            """
            its body (\(response.body.count) bytes\(type)\(coding)) was not recorded, because it cannot be searched for \
            secrets. Let the server send uncompressed text in UTF-8 and record it again, or add a route that replies instead
            """)
    }
}

extension HAR.Entry {
    /// Replaces the body of the response. A changed body has chunks in proportion to the original ones.
    mutating func setBody(_ body: Data) {
        let original = response.body
        guard body != original else { return }
        guard !original.isEmpty else { return response.chunks = [HAR.Chunk(data: body)] }
        var originalEnd = 0
        var start = 0
        response.chunks = response.chunks.compactMap { chunk in
            originalEnd += chunk.data.count
            let end = Int(Double(body.count) * Double(originalEnd) / Double(original.count))
            defer { start = end }
            return end > start ? HAR.Chunk(time: chunk.time, data: Data(body[start..<end])) : nil
        }
    }
}

extension URL {
    /// Creates a URL from the result of masking, or a placeholder if it is not a URL with a scheme, as archives require.
    fileprivate init(masked url: URL?) {
        self = url.flatMap { $0.scheme == nil ? nil : $0 } ?? URL(filePath: "/\(Redaction.mask)")
    }
}
