// The engine for Linux, where URLSession is built on libcurl. Apple platforms need none.
#if canImport(FoundationNetworking)
import Foundation
import Testing

@testable import RESTClientPlatform

@Suite struct EngineTests {
    /// With the flag for an error alone, libcurl ends the transfer with "select/poll returned error".
    @Test(arguments: [POLLERR, POLLHUP, POLLNVAL, POLLIN | POLLERR])
    func `an error of a socket lets libcurl find its cause`(events: Int32) {
        #expect(Engine.mask(Int16(events)) == 3)
    }

    @Test func `the events of a socket are passed to libcurl`() {
        #expect(Engine.mask(Int16(POLLIN)) == 1)
        #expect(Engine.mask(Int16(POLLOUT)) == 2)
        #expect(Engine.mask(Int16(POLLIN | POLLOUT)) == 3)
    }
}
#endif
