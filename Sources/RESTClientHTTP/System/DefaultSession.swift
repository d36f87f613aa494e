// `URLSessionConfiguration` is a type of Foundation on Apple platforms only, where the interface needs the import.
#if canImport(FoundationNetworking)
import Foundation
#else
package import Foundation
#endif

/// The session of the current task for code to which no session is passed. Set by tests only.
///
/// The client and the mock do not know each other: the mock provides a configuration, the client creates the manager.
package final class DefaultSession: Sendable {
    @TaskLocal package static var current: DefaultSession?

    private let configuration: URLSessionConfiguration
    private let manager: LockedState<(any AnyObject & Sendable)?>

    package init(_ configuration: URLSessionConfiguration) {
        self.configuration = configuration
        manager = LockedState(nil)
    }

    package init(_ manager: some AnyObject & Sendable) {
        configuration = .ephemeral
        self.manager = LockedState(manager)
    }

    /// Returns the manager of this session, which is created once.
    package func manager<Manager: AnyObject & Sendable>(
        _ make: (URLSessionConfiguration) -> Manager
    ) -> Manager? {
        if let manager = manager.withLock({ $0 }) { return manager as? Manager }
        // Not created under the lock, because `make` is unknown code. Another task may be first.
        let created = make(configuration)
        return manager.withLock { manager -> (any AnyObject & Sendable)? in
            if manager == nil { manager = created }
            return manager
        } as? Manager
    }
}
