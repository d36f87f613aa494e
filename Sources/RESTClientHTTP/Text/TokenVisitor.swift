/// Receives the tokens of a value from a `ValueReader`.
///
/// `depth` is the number of containers around a token. A visitor that does not use a token has no function for it.
///
/// A token that continues in the next chunk, or is not valid, is passed as its parts: where it is cut, and where it ends.
@usableFromInline package protocol TokenVisitor {
    /// A key with its quotes.
    mutating func readKey(_ key: Range<Int>, _ kind: TextKind, of bytes: RawSpan, depth: Int)
    /// A string with its quotes, a number or a literal, which begins with `first`.
    mutating func readScalar(
        _ scalar: Range<Int>, _ first: UInt8, _ kind: TextKind, of bytes: RawSpan, depth: Int)
    /// The start of an object or a list.
    mutating func open(_ bracket: UInt8, at index: Int, depth: Int)
    /// The end of an object or a list.
    mutating func close(at end: Int, of bytes: RawSpan, depth: Int)
    /// White space between two tokens, or a part of it.
    mutating func skipSpace(_ space: Range<Int>, of bytes: RawSpan)
    /// The start of a key or scalar that is not complete.
    mutating func cut(_ bytes: RawSpan, at start: Int, isKey: Bool, depth: Int)
    /// The end of a key or scalar that was cut.
    mutating func endCut(at end: Int, isKey: Bool, of bytes: RawSpan, depth: Int)

    /// Returns the index after the colon of a key at `index`, without another check, if the visitor knows the key.
    mutating func skipKnownKey(
        at index: Int, of bytes: RawSpan, depth: Int, _ traits: inout ElementTraits
    ) -> Int?
    /// `true` to stop after this token.
    var isFinished: Bool { get }
}

extension TokenVisitor {
    @inlinable @inline(__always)
    package mutating func readKey(_ key: Range<Int>, _ kind: TextKind, of bytes: RawSpan, depth: Int) {}
    @inlinable @inline(__always) package mutating func readScalar(
        _ scalar: Range<Int>, _ first: UInt8, _ kind: TextKind, of bytes: RawSpan, depth: Int
    ) {}
    @inlinable @inline(__always)
    package mutating func open(_ bracket: UInt8, at index: Int, depth: Int) {}
    @inlinable @inline(__always)
    package mutating func close(at end: Int, of bytes: RawSpan, depth: Int) {}
    @inlinable @inline(__always)
    package mutating func skipSpace(_ space: Range<Int>, of bytes: RawSpan) {}
    @inlinable @inline(__always)
    package mutating func cut(_ bytes: RawSpan, at start: Int, isKey: Bool, depth: Int) {}
    @inlinable @inline(__always)
    package mutating func endCut(at end: Int, isKey: Bool, of bytes: RawSpan, depth: Int) {}
    @inlinable @inline(__always) package mutating func skipKnownKey(
        at index: Int, of bytes: RawSpan, depth: Int, _ traits: inout ElementTraits
    ) -> Int? { nil }
    @inlinable @inline(__always) package var isFinished: Bool { false }
}
