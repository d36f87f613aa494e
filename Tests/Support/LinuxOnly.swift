package import Testing

extension Trait where Self == ConditionTrait {
    /// Skips the test on Apple platforms, where it does not apply for the given reason.
    package static func linuxOnly(_ reason: Comment) -> Self { .enabled(if: isLinux, reason) }
}

// The condition is that of the Linux folders: whether URLSession is that of swift-corelibs-foundation.
#if canImport(FoundationNetworking)
private let isLinux = true
#else
private let isLinux = false
#endif
