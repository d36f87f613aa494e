import Foundation
import RESTClient

/// A random document, read by the scanner in one piece and in chunks, and by the reference reader.
package struct ScannerComparison {
    /// The kind of the result: `complete`, or the start of the failure.
    package let kind: String
    /// The first difference, or `nil`.
    package let difference: String?

    /// The number of kinds of documents that must occur.
    package static let kinds = 6

    package init(seed: UInt64) {
        var random = RandomDocuments(seed: seed)
        let path = random.path()
        var document = random.document(for: path)
        if seed % 3 > 0 { document = random.mutated(document) }
        let maxItemBytes = seed % 5 == 0 ? 24 : 1 << 20
        let maxDepth = seed % 7 == 0 ? 4 : 512

        let opinion = ReferenceReader.opinion(
            on: document, at: path, maxItemBytes: maxItemBytes, maxDepth: maxDepth)
        var problems: [String] = []
        let whole = Scan(document, at: path, maxItemBytes: maxItemBytes, maxDepth: maxDepth)
        let members = Scan(document, at: path, maxItemBytes: maxItemBytes, maxDepth: maxDepth) {
            problems += Self.problems(of: $0, $1, &$2)
        }
        let pieces = Scan(
            document, at: path, cuts: random.cuts(of: document.count), maxItemBytes: maxItemBytes,
            maxDepth: maxDepth
        ) { problems += Self.problems(of: $0, $1, &$2) }

        if whole.opinion != opinion { problems.insert("\(whole.opinion) instead of \(opinion)", at: 0) }
        if members != whole { problems.append("with members \(members) instead of \(whole)") }
        if pieces != whole { problems.append("in chunks \(pieces) instead of \(whole)") }
        kind = opinion.failure.map { String($0.prefix(8)) } ?? "complete"
        difference = problems.first.map {
            "seed \(seed), path \(path): \(String(decoding: document, as: UTF8.self)): \($0)"
        }
    }

    /// Compares what the scanner and its functions find in an element with the characters of the element.
    private static func problems(
        of element: RawSpan, _ traits: ElementTraits, _ found: inout ElementMembers
    ) -> [String] {
        let text = element.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        let expected = ReferenceElement(text)
        let utf8 = expected.string.map { Array(String(String.UnicodeScalarView($0)).utf8) }
        let unsafe = element.withUnsafeBytes { TerminalEscaping.firstUnsafe(in: $0) }
        let checks = [
            ("traits \(traits.rawValue)", traits.isSubset(of: expected.traits)),
            ("string", ListScanner.string(element).map { Array($0.utf8) } == utf8),
            ("unescaped bytes", ListScanner.utf8(of: element) == utf8),
            ("first unsafe index", unsafe?.index == expected.firstUnsafe?.index),
            ("first unsafe character", unsafe?.scalar == expected.firstUnsafe?.scalar),
            ("parts", parts(of: element, members: members(of: element)) == expected.parts),
            (
                "members",
                parts(of: element, members: ranges(of: found.members(of: element))) == expected.parts
            ),
            ("known members", parts(of: element, members: knownMembers(of: element)) == expected.parts),
        ]
        return checks.filter { !$0.1 }.map { "\($0.0) of \(text)" }
    }

    /// The keys and values of an object, or the elements of a list, as written.
    private static func parts(of element: RawSpan, members: [Range<Int>]) -> [String] {
        var ranges = members
        ListScanner.forEachElement(of: element) { ranges.append($0) }
        return element.withUnsafeBytes { bytes in
            ranges.map { String(decoding: bytes[$0], as: UTF8.self) }
        }
    }

    private static func members(of element: RawSpan) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        ListScanner.forEachMember(of: element) { ranges += [$0, $1] }
        return ranges
    }

    /// The members, found by the keys of the same object.
    private static func knownMembers(of element: RawSpan) -> [Range<Int>] {
        var members = ElementMembers()
        _ = members.members(of: element)
        return ranges(of: members.members(of: element))
    }

    private static func ranges(of members: [ElementMembers.Member]) -> [Range<Int>] {
        members.flatMap { [$0.key, $0.value] }
    }
}

extension Scan {
    fileprivate var opinion: ReferenceReader.Opinion {
        let text: String? = reason.map { reason in
            switch reason {
            case .notJSON: "not JSON"
            case .malformed(.tooDeep): "too deep"
            case .malformed: "malformed"
            case .wrongShape(let path, let expected, .keys(let keys), let lists) where !keys.isEmpty:
                "\(expected) at \(path), found \(keys.joined(separator: ", ")) keys \(keys) lists \(lists)"
            case .wrongShape(let path, let expected, let found, let lists):
                "\(expected) at \(path), found \(found) lists \(lists)"
            case .incomplete: "incomplete"
            case .itemTooLarge: "too large"
            }
        }
        return .init(elements: elements, envelope: envelope, failure: text, offset: failure?.offset)
    }
}
