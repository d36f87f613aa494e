import Foundation
import RESTClientHTTP

/// Finds the elements of a list in a JSON document that arrives in chunks (RFC 8259, strict).
///
/// ```swift
/// var scanner = ListScanner(at: "data.results")
/// for try await chunk in response.body {
///     try scanner.scan(chunk.bytes) { element in print(ListScanner.string(element) ?? "not a string") }
/// }
/// let total = try scanner.finish().integer("total")
/// ```
///
/// The whole document is checked, not only the list: UTF-8, escapes, numbers, nesting, duplicates of the list, and
/// text after the end. A byte order mark and `)]}'` at the start are skipped. Memory is bounded: the scanner keeps
/// only an element that continues in the next chunk, up to `maxItemBytes`, and up to 64 KB of the members around the list.
///
/// An invalid document is reported as a ``Failure``. After a failure, and after an error of the closure, each further
/// call throws.
public struct ListScanner: ~Copyable {
    private var parser: PathParser
    private var prefix = PrefixSniffer()
    private var failure: Failure?
    /// A failure that needs more of the text for its description.
    private var pendingFailure: Failure?
    /// The place of the elements in the text.
    public enum Layout: Sendable {
        /// The list at the path.
        case path
        /// The list at the path, or the document if it is a list itself.
        case pathOrDocument
        /// All values of the text: JSON Lines, or a JSON text sequence (RFC 7464). The path is not used. A number at the
        /// end of the text is complete with a line break after it, or, in JSON Lines, with ``ListScanner/endSequence(_:)``.
        case sequence
        /// The members of the object at the path. An element is the text of a member: its key, a colon and its value.
        case members
    }

    /// Creates a scanner of the list at `path`.
    ///
    /// - Parameters:
    ///   - path: The path of the list; `.root` if the document is the list.
    ///   - layout: The place of the elements. Defaults to the list at the path.
    ///   - maxItemBytes: The maximum size of an element in bytes. Defaults to 16 MB.
    ///   - maxDepth: The maximum nesting of lists and objects, including the outermost. Defaults to 512.
    public init(
        at path: MemberPath = "items", layout: Layout = .path, maxItemBytes: Int = 16 << 20,
        maxDepth: Int = 512
    ) {
        parser = PathParser(
            to: layout == .sequence ? .root : path, layout, maxItemBytes: maxItemBytes, maxDepth: maxDepth)
    }

    /// Calls `element` with the bytes of each element that ends in `chunk`.
    ///
    /// An element is any JSON value, without the whitespace around it. A number ends at the byte after it. The bytes
    /// are those of the chunk; only an element that began in an earlier chunk is copied.
    ///
    /// - Throws: A ``Failure``, or the error of `element`.
    public mutating func scan(_ chunk: RawSpan, _ element: (RawSpan) throws -> Void) throws {
        try read(chunk) { bytes, token, _ in try element(bytes.extracting(token.range)) }
    }

    /// Calls `element` with the bytes of each element that ends in `chunk`, what is known about its content, and its parts.
    ///
    /// The parts are found in the same pass. Those of this element only are already known.
    @inline(__always) public mutating func scanParts(
        _ parts: ElementMembers.Parts = .members, of chunk: RawSpan,
        _ element: (RawSpan, ElementTraits, inout ElementMembers) throws -> Void
    ) throws {
        parser.parts = parts
        try read(chunk) { bytes, token, members in
            try element(bytes.extracting(token.range), token.traits, &members)
        }
    }

    /// Ends the text of a sequence, and calls `element` with the number at its end, which can lack the line break after it.
    ///
    /// Has no effect if the text does not end with a number, is not a sequence, or has record separators: a number without white
    /// space after it can then be cut (RFC 7464, section 2.4). Call ``finish()`` after it.
    ///
    /// - Throws: A ``Failure``, or the error of `element`.
    public mutating func endSequence(_ element: (RawSpan) throws -> Void) throws {
        guard isAtNumberOfSequence else { return }
        let lineBreak = [UInt8(ascii: "\n")]
        try scan(ArraySlice(lineBreak).span.bytes, element)
    }

    /// `true` if the text so far is JSON Lines that end with a number. More digits can follow.
    var isAtNumberOfSequence: Bool {
        parser.layout == .sequence && !parser.hasRecordSeparators && parser.phase == .elementText
            && parser.reader.isWholeNumber
    }

    /// `true` to look for the members of elements.
    var findsMembers: Bool {
        get { parser.parts == .members }
        set { parser.parts = newValue ? .members : .none }
    }

    /// The number of elements found so far.
    var itemCount: Int { parser.itemCount }

    /// The members around the list, as soon as the document has ended. The text after it may still be invalid.
    var envelope: Envelope? {
        guard failure == nil, pendingFailure == nil, parser.phase == .end else { return nil }
        return try? parser.finish()
    }

    /// Calls `element` with the place of each element that ends in `chunk`.
    mutating func read(_ chunk: RawSpan, _ element: PathParser.ElementBody) throws {
        if let failure { throw failure }
        prefix.add(chunk)
        if pendingFailure == nil {
            do {
                try parser.read(chunk, element)
            } catch let error as PathParser.InvalidDocument {
                guard prefix.canExplain(error.failure) else { throw end(with: error.failure) }
                pendingFailure = error.failure
            } catch {
                failure = parser.failure(.incomplete)
                throw error
            }
        }
        if let pendingFailure, prefix.isFull { throw end(with: prefix.completed(pendingFailure)) }
    }

    /// Ends the document, and returns the small members around the list.
    ///
    /// - Throws: A ``Failure`` if the document is not complete.
    public consuming func finish() throws -> Envelope {
        if let failure { throw failure }
        if let pendingFailure { throw prefix.completed(pendingFailure) }
        return try parser.finish()
    }

