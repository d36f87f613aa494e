/// Properties of an element that the scanner found while it checked the element. A property that is missing is unknown.
public struct ElementTraits: OptionSet, Sendable {
    /// The properties as bits.
    public let rawValue: UInt8

    /// Creates a set from its bits.
    @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// No character is unsafe to display, not even one that is written as an escape (``TerminalEscaping/isUnsafe(_:)``).
    @inlinable public static var isDisplayable: Self { Self(rawValue: 1) }
    /// No string contains an escape.
    @inlinable public static var hasNoEscapes: Self { Self(rawValue: 2) }
    /// There is no whitespace between the tokens.
    @inlinable public static var isCompact: Self { Self(rawValue: 4) }
    /// All of these: the text of a string is the bytes between its quotes.
    @inlinable public static var plain: Self { Self(rawValue: 7) }
}
