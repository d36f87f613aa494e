import RESTClientHTTP

extension ListScanner {
    /// What is wrong with a document, and where.
    public struct Failure: Error, Hashable, Sendable {
        /// What is wrong.
        public enum Reason: Hashable, Sendable {
            /// No JSON at all; `found` is how the text starts, 40 characters at most, and empty where there is none.
            case notJSON(found: String)
            /// JSON up to `Failure.offset`, and why not further.
            case malformed(JSONSyntaxError)
            /// JSON, but no list where one should be.
            ///
            /// `path` is the place where `expected` should be, a list or, on the path to it, an object. `found` is the kind
            /// of value found instead or, if the member is missing, the keys of the object around it. `lists` are the paths
            /// of other lists, to be suggested in a message.
            case wrongShape(
                path: MemberPath, expected: RESTClientError.ExpectedJSON, found: RESTClientError.FoundJSON,
                lists: [MemberPath])
            /// The text ended before the document did.
            case incomplete
            /// More lists and objects inside each other than `limit`.
            case tooDeep(limit: Int)
            /// An element of more than `limit` bytes.
            case itemTooLarge(limit: Int)
        }

        /// What is wrong.
        public var reason: Reason
        /// The byte at which it is wrong, counted from 0.
        public var offset: Int64
        /// Where in the document that is, such as `$.items[4102]`; it may hold what a server sent as a key.
        public var path: String
        /// The elements that were handed out before.
        public var items: Int

        package init(reason: Reason, offset: Int64, path: String, items: Int) {
            self.reason = reason
            self.offset = offset
            self.path = path
            self.items = items
        }
    }
}

extension ListScanner.Failure: CustomStringConvertible {
    /// What is wrong and where, on one line, with nothing in it that drives a terminal.
    public var description: String {
        let text =
            switch reason {
            case .notJSON(let found):
                found.isEmpty ? "no JSON: there is no text" : "no JSON: the text starts \"\(found)\""
            case .malformed(let error): "malformed JSON at byte \(offset) (\(path)): \(error)"
            case .wrongShape(let path, let expected, let found, let lists):
                "expected \(expected) at \"\(path)\", found \(found)"
                    + (lists.isEmpty
                        ? "" : "; lists are at \(lists.map { "\"\($0)\"" }.joined(separator: ", "))")
            case .incomplete: "the JSON ends early, at byte \(offset) (\(path))"
            case .tooDeep(let limit): "more than \(limit) levels of nesting at byte \(offset) (\(path))"
            case .itemTooLarge(let limit): "an item of more than \(limit) bytes at byte \(offset) (\(path))"
            }
        return String(
            String.UnicodeScalarView(text.unicodeScalars.map { Self.isHarmless($0) ? $0 : "\u{FFFD}" }))
    }

    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
        default: true
        }
    }
}
