// Part of the engine for Linux, where URLSession is built on libcurl. Apple platforms need none.
#if canImport(FoundationNetworking)
import Foundation
import RESTClientHTTP

/// A request in progress.
///
/// It can be resumed and cancelled from any thread. Everything else happens on the thread of the engine.
package final class Transfer: @unchecked Sendable {
    // SAFETY: the variables are used on the thread of the engine only, except before the transfer is sent to it.
    let request: TransferRequest
    let pool: ConnectionPool
    private let handler: any TransferHandler
    private let body: BodyReader?

    private(set) var handle: LibCurl.Handle?
    private(set) var hasEnded = false
    /// The failure that is known before libcurl reports one, or starts.
    private(set) var outcome: TransferFailure?
    /// `true` if the request was not sent, because bytes wait on its connection.
    private(set) var needsOtherConnection = false
    private unowned var engine: Engine?
    private unowned var connections: PoolConnections?
    /// The sockets that were opened for this transfer, and the addresses of its connection.
    private var sockets: [OpenSocket] = []
    private var addresses: SocketAddresses?
    private var parser = HeadParser()
    private var head: ReceivedHead?
    private var decoder: ContentDecoder?
    /// The number of bytes of the body before decoding.
    private var receivedBytes: Int64 = 0
    /// `true` if the connection has TLS, and the server has not ended it.
    private var lacksEndOfTLS = false
    /// The chunks of a response that began before the body of the request was sent.
    private var chunks: ChunkScanner?
    private var sendCount = 0
    /// `true` if the response is complete, although the body of the request was not sent.
    private var isComplete = false
    private var isUpdated = false
    private var hasBegun = false
    private var headers: LibCurl.Handle?
    private var hostAddresses: LibCurl.Handle?
    private let errorBuffer = UnsafeMutableBufferPointer<CChar>.allocate(capacity: 256)

    /// The maximum number of redirects, as in URLSession.
    private static let maxRedirects = 20
    /// The number of times that an idempotent request is sent. libcurl sends one up to six times if the server refuses it.
    private static let maxSends = 2

    init(_ request: TransferRequest, _ handler: any TransferHandler, _ pool: ConnectionPool) {
        (self.request, self.handler, self.pool) = (request, handler, pool)
        body = request.body.map { BodyReader($0) }
        errorBuffer.initialize(repeating: 0)
    }

    deinit { errorBuffer.deallocate() }

    /// Receives and sends again after a pause.
    package func resume() { Engine.send(.resume(self)) }

    /// Ends the transfer and its connection, unless other transfers use it. The handler receives no more bytes.
    package func cancel() { Engine.send(.cancel(self)) }

    // MARK: Configuration

    func configure(_ handle: LibCurl.Handle, _ connections: PoolConnections) {
        let curl = connections.curl
        (self.handle, self.connections, engine) = (handle, connections, connections.engine)
        needsOtherConnection = false
        curl.set(.url, request.url, of: handle)
        // The path that is reported is the one that is sent, as with URLSession.
        curl.set(.pathAsIs, 1, of: handle)
        curl.set(.noSignal, 1, of: handle)
        // The end of a look-up does not wait for a name server that does not answer, and with it all other transfers.
        curl.set(.quickExit, 1, of: handle)
        curl.set(.noProgress, 1, of: handle)
        curl.set(.protocols, LibCurl.Value.protocolsHTTP, of: handle)
        curl.set(.suppressConnectHeaders, 1, of: handle)
        // A reply without a head, which is refused with its first bytes.
        curl.set(.allowsHTTP09, 1, of: handle)
        curl.set(.bufferSize, 64 << 10, of: handle)
        curl.set(.errorBuffer, errorBuffer.baseAddress.map { UnsafeRawPointer($0) }, of: handle)
        curl.set(.httpVersion, LibCurl.Value.http2, of: handle)
        if let seconds = request.idleTimeout {
            curl.set(.lowSpeedLimit, 1, of: handle)
            curl.set(.lowSpeedTime, seconds, of: handle)
        }
        if request.followsRedirects {
            curl.set(.followLocation, 1, of: handle)
            curl.set(.maxRedirects, Self.maxRedirects, of: handle)
            curl.set(.redirectProtocols, LibCurl.Value.protocolsHTTP, of: handle)
        }
        configureMethod(handle, curl)
        configureCallbacks(handle, curl)
        hostAddresses = request.options.addresses.reduce(hostAddresses) { curl.listAppend($0, $1) ?? $0 }
        if let hostAddresses { curl.set(.resolve, UnsafeRawPointer(hostAddresses), of: handle) }
        do throws(TransferFailure) {
            try request.options.apply(to: handle, curl)
        } catch {
            outcome = error
        }
    }

    private func configureMethod(_ handle: LibCurl.Handle, _ curl: LibCurl) {
        var lines = request.headers.map { field in
            let value = String(Substring(ReceivedHead.trimmed(field.value.utf8)))
            return value.isEmpty ? field.name + ";" : field.name + ": " + value
        }
        if let body {
            curl.set(.upload, 1, of: handle)
            curl.set(.bodyLength, body.body.length.map { Int($0) } ?? -1, of: handle)
            // With `Expect: 100-continue`, libcurl waits a second for a server that ignores it.
            if !request.hasHeader("Expect") { lines.append("Expect:") }
        } else if request.method == "HEAD" {
            curl.set(.noBody, 1, of: handle)
        }
        if !request.hasHeader(.acceptEncoding), let codings = ContentDecoder.acceptEncoding {
            lines.append("Accept-Encoding: \(codings)")
        }
        curl.set(.customRequest, request.method, of: handle)
        // A server expects a length with these methods (RFC 9110, section 8.6).
        if body == nil, ["POST", "PUT", "PATCH"].contains(request.method) {
            lines.append("Content-Length: 0")
        }
        headers = lines.reduce(headers) { curl.listAppend($0, $1) ?? $0 }
        curl.set(.headers, headers.map { UnsafeRawPointer($0) }, of: handle)
    }

    private func configureCallbacks(_ handle: LibCurl.Handle, _ curl: LibCurl) {
        let pointer = UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
        func set<Function>(_ option: LibCurl.Option, _ data: LibCurl.Option, _ function: Function) {
            curl.set(option, unsafeBitCast(function, to: UnsafeRawPointer.self), of: handle)
            curl.set(data, pointer, of: handle)
        }
        typealias Bytes =
            @convention(c) (
                UnsafeMutablePointer<CChar>?, Int, Int, UnsafeMutableRawPointer?
            ) -> Int
        typealias Report =
            @convention(c) (
                OpaquePointer?, Int32, UnsafePointer<CChar>?, Int, UnsafeMutableRawPointer?
            ) -> Int32
        let onHead: Bytes = { bytes, size, count, transfer in
            Transfer.object(transfer)?.receiveLine(UnsafeRawBufferPointer(start: bytes, count: size * count))
                ?? 0
        }
        let onBody: Bytes = { bytes, size, count, transfer in
            Transfer.object(transfer)?.receive(UnsafeRawBufferPointer(start: bytes, count: size * count)) ?? 0
        }
        set(.headerFunction, .headerData, onHead)
        set(.writeFunction, .writeData, onBody)
        let onProgress: @convention(c) (UnsafeMutableRawPointer?, Int, Int, Int, Int) -> Int32 = {
            transfer, _, _, _, _ in
            guard let transfer = Transfer.object(transfer), let handle = transfer.handle else { return 0 }
            transfer.lacksEndOfTLS = LibCurl.shared?.lacksEndOfTLS(handle) ?? false
            return 0
        }
        set(.progressFunction, .progressData, onProgress)
        if body != nil {
            // The bytes of the body of a response, before libcurl decodes its chunks.
            let onDebug: Report = { _, kind, bytes, count, transfer in
                guard kind == LibCurl.Value.debugBody else { return 0 }
                Transfer.object(transfer)?.scan(UnsafeRawBufferPointer(start: bytes, count: count))
                return 0
            }
            set(.debugFunction, .debugData, onDebug)
            let onRead: Bytes = { buffer, size, count, transfer in
                Transfer.object(transfer)?.send(
                    UnsafeMutableRawBufferPointer(start: buffer, count: size * count))
                    ?? LibCurl.Value.abortReading
            }
            let onSeek: @convention(c) (UnsafeMutableRawPointer?, Int, Int32) -> Int32 = {
                transfer, offset, _ in
                Transfer.object(transfer)?.seek(to: Int64(offset)) ?? false ? 0 : 1
            }
            set(.readFunction, .readData, onRead)
            set(.seekFunction, .seekData, onSeek)
        }
        let onLookUp:
            @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) ->
                Int32 = {
                    _, _, transfer in
                    Transfer.object(transfer)?.begin()
                    return 0
                }
        set(.resolverStartFunction, .resolverStartData, onLookUp)
        let onOpen: @convention(c) (UnsafeMutableRawPointer?, Int32, UnsafePointer<Int32>?) -> Int32 = {
            transfer, _, address in
            // The start of `curl_sockaddr`: the family, type and protocol.
            guard let address else { return -1 }
            let transfer = Transfer.object(transfer)
            transfer?.begin()
            let descriptor = socket(address[0], address[1], address[2])
            // A program that the process starts does not inherit the connection.
            if descriptor >= 0 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
            if descriptor >= 0, let socket = transfer?.connections?.addSocket(descriptor) {
                transfer?.sockets.append(socket)
            }
            return descriptor
        }
        set(.openSocketFunction, .openSocketData, onOpen)
        let onClose: @convention(c) (UnsafeMutableRawPointer?, Int32) -> Int32 = { pool, descriptor in
            PoolConnections.object(pool)?.removeSocket(descriptor)
            return close(descriptor)
        }
        curl.set(.closeSocketFunction, unsafeBitCast(onClose, to: UnsafeRawPointer.self), of: handle)
        // A connection can outlive the transfer.
        curl.set(.closeSocketData, connections?.pointer, of: handle)
        // Late bytes on a reused connection are found by its addresses.
        if request.options.unixSocket != nil { curl.set(.forbidsReuse, 1, of: handle) }
        guard curl.reportsConnections else {
            // Without a report of connections, a repetition is noticed only by its body.
            if !request.isRepeatable, body == nil { curl.set(.freshConnect, 1, of: handle) }
            return begin()
        }
        let onConnect:
            @convention(c) (
                UnsafeMutableRawPointer?, UnsafePointer<CChar>?, UnsafePointer<CChar>?, Int32, Int32
            ) -> Int32 = { transfer, remote, local, remotePort, localPort in
                func address(_ host: UnsafePointer<CChar>?, _ port: Int32) -> SocketAddresses.Address {
                    SocketAddresses.Address(port: port, host: host.map { String(cString: $0) } ?? "")
                }
                let addresses = SocketAddresses(
                    local: address(local, localPort), remote: address(remote, remotePort))
                return Transfer.object(transfer)?.connect(addresses) ?? false ? 0 : 1
            }
        set(.prerequestFunction, .prerequestData, onConnect)
    }

    private static func object(_ pointer: UnsafeMutableRawPointer?) -> Transfer? {
        pointer.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
    }

    // MARK: Callbacks of libcurl

    /// Returns `false` if the request must not be sent again, or not on this connection.
    private func connect(_ addresses: SocketAddresses) -> Bool {
        if sockets.isEmpty, connections?.hasUnreadBytes(addresses) == true {
            needsOtherConnection = true
            return false
        }
        // libcurl repeats a request with `Expect` that was answered with 417. Its response was received.
        guard head == nil else {
            isComplete = true
            return false
        }
        self.addresses = addresses
        sendCount += 1
        guard sendCount <= (request.isRepeatable ? Self.maxSends : 1) else {
            outcome = request.isRepeatable ? .refusedTwice : .repetitionRefused
            return false
        }
        hasBegun = true
        var connection = ConnectionMetrics()
        let remote = addresses.remote
        connection.remoteAddress = remote.host.isEmpty ? nil : remote.host
        connection.remotePort = remote.port > 0 ? Int(remote.port) : nil
        if let curl = LibCurl.shared, let handle {
            connection.isReused = curl.number(.connectionCount, of: handle) == 0
            if connection.isReused == false { connection.addTimes(of: handle, curl) }
        }
        handler.transferDidConnect(connection)
        return true
    }

    private func begin() {
        guard !hasBegun else { return }
        hasBegun = true
        handler.transferDidBegin()
    }

    private func send(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard let body else { return 0 }
        switch body.read(buffer, resume: { [weak self] in self?.resume() }) {
        case .bytes(let count):
            markUpdated()
            handler.transferDidSend(total: body.position)
            return count
        case .pause:
            return LibCurl.Value.pause
        case .failure:
            outcome = TransferFailure(
                .noPermissionsToReadFile,
                "the body of the request cannot be read, or is shorter than its length")
            return LibCurl.Value.abortReading
        }
    }

    private func seek(to offset: Int64) -> Bool {
        guard request.isRepeatable || body?.position == offset else {
            outcome = .repetitionRefused
            return false
        }
        return body?.seek(to: offset) ?? true
    }

    private func receiveLine(_ line: UnsafeRawBufferPointer) -> Int {
        do throws(HeadParser.Failure) {
            guard var head = try parser.add(line), self.head == nil else { return line.count }
            guard !isFollowed(head) else {
                sendCount = 0
                return line.count
            }
            // A server must not send a coding that was not requested with `TE` (RFC 9110, section 10.1.4), and libcurl takes a
            // body that ends early in it for a whole one (PLATFORM A32).
            if let coding = head.transferCodings.first(where: { $0 != "chunked" }) {
                outcome = TransferFailure(
                    .cannotDecodeRawData,
                    "the response has the Transfer-Encoding \(coding.prefix(40)), which was not requested")
                return 0
            }
            if request.followsRedirects, let handle {
                head.url = LibCurl.shared?.text(.effectiveURL, of: handle).flatMap { URL(string: $0) }
            }
            self.head = head
            watchEnd(of: head)
            if head.version?.hasPrefix("HTTP/1") == true {
                // Of the sockets that were opened for a connection, the others are closed.
                sockets.last { $0.isOpen }?.addresses = addresses
            }
            markUpdated()
            handler.transferDidReceive(head)
            endIfComplete()
            return line.count
        } catch {
            outcome = TransferFailure(.cannotParseResponse, error.text)
            return 0
        }
    }

    /// Returns `true` if libcurl requests the target of a redirect.
    private func isFollowed(_ head: ReceivedHead) -> Bool {
        guard request.followsRedirects, (300..<400).contains(head.status), head.status != 304 else {
            return false
        }
        return head.value(of: .location) != nil
    }

    private func receive(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard !hasEnded else { return 0 }
        guard parser.hasStarted else {
            let line = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }.prefix(60), as: UTF8.self)
            outcome = TransferFailure(
                .cannotParseResponse,
                "the reply is not HTTP; it starts \"\(line.trimmingCharacters(in: .whitespacesAndNewlines))\""
            )
            return 0
        }
        markUpdated()
        do throws(TransferFailure) {
            if receivedBytes == 0, decoder == nil, let head {
                decoder = try ContentDecoder.decoder(for: head)
            }
            let deliver = handler.transferDidReceive(_:) as (UnsafeRawBufferPointer) -> Bool
            let isReceived =
                if let decoder { try decoder.decode(bytes, deliver: deliver) } else { deliver(bytes) }
            guard isReceived else { return LibCurl.Value.pause }
        } catch {
            outcome = error
            return 0
        }
        receivedBytes += Int64(bytes.count)
        endIfComplete()
        return bytes.count
    }

    private func scan(_ bytes: UnsafeRawBufferPointer) {
        chunks?.scan(bytes)
        endIfComplete()
    }

    /// Ends the transfer if the response is complete before the body of the request was sent: libcurl would wait until the
    /// server reads the rest.
    private func endIfComplete() {
        guard let body, let head, body.body.length != body.position else { return }
        // With a transfer coding, the length does not apply (RFC 9112, section 6.3).
        let length = if let chunks { chunks.length } else { head.contentLength }
        guard [204, 304].contains(head.status) || length == receivedBytes else { return }
        isComplete = true
        engine?.ending.append(self)
    }

    /// Lets libcurl report what shows that the body of the response is complete, if its length is unknown.
    private func watchEnd(of head: ReceivedHead) {
        guard let handle, let curl = LibCurl.shared else { return }
        if !head.transferCodings.isEmpty {
            guard let body, body.body.length != body.position else { return }
            chunks = ChunkScanner()
            curl.set(.verbose, 1, of: handle)
        } else if head.contentLength == nil, hasBody(head), !curl.negotiatedHTTP2(handle) {
            // The connection ends the body, and only the end of TLS shows that it is whole (RFC 9112, section 9.8). libcurl reports
            // the progress before it closes the connection. A status line can name another version than that of the connection.
            curl.set(.noProgress, 0, of: handle)
        }
    }

    private func hasBody(_ head: ReceivedHead) -> Bool {
        request.method != "HEAD" && ![204, 304].contains(head.status)
    }

    private func markUpdated() {
        guard !isUpdated else { return }
        isUpdated = true
        engine?.updated.append(self)
    }

    func reportUpdate(isAlone: Bool) {
        isUpdated = false
        handler.transferDidUpdate(isAlone: isAlone)
    }

    // MARK: The end

    /// Returns the failure for a result of libcurl, or `nil` for success.
    func failure(_ code: Int32, _ curl: LibCurl) -> TransferFailure? {
        if outcome != nil || isComplete { return outcome }
        // libcurl regards a head that ends early as complete.
        if code == 0 {
            if head == nil {
                return TransferFailure(.badServerResponse, "the head of the response ended early")
            }
            // libcurl ignores the length beside a Transfer-Encoding without a coding.
            if let head, head.value(of: .transferEncoding) != nil, head.transferCodings.isEmpty,
                hasBody(head), let length = head.contentLength, receivedBytes != length
            {
                return TransferFailure(
                    .networkConnectionLost, "the body has \(receivedBytes) of \(length) bytes")
            }
            // Nothing shows that a body that only the connection ends is empty, and an encoded one is not (RFC 1952). Responses
            // with another status often have none.
            if let head, receivedBytes == 0, head.status == 200, hasBody(head),
                head.version?.hasPrefix("HTTP/1") == true, head.contentLength == nil,
                head.transferCodings.isEmpty
            {
                do throws(TransferFailure) { decoder = try ContentDecoder.decoder(for: head) } catch {
                    return error
                }
            }
            return lacksEndOfTLS
                ? TransferFailure(
                    .networkConnectionLost, "the server closed the connection without the end of TLS") : nil
        }
        if code == 7, let path = request.options.unixSocket {
            let reason = handle.map { Int32(truncatingIfNeeded: curl.number(.osError, of: $0)) } ?? 0
            return TransferFailure(
                .cannotConnectToHost,
                "cannot connect to \(path)" + (reason == 0 ? "" : ": \(String(cString: strerror(reason)))"))
        }
        let text = errorBuffer.baseAddress.map { String(cString: $0) } ?? ""
        let proxyStatus = handle.map { curl.number(.proxyStatus, of: $0) } ?? 0
        if proxyStatus >= 300, head == nil {
            // A proxy that does not open a tunnel answers instead of the server.
            handler.transferDidReceive(ReceivedHead(version: "HTTP/1.1", status: proxyStatus))
            return TransferFailure(.unknown, text)
        }
        return TransferFailure(code, text, curl)
    }

    func releaseHandle(_ curl: LibCurl) {
        (handle, connections, sockets) = (nil, nil, [])
        curl.listFree(headers)
        curl.listFree(hostAddresses)
        (headers, hostAddresses) = (nil, nil)
    }

    /// Ends the transfer, once.
    func end(_ failure: TransferFailure?) {
        guard !hasEnded else { return }
        hasEnded = true
        var failure = failure
        if failure == nil {
            do throws(TransferFailure) { try decoder?.finish() } catch { failure = error }
        }
        handler.transferDidEnd(failure)
        guard engine != nil else { return handler.transferDidUpdate(isAlone: false) }
        markUpdated()
    }
}

extension ReceivedHead {
    /// The transfer codings of the body, in lower case. `identity` is the absence of a coding.
    fileprivate var transferCodings: [String] {
        (value(of: .transferEncoding) ?? "").split(separator: ",")
            .map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
            .filter { !["", "identity"].contains($0) }
    }
}

extension ConnectionMetrics {
    /// Adds the times of a new connection.
    fileprivate mutating func addTimes(of handle: LibCurl.Handle, _ curl: LibCurl) {
        let times = [LibCurl.Info.queueTime, .lookupTime, .connectTime, .secureConnectionTime]
            .map { curl.number($0, of: handle) }
        func duration(_ index: Int) -> Duration? {
            times[index] > 0 ? .microseconds(max(0, times[index] - times[index - 1])) : nil
        }
        (domainLookup, connect, secureConnection) = (duration(1), duration(2), duration(3))
    }
}
#endif
