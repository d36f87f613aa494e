import Foundation

/// The path of a URL pattern, segment by segment.
struct PathPattern: Sendable {
    private enum Segment: Sendable {
        case literal(String)
        case capture(String, Form)
        case glob(String)
        case any
    }

    /// What a capture must be readable as.
    private enum Form: Sendable { case text, int, uuid }

    let text: String
    private let segments: [Segment]
    private let isLiteral: Bool

    init(_ text: String) {
        self.text = text
        segments = Self.split(text).map { part in
            if part == "**" { return .any }
            if part.hasPrefix(":"), part.count > 1 {
                let name = part.dropFirst()
                if let open = name.firstIndex(of: "<"), name.hasSuffix(">") {
                    let form = name[name.index(after: open)...].dropLast().lowercased()
                    return .capture(
                        String(name[..<open]), form == "int" ? .int : form == "uuid" ? .uuid : .text)
                }
                return .capture(String(name), .text)
            }
            if part.contains("*") { return .glob(String(part)) }
            return .literal(Self.decoded(part))
        }
        isLiteral = segments.allSatisfy { if case .literal = $0 { true } else { false } }
    }

    var condition: Condition {
        Condition(field: "path", expected: text, weight: weight) { request in
            // Most routes name one path, and most requests spell it the same way.
            if isLiteral, request.path == text { return .match() }
            guard let captures = captures(of: Self.split(request.path)) else {
                let shown = request.path.isEmpty ? "/" : request.path
                return .mismatch(found: shown, hint: EditDistance.hint(expected: text, found: shown))
            }
            return .match(captures: captures)
        }
    }

    private var weight: Int {
        segments.reduce(0) { sum, segment in
            switch segment {
            case .literal: sum + 4
            case .capture(_, .int), .capture(_, .uuid): sum + 3
            case .capture, .glob: sum + 2
            case .any: sum
            }
        }
    }

    /// `/a/b` is `a`, `b`; a slash at the end is an empty segment of its own; nothing at all is `/`.
    private static func split(_ path: String) -> [Substring] {
        let path = path.hasPrefix("/") ? path.dropFirst() : path[...]
        return path.split(separator: "/", omittingEmptySubsequences: false)
    }

    private static func decoded(_ part: Substring) -> String {
        part.utf8.contains(UInt8(ascii: "%")) ? part.removingPercentEncoding ?? String(part) : String(part)
    }

    /// What the segments captured, or `nil` where they do not match.
    ///
    /// Only the last `**` ever needs to take in more: what an earlier one would take, a later one takes as well. So
    /// no path, however long, costs more than its length times that of the pattern.
    private func captures(of parts: [Substring]) -> [String: String]? {
        var captures: [String: String] = [:]
        var segment = 0
        var part = 0
        /// The segment behind the last `**`, and the part at which it is tried next.
        var retry: (segment: Int, part: Int)?
        while segment < segments.count || part < parts.count {
            if segment < segments.count, case .any = segments[segment] {
                segment += 1
                if segment == segments.count { return captures }
                retry = (segment, part + 1)
            } else if segment < segments.count, part < parts.count,
                Self.takes(Self.decoded(parts[part]), segments[segment], &captures)
            {
                segment += 1
                part += 1
            } else if let again = retry, again.part <= parts.count {
                (segment, part) = again
                retry?.part += 1
            } else {
                return nil
            }
        }
        return captures
    }

    private static func takes(
        _ part: String, _ segment: Segment, _ captures: inout [String: String]
    ) -> Bool {
        switch segment {
        case .literal(let literal):
            return part == literal
        case .capture(let name, let form):
            guard !part.isEmpty, has(part, form) else { return false }
            captures[name] = part
            return true
        case .glob(let glob):
            return !part.isEmpty && Glob.matches(part, glob)
        case .any:
            return true
        }
    }

    private static func has(_ part: String, _ form: Form) -> Bool {
        switch form {
        case .text: true
        case .int: Int(part) != nil
        case .uuid: UUID(uuidString: part) != nil
        }
    }
}

/// `*` stands for anything, the empty text included.
enum Glob {
    static func matches(_ text: String, _ pattern: String) -> Bool {
        let pieces = pattern.split(separator: "*", omittingEmptySubsequences: false)
        guard let first = pieces.first, let last = pieces.last, pieces.count > 1 else {
            return text == pattern
        }
        guard text.hasPrefix(first) else { return false }
        var rest = text.dropFirst(first.count)
        for piece in pieces.dropFirst().dropLast() where !piece.isEmpty {
            guard let range = rest.range(of: piece) else { return false }
            rest = rest[range.upperBound...]
        }
        return rest.hasSuffix(last)
    }
}