    private mutating func end(with failure: Failure) -> Failure {
        self.failure = failure
        return failure
    }
}

extension ListScanner {
    /// An invalid document, and the position of the error.
    public struct Failure: Error, Hashable, Sendable {
        /// The reason of a failure.
        public enum Reason: Hashable, Sendable {
            /// The text is not JSON. `found` is its start, at most 40 characters, and empty for an empty text. `isHTML` is
            /// `true` if it starts like an HTML page.
            case notJSON(found: String, isHTML: Bool = false)
            /// The JSON is invalid at `Failure.offset`, for the given reason.
            case malformed(JSONSyntaxError)
            /// The JSON is valid, but there is no list at the path.
            ///
            /// `path` is the position of the mismatch, where a list or, on the path to it, an object is expected.
            /// `found` is the kind of the value or, if the member is missing, the keys of the object. `lists` are the
            /// paths of other lists, which a message can suggest; those of objects are first.
            case wrongShape(
                path: MemberPath, expected: ExpectedJSON, found: FoundJSON,
                lists: [MemberPath])
            /// The text ended before the document was complete.
            case incomplete
            /// An element is larger than `limit` bytes.
            case itemTooLarge(limit: Int)
        }

        /// The reason.
        public var reason: Reason
        /// The byte offset of the error, from 0.
        public var offset: Int64
        /// The position in the document, such as `$.items[4102]`. It can contain keys that were sent by a server.
        public var path: String
        /// The number of elements before the error.
        public var itemCount: Int
        /// `true` if the position is in an element, or where one can start.
        public var isAtElement = false
    }
}

extension ListScanner.Failure: CustomStringConvertible {
    /// The reason and the position on one line, safe to show. It follows the name of the document and a verb, such as "the
    /// response is"; an incomplete document and a wrong shape are whole sentences.
    public var description: String {
        let place = "at byte \(offset.groupedText) (\(TerminalEscaping.escaped(path, limit: 80)))"
        switch reason {
        case .notJSON(let found, let isHTML):
            guard !found.isEmpty else { return "empty, not JSON" }
            return "\(isHTML ? "HTML, " : "")not JSON (starts \(TerminalEscaping.quoted(found, limit: 40)))"
        case .malformed(.tooDeep(let limit)): return "nested more than \(limit) levels deep \(place)"
        case .malformed(.encoding(let name)): return "\(name), not UTF-8"
        case .malformed(let error):
            return "not valid JSON \(place): \(TerminalEscaping.escaped("\(error)", limit: 200))"
        case .wrongShape(let path, let expected, let found, let lists):
            let others =
                lists.isEmpty ? "" : "; lists are at \(lists.map { "\"\($0)\"" }.joined(separator: ", "))"
            return TerminalEscaping.escaped("expected \(expected) at \"\(path)\", found \(found)\(others)")
        case .incomplete: return "the JSON ends early, \(place)"
        case .itemTooLarge(let limit): return "an item of more than \(limit) bytes \(place)"
        }
    }
}

/// Keeps the first bytes of a document, to describe a text that is not JSON.
struct PrefixSniffer {
    private static let characters = 40
    /// The maximum size of these characters in UTF-8.
    private static let bytes = 160

    /// The first four bytes, which identify the encoding.
    private var first: [UInt8] = []
    /// The first bytes after leading whitespace.
    private var text: [UInt8] = []

    var isFull: Bool { text.count == Self.bytes }

    mutating func add(_ bytes: RawSpan) {
        guard !isFull else { return }
        let missing = min(4 - first.count, bytes.byteCount)
        if missing > 0 { first.append(bytes.extracting(0..<missing)) }
        let start = text.isEmpty ? bytes.endOfWhitespace(from: 0) : 0
        text.append(bytes.extracting(start..<min(bytes.byteCount, start + Self.bytes - text.count)))
    }

    /// Returns `true` if the first bytes can give a better reason for `failure`.
    func canExplain(_ failure: ListScanner.Failure) -> Bool {
        switch failure.reason {
        case .notJSON: true
        case .malformed: first.contains(0)
        default: false
        }
    }

    /// Returns `failure` with the reason that follows from the first bytes.
    func completed(_ failure: ListScanner.Failure) -> ListScanner.Failure {
        var failure = failure
        if let encoding {
            failure.reason = .malformed(.encoding(encoding))
        } else if case .notJSON = failure.reason {
            let start = found.lowercased()
            let isHTML = start.hasPrefix("<!doctype html") || start.hasPrefix("<html")
            failure.reason = .notJSON(found: found, isHTML: isHTML)
        }
        return failure
    }

    private var found: String {
        let hasMark = text.starts(with: [0xEF, 0xBB, 0xBF])
        let rest = text.dropFirst(hasMark ? 3 : 0).drop(while: Byte.isWhitespace)
        return String(String(decoding: rest, as: UTF8.self).prefix(Self.characters))
    }

    /// The encoding, if it is UTF-16 or UTF-32. It is detected by the byte order mark, or by the position of the zero
    /// bytes in the first ASCII characters.
    private var encoding: String? {
        guard first.count >= 2 else { return nil }
        let (a, b) = (first[0], first[1])
        let isWide = first.count == 4
        switch (a, b) {
        case (0, 0): return isWide ? "UTF-32BE" : nil
        case (0xFE, 0xFF), (0, _): return "UTF-16BE"
        case (0xFF, 0xFE), (_, 0): return isWide && first[2] == 0 && first[3] == 0 ? "UTF-32LE" : "UTF-16LE"
        default: return nil
        }
    }
}
