import Foundation

extension HAR {
    /// The values to mask in an archive, in addition to those with the names of secrets.
    ///
    /// ```swift
    /// @Test(.replay("shop", masking: .members("email", "phone").headers("X-Tenant")))
    /// ```
    ///
    /// Requests are compared after masking, so that a replay works with other values. The messages and the access log of a
    /// server mask the same values.
    public struct Masking: Sendable {
        private var headerNames: Set<HTTPHeaders.Name> = []
        private var memberNames: Set<String> = []
        private var requestChanges: [@Sendable (inout Request) -> Void] = []
        private var responseChanges: [@Sendable (inout Response) -> Void] = []

        /// The values with the names of secrets only; see <doc:Recording>.
        public static let standard = Self()

        /// Masks these header fields, too.
        public func headers(_ names: HTTPHeaders.Name...) -> Self {
            changed { $0.headerNames.formUnion(names) }
        }

        /// Masks these header fields, too.
        public static func headers(_ names: HTTPHeaders.Name...) -> Self {
            standard.changed { $0.headerNames.formUnion(names) }
        }

        /// Masks the JSON members, query items and form fields with these names, too, also in URLs in header fields and JSON.
        public func members(_ names: String...) -> Self { changed { $0.memberNames.formUnion(names) } }

        /// Masks the JSON members, query items and form fields with these names, too, also in URLs in header fields and JSON.
        public static func members(_ names: String...) -> Self {
            standard.changed { $0.memberNames.formUnion(names) }
        }

        /// Changes each request before it is written, and before it is compared with recorded requests.
        ///
        /// Exchanges that a cassette already contains are changed again when it is written, so the change must have no
        /// effect on a request that it has changed before.
        public func transformRequests(_ change: @escaping @Sendable (inout Request) -> Void) -> Self {
            changed { $0.requestChanges.append(change) }
        }

        /// Changes each request before it is written, and before it is compared with recorded requests.
        ///
        /// Exchanges that a cassette already contains are changed again when it is written, so the change must have no
        /// effect on a request that it has changed before.
        public static func transformRequests(_ change: @escaping @Sendable (inout Request) -> Void) -> Self {
            standard.transformRequests(change)
        }

        /// Changes each response before it is written.
        ///
        /// Exchanges that a cassette already contains are changed again when it is written, so the change must have no
        /// effect on a response that it has changed before.
        public func transformResponses(_ change: @escaping @Sendable (inout Response) -> Void) -> Self {
            changed { $0.responseChanges.append(change) }
        }

        /// Changes each response before it is written.
        ///
        /// Exchanges that a cassette already contains are changed again when it is written, so the change must have no
        /// effect on a response that it has changed before.
        public static func transformResponses(_ change: @escaping @Sendable (inout Response) -> Void) -> Self
        {
            standard.transformResponses(change)
        }

        /// `true` if no custom value of a request is masked.
        var isStandard: Bool { headerNames.isEmpty && memberNames.isEmpty && requestChanges.isEmpty }

        private func changed(_ change: (inout Self) -> Void) -> Self {
            var copy = self
            change(&copy)
            return copy
        }

        // MARK: Applying

        /// Returns the request with custom values masked. `found` is called with each masked text.
        func masked(_ request: Request, found: (String) -> Void = { _ in }) -> Request {
            var request = request
            if !memberNames.isEmpty, let query = request.url.query(percentEncoded: true) {
                var parts = URLComponents(url: request.url, resolvingAgainstBaseURL: true)
                parts?.percentEncodedQuery = masked(items: query, found)
                request.url = parts?.url ?? request.url
            }
            mask(&request.headers, found)
            request.body = masked(request.body, request.headers, found)
            for change in requestChanges { change(&request) }
            return request
        }

        /// Returns the entry with custom values masked. `found` is called with each masked text.
        func masked(_ entry: Entry, found: (String) -> Void) -> Entry {
            var entry = entry
            entry.request = masked(entry.request, found: found)
            mask(&entry.response.headers, found)
            let body = entry.response.body
            entry.setBody(masked(body, entry.response.headers, found))
            for change in responseChanges { change(&entry.response) }
            return entry
        }

        private func mask(_ headers: inout HTTPHeaders, _ found: (String) -> Void) {
            for name in headerNames {
                headers[all: name].filter { $0 != Redaction.mask }.forEach(found)
                if headers[name] != nil { headers[name] = Redaction.mask }
            }
            guard !memberNames.isEmpty else { return }
            let fields = headers
            headers = [:]
            // Fields such as `Location` and `Link` contain URLs. Those of credentials are masked later, as a whole.
            for (name, value) in fields {
                let isSecret = Redaction.isSecret(header: name)
                headers.add(
                    name,
                    isSecret ? value : Redaction.text(value, names: memberNames) { collect($0, found) })
            }
        }

        /// The maximum number of multipart bodies in each other. Those further inside are masked as a whole.
        private static let maxDepth = 3

        private func masked(
            _ body: Data, _ headers: HTTPHeaders, depth: Int = 0, _ found: (String) -> Void
        ) -> Data {
            guard !memberNames.isEmpty, !body.isEmpty else { return body }
            let type = headers[.contentType]
            if let parser = type.flatMap({ MultipartBody(body, type: $0) }), !parser.sections.isEmpty {
                guard depth < Self.maxDepth else { return Data(Redaction.mask.utf8) }
                return parser.mapped { section in
                    let part = parser.body(of: section)
                    guard let name = section.name, memberNames.contains(name) else {
                        return masked(part, section.headers, depth: depth + 1, found)
                    }
                    collect(String(decoding: part, as: UTF8.self), found)
                    return Data(Redaction.mask.utf8)
                }
            }
            // Other bodies are left out of the archive, except for media.
            guard let text = BodyText(body, headers) else { return body }
            let isForm = type.map { MediaType(rawValue: $0).essence } == MediaType.form.essence
            return text.data(
                isForm
                    ? masked(items: text.text, found)
                    : Redaction.readableJSON(text.text, members: memberNames) { collect($0, found) })
        }

        private func masked(items: String, _ found: (String) -> Void) -> String {
            Redaction.query(items, names: memberNames) { collect($0, found) }
        }

        private func collect(_ value: String, _ found: (String) -> Void) {
            if value != Redaction.mask { found(value) }
        }
    }
}
