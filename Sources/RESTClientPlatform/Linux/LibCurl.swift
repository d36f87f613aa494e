// A part of the engine, which sends requests where URLSession is that of swift-corelibs-foundation. On Apple platforms
// URLSession sends them, so there is no other arm.
#if canImport(FoundationNetworking)
import Foundation
import RESTClientHTTP

/// The functions of the libcurl that FoundationNetworking is linked with.
///
/// They are looked up in the process, so that neither a header nor a package is needed. The variadic functions are called
/// with fixed arguments, which are passed in the same way on Linux for x86_64 and arm64. The numbers of options, values and
/// results are part of libcurl's ABI.
struct LibCurl: Sendable {
    /// An easy handle, a multi handle, or a list of strings.
    typealias Handle = OpaquePointer

    /// The library, or `nil` if it is not found, as in a fully static program, or is older than 7.68.
    static let shared = try? LibCurl()

    let version: String
    /// `true` if the library reports that a connection is ready before it sends a request (7.80).
    let reportsConnections: Bool

    let easyInit: @convention(c) () -> Handle?
    let easyCleanup: @convention(c) (Handle) -> Void
    let easyPause: @convention(c) (Handle, Int32) -> Int32
    let multiInit: @convention(c) () -> Handle?
    let multiCleanup: @convention(c) (Handle) -> Int32
    let multiAdd: @convention(c) (Handle, Handle) -> Int32
    let multiRemove: @convention(c) (Handle, Handle) -> Int32
    let multiAction: @convention(c) (Handle, Int32, Int32, UnsafeMutablePointer<Int32>) -> Int32
    let multiRead: @convention(c) (Handle, UnsafeMutablePointer<Int32>) -> UnsafeRawPointer?
    let listAppend: @convention(c) (Handle?, UnsafePointer<CChar>) -> Handle?
    let listFree: @convention(c) (Handle?) -> Void
    var setNumber: @convention(c) (Handle, Int32, Int) -> Int32
    var setPointer: @convention(c) (Handle, Int32, UnsafeRawPointer?) -> Int32
    private let setMultiNumber: @convention(c) (Handle, Int32, Int) -> Int32
    private let setMultiPointer: @convention(c) (Handle, Int32, UnsafeRawPointer?) -> Int32
    private let getInfo: @convention(c) (Handle, Int32, UnsafeMutableRawPointer) -> Int32
    private let describe: @convention(c) (Int32) -> UnsafePointer<CChar>?
    /// The function of OpenSSL, if it is loaded.
    private let shutdownState: (@convention(c) (OpaquePointer) -> Int32)?
    /// The function of OpenSSL, if it is loaded.
    private let chosenProtocol: ChosenProtocol?

    private typealias ChosenProtocol =
        @convention(c) (
            OpaquePointer, UnsafeMutablePointer<UnsafePointer<UInt8>?>, UnsafeMutablePointer<UInt32>
        ) -> Void

    /// A message about a transfer that has ended (`CURLMsg`).
    struct Message {
        var kind: Int32
        var handle: Handle?
        /// A union, of which only the result is used.
        var result: Int
    }

    /// A loaded library does not have a function, or is too old.
    struct Unusable: Error {}

    /// Returns a function of the loaded libraries.
    ///
    /// - Throws: `Unusable` if they have no such function.
    static func function<Function>(_ name: String) throws -> Function {
        // The default handle, which finds the symbols of all loaded libraries, is `nil` in glibc and musl.
        guard let symbol = dlsym(nil, name) else { throw Unusable() }
        return unsafeBitCast(symbol, to: Function.self)
    }

    private init() throws {
        let versionInfo: @convention(c) (Int32) -> UnsafeRawPointer? = try Self.function("curl_version_info")
        let globalInit: @convention(c) (Int) -> Int32 = try Self.function("curl_global_init")
        easyInit = try Self.function("curl_easy_init")
        easyCleanup = try Self.function("curl_easy_cleanup")
        easyPause = try Self.function("curl_easy_pause")
        multiInit = try Self.function("curl_multi_init")
        multiCleanup = try Self.function("curl_multi_cleanup")
        multiAdd = try Self.function("curl_multi_add_handle")
        multiRemove = try Self.function("curl_multi_remove_handle")
        multiAction = try Self.function("curl_multi_socket_action")
        multiRead = try Self.function("curl_multi_info_read")
        listAppend = try Self.function("curl_slist_append")
        listFree = try Self.function("curl_slist_free_all")
        setNumber = try Self.function("curl_easy_setopt")
        setPointer = try Self.function("curl_easy_setopt")
        setMultiNumber = try Self.function("curl_multi_setopt")
        setMultiPointer = try Self.function("curl_multi_setopt")
        getInfo = try Self.function("curl_easy_getinfo")
        describe = try Self.function("curl_easy_strerror")
        shutdownState = try? Self.function("SSL_get_shutdown")
        chosenProtocol = try? Self.function("SSL_get0_alpn_selected")
        // The start of `curl_version_info_data`: the number of its version, the version as text and as a number.
        guard let info = versionInfo(0) else { throw Unusable() }
        let number = info.load(fromByteOffset: 16, as: UInt32.self)
        guard number >= 0x07_44_00, globalInit(3) == 0 else { throw Unusable() }
        version =
            info.load(fromByteOffset: 8, as: UnsafePointer<CChar>?.self).map { String(cString: $0) } ?? ""
        reportsConnections = number >= 0x07_50_00
    }

    // MARK: Options

