import Foundation

extension HAR {
    /// Returns the archive without secrets: values are masked by their names, then everywhere else.
    func masked(_ masking: Masking = .standard) -> HAR {
        let entries = entries.map(masking.masked)
        let values = SecretValues(entries.reduce(into: []) { $0.formUnion($1.secrets) })
        return HAR(entries.map { $0.masked(by: values) })
    }

    /// An entry whose secrets are masked by the rule of a masking, with their values, which all entries of an archive mask.
    struct MaskedEntry {
        let entry: Entry
        var secrets: Set<String>

        /// The number of bytes of the bodies, and about that of the rest of the entry in a file.
        var size: Int { entry.request.body.count + entry.response.body.count + 1_000 }

        func masked(by values: SecretValues) -> Entry {
            var (masked, values) = (entry, values)
            masked.mask(by: &values)
            return masked
        }
    }
}

/// Masks the parts of an exchange that can contain secrets.
protocol SecretMasker {
    mutating func masked(url text: String) -> String
    mutating func masked(_ value: String, of name: HTTPHeaders.Name) -> String
    /// Returns `nil` if the body cannot be searched for secrets.
    mutating func masked(_ body: Data, _ headers: HTTPHeaders) -> Data?
    mutating func masked(message: String) -> String
}

extension SecretScrubber: SecretMasker {}

extension SecretValues: SecretMasker {
    func masked(_ body: Data, _ headers: HTTPHeaders) -> Data? { masked(body, in: headers) }
    func masked(url text: String) -> String { masked(message: text) }
    func masked(_ value: String, of name: HTTPHeaders.Name) -> String { masked(message: value) }
}

extension SecretMasker {
    /// Masks a message, and removes a body that cannot be searched for secrets. Returns `false` if it has removed one.
    fileprivate mutating func mask(_ headers: inout HTTPHeaders, _ body: inout Data) -> Bool {
        let masked = masked(body, headers)
        body = masked ?? Data()
        headers = headers.mapValues { self.masked($1, of: $0) }
        return masked != nil
    }
}

extension HAR.Request {
    /// Masks the request. A URL that is invalid then is replaced by a placeholder, because archives require a scheme.
    mutating func mask(by masker: inout some SecretMasker) {
        let text = masker.masked(url: url.absoluteString)
        if text != url.absoluteString {
            url =
                URL(string: text).flatMap { $0.scheme == nil ? nil : $0 }
                ?? URL(filePath: "/\(Redaction.mask)")
        }
        if !masker.mask(&headers, &body) { isBodyMissing = true }
    }
}

extension HAR.Entry {
    mutating func mask(by masker: inout some SecretMasker) {
        request.mask(by: &masker)
        let original = response
        var body = response.body
        if !masker.mask(&response.headers, &body) { response.failure = .unsearchable(original) }
        setBody(body)
        if let text = response.failure?.text { response.failure?.text = masker.masked(message: text) }
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

extension HTTPHeaders {
    func mapValues(_ transform: (Name, String) -> String) -> Self {
        reduce(into: [:]) { $0.add($1.name, transform($1.name, $1.value)) }
    }
}
