/// A URLProtocol class that works with session managers: it is told their clocks, and its load continues when a suspended task
/// resumes.
package protocol ManagedProtocol: AnyObject {
    static func willBeUsed(by clock: any Clock<Duration>)
}
