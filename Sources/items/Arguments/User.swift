/// A user name, and a password unless it has to be asked for.
struct User: Equatable, Sendable {
    var name: String
    var password: String?
}
