/// The version of the package, as `items --version` and the `User-Agent` say it.
enum Version {
    static let current = "0.1.0"
}
