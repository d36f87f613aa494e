/// Receives the tokens of a value from a `ValueReader`.
///
/// `depth` is the number of containers around a token. A token that continues in the next chunk is not passed: the tokens of
/// a value that can be cut are read again when it is whole.
@usableFromInline package protocol TokenVisitor {
    /// A key with its quotes.
    mutating func readKey(_ key: Range<Int>, _ kind: TextKind, of bytes: RawSpan, depth: Int)
    /// A string with its quotes, a number or a literal, which begins with `first`.
    mutating func readScalar(
        _ scalar: Range<Int>, _ first: UInt8, _ kind: TextKind, of bytes: RawSpan, depth: Int)
    /// The start of an object or a list.
    mutating func open(_ bracket: UInt8, at index: Int, depth: Int)
    /// The end of an object or a list.
    mutating func close(at end: Int, depth: Int)

    /// White space between two tokens, or a part of it.
    mutating func skipSpace(_ space: Range<Int>, of bytes: RawSpan)
    /// Returns the index after the colon of a key at `index`, without another check, if the visitor knows the key.
    mutating func skipKnownKey(
        at index: Int, of bytes: RawSpan, depth: Int, _ traits: inout ElementTraits
    ) -> Int?
    /// `true` if the tokens after a value are not needed.
    var isFinished: Bool { get }
}

extension TokenVisitor {
    @inlinable @inline(__always) package mutating func skipSpace(_ space: Range<Int>, of bytes: RawSpan) {}
    @inlinable @inline(__always) package mutating func skipKnownKey(
        at index: Int, of bytes: RawSpan, depth: Int, _ traits: inout ElementTraits
    ) -> Int? { nil }
    @inlinable @inline(__always) package var isFinished: Bool { false }
}

/// Uses no tokens.
struct NoVisitor: TokenVisitor {
    func readKey(_ key: Range<Int>, _ kind: TextKind, of bytes: RawSpan, depth: Int) {}
    func readScalar(
        _ scalar: Range<Int>, _ first: UInt8, _ kind: TextKind, of bytes: RawSpan, depth: Int
    ) {}
    func open(_ bracket: UInt8, at index: Int, depth: Int) {}
    func close(at end: Int, depth: Int) {}
}