    @discardableResult func set(_ option: Option, _ value: Int, of handle: Handle) -> Bool {
        setNumber(handle, option.rawValue, value) == 0
    }

    /// Sets an option whose text libcurl copies.
    @discardableResult func set(_ option: Option, _ value: String, of handle: Handle) -> Bool {
        value.withCString { setPointer(handle, option.rawValue, $0) == 0 }
    }

    /// Sets an option whose value must exist as long as the transfer.
    @discardableResult func set(_ option: Option, _ value: UnsafeRawPointer?, of handle: Handle) -> Bool {
        setPointer(handle, option.rawValue, value) == 0
    }

    func set(_ option: MultiOption, _ value: Int, of handle: Handle) {
        _ = setMultiNumber(handle, option.rawValue, value)
    }

    func set(_ option: MultiOption, _ value: UnsafeRawPointer?, of handle: Handle) {
        _ = setMultiPointer(handle, option.rawValue, value)
    }

    func number(_ info: Info, of handle: Handle) -> Int {
        var value = 0
        return getInfo(handle, info.rawValue, &value) == 0 ? value : 0
    }

    func text(_ info: Info, of handle: Handle) -> String? {
        var value: UnsafePointer<CChar>?
        guard getInfo(handle, info.rawValue, &value) == 0 else { return nil }
        return value.map { String(cString: $0) }
    }

    /// Returns the description of a result.
    func text(_ result: Int32) -> String { describe(result).map { String(cString: $0) } ?? "" }

    /// Returns `true` if a connection has the TLS of OpenSSL, which the server has not ended. libcurl 7.87 to 8.8 ignores
    /// that (PLATFORM A34); others, and those with GnuTLS, report it as an error.
    func lacksEndOfTLS(_ handle: Handle) -> Bool {
        guard let shutdownState, let connection = openSSL(handle) else { return false }
        return shutdownState(connection) & 2 == 0
    }

    /// Returns `true` if a connection has the TLS of OpenSSL, with which HTTP/2 was negotiated (RFC 7301).
    func negotiatedHTTP2(_ handle: Handle) -> Bool {
        guard let chosenProtocol, let connection = openSSL(handle) else { return false }
        var name: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        chosenProtocol(connection, &name, &count)
        return UnsafeRawBufferPointer(start: name, count: Int(count)).elementsEqual("h2".utf8)
    }

    /// Returns the connection of OpenSSL.
    private func openSSL(_ handle: Handle) -> OpaquePointer? {
        // `curl_tlssessioninfo`.
        var session: UnsafePointer<(library: Int32, connection: OpaquePointer?)>?
        guard getInfo(handle, Info.tlsSession.rawValue, &session) == 0, let session = session?.pointee,
            session.library == 1
        else { return nil }
        return session.connection
    }

    /// An option of a transfer (`CURLoption`).
    enum Option: Int32 {
        case lowSpeedLimit = 19, lowSpeedTime, verbose = 41, noProgress = 43, noBody, upload = 46
        case followLocation = 52, maxRedirects = 68, freshConnect = 74, forbidsReuse, quickExit = 322
        case httpVersion = 84, bufferSize = 98, noSignal, proxyType = 101, ipResolve = 113
        case connectTimeout = 156, protocols = 181, redirectProtocols, pathAsIs = 234
        case suppressConnectHeaders = 265, allowsHTTP09 = 285
        case writeData = 10001, url, proxy = 10004, readData = 10009, errorBuffer = 10010
        case headers = 10023, sslCertificate = 10025, keyPassword = 10026, headerData = 10029
        case customRequest = 10036, progressData = 10057, caFile = 10065, debugData = 10095
        case sslCertificateType = 10086, sslKey, caFolder = 10097
        case openSocketData = 10164, seekData = 10168, closeSocketData = 10209
        case resolve = 10203, pinnedPublicKey = 10230, unixSocketPath
        case proxyCAFile = 10246, proxyCAFolder, proxyCertificate = 10254, proxyKey = 10256
        case proxyKeyPassword = 10258
        case resolverStartData = 10273, prerequestData = 10313
        case writeFunction = 20011, readFunction, headerFunction = 20079, debugFunction = 20094
        case openSocketFunction = 20163, seekFunction = 20167, closeSocketFunction = 20208
        case progressFunction = 20219, resolverStartFunction = 20272, prerequestFunction = 20312
        case bodyLength = 30115
    }

    /// An option of a multi handle (`CURLMoption`).
    enum MultiOption: Int32 {
        case maxHostConnections = 7
        case socketData = 10002, timerData = 10005, socketFunction = 20001, timerFunction = 20004
    }

    /// A fact about a transfer (`CURLINFO`).
    enum Info: Int32 {
        case effectiveURL = 1_048_577, proxyStatus = 2_097_174, osError = 2_097_177
        case connectionCount = 2_097_178, tlsSession = 4_194_349
        // Microseconds since the start of the transfer. The time in the queue is part of the others since 8.6.
        case lookupTime = 6_291_507, connectTime, secureConnectionTime = 6_291_512, queueTime = 6_291_521
    }

    /// Values of options and results of callbacks.
    enum Value {
        static let protocolsHTTP = 3
        static let http1 = 2
        static let http2 = 4
        /// Pauses the transfer; the result of a read or write callback.
        static let pause = 0x1000_0001
        static let abortReading = 0x1000_0000
        /// The bytes of a body before they are decoded; an argument of the debug callback.
        static let debugBody: Int32 = 3
        static let timerSocket: Int32 = -1
    }
}
#endif
