/// The version of the package, as `items --version` and the `User-Agent` say it.
enum Version {
    static let current = "1.0.0"
    /// When the manual page was last changed.
    static let date = "2026-11-21"
}
