import RESTClientHTTP

/// The sessions of users in which a request, or a list of pages, first needed the credential of a store.
final class UserSessions: Sendable {
    /// The origin of the list, or `nil` for a single request. The server chooses its further pages, so that no host of
    /// theirs is looked up in a netrc file.
    let origin: Origin?
    private let first = LockedState<[ObjectIdentifier: Int]>([:])

    init(ofListAt origin: Origin? = nil) { self.origin = origin }

    /// Returns the session of the first call for `store`, which is `current` now.
    func first(of store: AnyObject, current: Int) -> Int {
        first.withLock { first in
            let session = first[ObjectIdentifier(store)] ?? current
            first[ObjectIdentifier(store)] = session
            return session
        }
    }
}
