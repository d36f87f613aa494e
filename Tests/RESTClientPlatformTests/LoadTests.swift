// Tests of the engine for Linux, where URLSession is built on libcurl. Apple platforms need none.
#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
import RESTClientHTTP
import RESTClientTestSupport
import RESTClientTestingSupport
import Testing

@testable import RESTClientPlatform

/// The loads of tasks.
@Suite(.hangLimit) struct LoadTests {
    @Test func `a task does not take the load of a released task that had the same address`() async throws {
        let server = try RawServer.serving { connection in
            while !connection.readRequest().isEmpty {
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\ntea")
            }
        }
        let url = try server.url("/")
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = PlatformSession.protocolClasses
        let session = URLSession(configuration: configuration)
        let old = Load(url, pool: ConnectionPool(maxConnectionsPerHost: 1)) { throw URLError(.cancelled) }
        let data: Data? = await withCheckedContinuation { continuation in
            let task = session.dataTask(with: url) { data, _, _ in continuation.resume(returning: data) }
            Load.loads.withLock { $0[ObjectIdentifier(task)] = Load.Weak(load: old) }
            task.resume()
        }
        #expect(data == Data("tea".utf8))
        withExtendedLifetime(old) {}
    }

    @Test func `a load that was cancelled takes no more bytes`() {
        let load = Load(nil, pool: ConnectionPool(maxConnectionsPerHost: 1)) { throw URLError(.cancelled) }
        let bytes: [UInt8] = [7]
        #expect(bytes.withUnsafeBytes { load.transferDidReceive($0) })
        load.cancel()
        #expect(!bytes.withUnsafeBytes { load.transferDidReceive($0) })
    }
}
#endif
