/// A URLProtocol class that works with session managers: its load continues when a suspended task resumes.
package protocol ManagedProtocol: AnyObject {
    /// Tells the class the clock of a manager that uses it. Returns what must live as long as the manager, or `nil`.
    static func join(_ clock: any Clock<Duration>) -> (any AnyObject & Sendable)?
}
