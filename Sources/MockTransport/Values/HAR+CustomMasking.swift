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
    public struct Masking: Sendable, Modifiable {
        private var rule = SecretRule.standard
        private var requestChanges: [@Sendable (inout Request) -> Void] = []
        private var responseChanges: [@Sendable (inout Response) -> Void] = []

        /// The values with the names of secrets only; see <doc:Recording>.
        public static let standard = Self()

        /// Masks these header fields, too.
        public func headers(_ names: HTTPHeaders.Name...) -> Self {
            changed { $0.rule.headers.formUnion(names) }
        }

        /// Masks these header fields, too.
        public static func headers(_ names: HTTPHeaders.Name...) -> Self {
            standard.changed { $0.rule.headers.formUnion(names) }
        }

        /// Masks the JSON members, query items and form fields with these names, too, also in URLs in header fields and JSON.
        public func members(_ names: String...) -> Self { changed { $0.rule.members.formUnion(names) } }

        /// Masks the JSON members, query items and form fields with these names, too, also in URLs in header fields and JSON.
        public static func members(_ names: String...) -> Self {
            standard.changed { $0.rule.members.formUnion(names) }
        }

        /// Changes each request before it is written, and before it is compared with recorded requests.
        ///
        /// Exchanges that a cassette already contains are changed again when it is written, so the change must have no
        /// effect on a request that it has changed before.
        public func transformRequests(_ change: @escaping @Sendable (inout Request) -> Void) -> Self {
            changed { $0.requestChanges.append(change) }
        }

        /// Changes each response before it is written.
        ///
        /// Exchanges that a cassette already contains are changed again when it is written, so the change must have no
        /// effect on a response that it has changed before.
        public func transformResponses(_ change: @escaping @Sendable (inout Response) -> Void) -> Self {
            changed { $0.responseChanges.append(change) }
        }

        /// `true` if no custom value of a request is masked.
        var isStandard: Bool { rule.headers.isEmpty && rule.members.isEmpty && requestChanges.isEmpty }

        /// `true` if a closure can change any part of a request.
        var changesRequests: Bool { !requestChanges.isEmpty }

        // MARK: Applying

        /// Returns the request with its secrets and custom values masked, and these values.
        func masked(_ request: Request) -> (request: Request, values: Set<String>) {
            var (request, scrubber) = (request, SecretScrubber(rule))
            for change in requestChanges { change(&request) }
            request.mask(by: &scrubber)
            return (request, scrubber.collected)
        }

        /// Returns the entry with its secrets and custom values masked, and these values.
        func masked(_ entry: Entry) -> MaskedEntry {
            var (entry, scrubber) = (entry, SecretScrubber(rule))
            for change in requestChanges { change(&entry.request) }
            for change in responseChanges { change(&entry.response) }
            entry.mask(by: &scrubber)
            return MaskedEntry(entry: entry, secrets: scrubber.collected)
        }
    }
}

/// A value whose modifiers return a changed copy.
protocol Modifiable {}

extension Modifiable {
    func changed(_ change: (inout Self) -> Void) -> Self {
        var copy = self
        change(&copy)
        return copy
    }
}
