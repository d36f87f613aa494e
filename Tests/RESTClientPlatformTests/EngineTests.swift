// The engine for Linux, where URLSession is built on libcurl. Apple platforms need none.
#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
import RESTClientHTTP
import RESTClientTestingSupport
import Testing

@testable import RESTClientPlatform

@Suite(.hangLimit) struct EngineTests {
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

    @Test(arguments: [
        ("caFile", ConnectionOptions(caFile: "/dev/null")), ("caFolder", ConnectionOptions(caFolder: "/")),
        ("clientCertificate", ConnectionOptions(clientCertificate: "/dev/null")),
        ("pinnedPublicKeys", ConnectionOptions(pinnedPublicKeys: ["sha256//a="])),
        ("unixSocket", ConnectionOptions(unixSocket: "/a")), ("proxy", ConnectionOptions(proxy: "")),
        ("connectTimeout", ConnectionOptions(connectTimeout: .seconds(1))),
        ("usesHTTP1Only", ConnectionOptions(usesHTTP1Only: true)),
        ("ipVersion", ConnectionOptions(ipVersion: .v4)),
    ])
    func `an option that libcurl does not know is an error`(name: String, options: ConnectionOptions) throws {
        var curl = try #require(LibCurl.shared)
        (curl.setNumber, curl.setPointer) = ({ _, _, _ in 48 }, { _, _, _ in 48 })
        let handle = try #require(curl.easyInit())
        defer { curl.easyCleanup(handle) }
        let failure = #expect(throws: TransferFailure.self) { try options.apply(to: handle, curl) }
        #expect(failure?.text == "libcurl \(curl.version) does not support ConnectionOptions.\(name)")
        #expect(failure?.code == .badURL)
    }

    @Test func `the time to connect has no limit by default`() throws {
        var curl = try #require(LibCurl.shared)
        // Without a number, that of libcurl applies: 300 seconds.
        curl.setNumber = { _, option, value in option == 156 && value == Int(Int32.max) ? 48 : 0 }
        let handle = try #require(curl.easyInit())
        defer { curl.easyCleanup(handle) }
        let failure = #expect(throws: TransferFailure.self) {
            try ConnectionOptions().apply(to: handle, curl)
        }
        #expect(failure?.text.hasSuffix("ConnectionOptions.connectTimeout") == true)
    }

    @Test func `a result of libcurl without a message has a plain text`() throws {
        let curl = try #require(LibCurl.shared)
        #expect(TransferFailure(92, "a message", curl).text == "a message")
        #expect(TransferFailure(92, "", curl).text.hasPrefix("the server ended the HTTP/2 stream"))
        #expect(TransferFailure(92, "", curl).code == .networkConnectionLost)
        #expect(TransferFailure(56, "nghttp2_session_mem_recv() returned -905", curl).text.contains("HTTP/2"))
        #expect(TransferFailure(67, "", curl).text == "Login denied")
    }

    @Test func `a load that is released after its task leaves no entry`() async throws {
        let session = URLSession(configuration: .ephemeral)
        defer { session.invalidateAndCancel() }
        let identifier: ObjectIdentifier
        do {
            let load = Load(nil, pool: ConnectionPool(maxConnectionsPerHost: 1)) { throw URLError(.badURL) }
            weak var released: URLSessionTask?
            do {
                let task = session.dataTask(with: try #require(URL(string: "restclient-test:/")))
                (identifier, released) = (ObjectIdentifier(task), task)
                load.register(for: task)
                task.resume()
            }
            while released != nil { try await Task.sleep(for: .milliseconds(1)) }
            #expect(Load.loads.withLock { $0[identifier]?.load } === load)
        }
        // Another task of another test can have the same address now.
        #expect(Load.loads.withLock { $0[identifier].map { $0.load != nil } ?? true })
    }

    @Test func `without libcurl, an option is refused by its name`() {
        #expect(ConnectionOptions().refusalWithoutLibCurl == nil)
        #expect(
            ConnectionOptions(addresses: ["a:1:b"]).refusalWithoutLibCurl
                == "ConnectionOptions.addresses needs Linux with libcurl 7.68 or later")
    }
}
#endif
