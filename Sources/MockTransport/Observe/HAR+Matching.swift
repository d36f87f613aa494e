extension HAR {
    /// The rules by which a request equals a recorded one.
    ///
    /// ```swift
    /// archive.routes(matching: .ignoring(.host, .queryItems("t"), .members("requestID")))
    /// ```
    public struct Matching: Sendable, Modifiable {
        /// A part of a request that can be ignored.
        public struct Part: Sendable {
            fileprivate let ignore: @Sendable (inout Matching) -> Void

            /// The scheme, the host and the port. URLs of the recorded hosts in replies become URLs of the requested host.
            public static let host = Self { $0.ignoresHost = true }
            /// The whole query of the URL.
            public static let query = Self { $0.ignoresQuery = true }
            /// The order of query items and form fields.
            public static let order = Self { $0.ignoresOrder = true }
            /// The body.
            public static let body = Self { $0.ignoresBody = true }
            /// The number of exchanges with the same request: the last one answers all further requests.
            public static let count = Self { $0.ignoresCount = true }

            /// The query items with these names.
            public static func queryItems(_ names: String...) -> Self {
                Self { $0.queryItems.formUnion(names) }
            }

            /// The members with these names, anywhere in a JSON body, and the fields of a form.
            public static func members(_ names: String...) -> Self { Self { $0.members.formUnion(names) } }
        }

        var ignoresHost = false
        private var ignoresQuery = false
        private var ignoresOrder = false
        private(set) var ignoresBody = false
        private(set) var ignoresCount = false
        private(set) var headers: [HTTPHeaders.Name] = []
        /// The names of the values that replies echo.
        private var echoed: Set<String> = []
        private var queryItems: Set<String> = []
        private var members: Set<String> = []

        /// The method, the URL and the body must be equal, and exchanges with the same request answer in turn. Header
        /// fields are not compared.
        public static let exact = Self()

        /// All but the given parts must be equal.
        public static func ignoring(_ parts: Part...) -> Self { exact.ignoring(parts) }

        /// Ignores further parts.
        public func ignoring(_ parts: Part...) -> Self { ignoring(parts) }

        private func ignoring(_ parts: [Part]) -> Self { parts.reduce(into: self) { $1.ignore(&$0) } }

        /// The method, the URL, the body and these header fields must be equal.
        public static func comparing(headers names: HTTPHeaders.Name...) -> Self {
            exact.changed { $0.headers += names }
        }

        /// Compares header fields, too.
        public func comparing(headers names: HTTPHeaders.Name...) -> Self { changed { $0.headers += names } }

        /// Ignores the query items, form fields and JSON members with these names, such as a nonce. Where a recorded reply
        /// contains the recorded value, the replay contains that of the request.
        public static func echoing(_ names: String...) -> Self { exact.echoing(names) }

        /// Ignores further values, and echoes them.
        public func echoing(_ names: String...) -> Self { echoing(names) }

        private func echoing(_ names: [String]) -> Self {
            changed { copy in
                copy.echoed.formUnion(names)
                copy.queryItems.formUnion(names)
                copy.members.formUnion(names)
            }
        }

        /// Returns the values of a request that replies echo, by their names.
        func echoedValues(of request: Request) -> [String: String] {
            guard !echoed.isEmpty else { return [:] }
            let body = (try? JSONLiteral(parsing: request.body)).map { members(of: $0) } ?? []
            let form = body.isEmpty ? String(decoding: request.body, as: UTF8.self) : ""
            let items = Array(QueryItems(of: request.url)) + Array(QueryItems(percentEncoded: form))
            let values = (items.map { ($0.name, $0.value ?? "") } + body).filter {
                echoed.contains($0.0) && !$0.1.isEmpty
            }
            return Dictionary(values, uniquingKeysWith: { first, _ in first })
        }

        private func members(of json: JSONLiteral) -> [(String, String)] {
            switch json.node {
            case .object(let object): object.flatMap { [($0.key, $0.value.text)] + members(of: $0.value) }
            case .array(let elements): elements.flatMap { members(of: $0) }
            default: []
            }
        }

        // MARK: Normal forms

        /// Returns the parts of a percent-encoded query that are compared.
        func normalized(query: String) -> String? {
            guard !ignoresQuery else { return nil }
            let rest = normalized(items: query, without: queryItems)
            // A query of which all items are ignored is none.
            return rest.isEmpty && !queryItems.isEmpty ? nil : rest
        }

        func normalized(form: String) -> String { normalized(items: form, without: members) }

        private func normalized(items text: String, without names: Set<String>) -> String {
            guard ignoresOrder || !names.isEmpty else { return text }
            let items = text.split(separator: "&").filter { item in
                !names.contains(QueryItems.decoded(item.prefix { $0 != "=" }))
            }
            return (ignoresOrder ? items.sorted() : items).joined(separator: "&")
        }

        func normalized(json: JSONLiteral) -> JSONLiteral {
            guard !members.isEmpty else { return json }
            switch json.node {
            case .object(let object):
                let rest = object.filter { !members.contains($0.key) }
                return JSONLiteral(.object(rest.map { ($0.key, normalized(json: $0.value)) }))
            case .array(let elements): return JSONLiteral(.array(elements.map { normalized(json: $0) }))
            default: return json
            }
        }
    }
}
