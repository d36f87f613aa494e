/// A URLProtocol class that is told the clocks of the session managers that use it.
package protocol ClockObserver: AnyObject {
    static func willBeUsed(by clock: any Clock<Duration>)
}
