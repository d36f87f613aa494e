/// A set of words, written as a text.
struct Words: ExpressibleByStringLiteral, Equatable {
    private let words: Set<String>

    private init(_ words: Set<String>) { self.words = words }
    init(stringLiteral text: String) { words = Set(PaginationNames.list(text)) }

    func contains(_ word: String) -> Bool { words.contains(word) }
    func contains(where condition: (String) -> Bool) -> Bool { words.contains(where: condition) }
    func union(_ other: Self) -> Self { Self(words.union(other.words)) }
}
