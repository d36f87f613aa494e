package import Testing

extension Trait where Self == ConditionTrait {
    /// Skips the test on Apple platforms, where it does not apply for the given reason.
    package static func linuxOnly(_ reason: Comment) -> Self { .enabled(if: isLinux, reason) }
}

/// A row of a table of arguments, which a test may skip on Apple platforms.
package protocol PlatformRow {
    /// The reason why the row does not apply on Apple platforms, or `nil` if it does.
    var linuxReason: String? { get set }
}

extension PlatformRow {
    /// Returns the row with the reason why it does not apply on Apple platforms.
    package func linuxOnly(_ reason: String) -> Self {
        var row = self
        row.linuxReason = reason
        return row
    }

    /// `false` if the test must skip the row.
    package var isApplicable: Bool { isLinux || linuxReason == nil }
}

// The condition is that of the Linux folders: whether URLSession is that of swift-corelibs-foundation.
#if canImport(FoundationNetworking)
private let isLinux = true
#else
private let isLinux = false
#endif
