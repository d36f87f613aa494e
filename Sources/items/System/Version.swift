/// The version of the package, as in `items --version` and the `User-Agent` header.
enum Version {
    static let current = "1.0.0"
    /// The date of the manual page, and of the version in the CHANGELOG when it is tagged.
    static let date = "2026-11-21"
}
