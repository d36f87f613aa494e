/// A set of words, written as a text.
struct Words: ExpressibleByStringLiteral, Equatable {
    private let words: Set<String>

    private init(_ words: Set<String>) { self.words = words }
    init(stringLiteral text: String) { words = Set(PaginationNames.list(text)) }

    func contains(_ word: String) -> Bool { words.contains(word) }
    func contains(where condition: (String) -> Bool) -> Bool { words.contains(where: condition) }
    func union(_ other: Self) -> Self { Self(words.union(other.words)) }
}

extension String.UTF8View {
    /// Returns the first range with the bytes of `text`. The search compares bytes, which is much faster than
    /// `String.firstRange(of:)`, and the same for names in ASCII.
    func range(of text: String) -> Range<Index>? {
        let text = text.utf8
        guard let first = text.first else { return nil }
        var start = startIndex
        while let found = self[start...].firstIndex(of: first) {
            let rest = self[found...].prefix(text.count)
            guard rest.count == text.count else { return nil }
            if rest.elementsEqual(text) { return found..<rest.endIndex }
            start = index(after: found)
        }
        return nil
    }
}
