import Foundation

/// A connection that reads requests and writes their replies in order.
actor LoopbackConnection {
    private enum Phase: Equatable {
        /// Waits for a request or the rest of one.
        case reading
        case replying
        /// Sends the last bytes, then performs the action.
        case closing(ResponseEncoder.ConnectionAction, since: ContinuousClock.Instant)
        /// Discards data from the client until it closes. Closing earlier would reset the connection, and the client
        /// could lose the reply.
        case lingering
        case closed
    }

    /// The number of buffered bytes at which the reply waits for the client.
    private static let highWaterMark = 1 << 20
    /// The number of bytes to read ahead while a reply is being sent.
    private static let readAhead = 64 << 10
    /// The time to wait for the client to close after the last reply.
    private static let lingerTimeout = Duration.seconds(2)

    nonisolated var unownedExecutor: UnownedSerialExecutor { listener.unownedExecutor }

    private let socket: Socket
    private let listener: Listener

    private var parser: RequestParser
    private var writeBuffer = WriteBuffer()
    private var phase = Phase.reading
    private var isPeerClosed = false
    /// The socket from the start of the connection until it is closed.
    private var watched: WatchedSocket?

    // The current reply.
    private var encoder: ResponseEncoder?
    private var exchange: RecordedExchange?
    private var replyTask: Task<Void, Never>?
    private var hold: ClockHold?
    private var spaceWaiter: CheckedContinuation<Void, Never>?

    init(_ socket: Socket, of listener: Listener) {
        (self.socket, self.listener) = (socket, listener)
        parser = RequestParser(authority: listener.authority, limits: listener.limits)
    }

    private var core: ServerCore { listener.core }
    private var limits: LoopbackServer.Limits { listener.limits }

    /// Starts to read, which retains the connection until it is closed.
    func start() {
        watched = WatchedSocket(socket, on: listener.eventLoop.queue) { isReadable in
            self.assumeIsolated { isReadable ? $0.readable() : $0.writable() }
        }
    }

    // MARK: Reading

    private func readable() {
        let buffer = listener.eventLoop.receiveBuffer
        // Limited, so that other connections are served as well.
        for _ in 0..<8 {
            guard watched?.isReading == true else { return }
            switch socket.receive(into: buffer) {
            case .bytes(0): return peerClosed()
            case .bytes(let count):
                if phase == .reading || phase == .replying {
                    parser.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                }
                processRequests()
                if count < buffer.count { return }
            case .wouldBlock: return
            case .failed: return close()
            }
        }
    }

    private func processRequests() {
        while phase == .reading {
            if isBufferFull { flush() }
            guard !isBufferFull, phase != .closed else { break }
            do {
                guard let message = try parser.next() else {
                    if parser.takeContinueExpectation() {
                        writeBuffer.append(Data("HTTP/1.1 100 Continue\r\n\r\n".utf8))
                    }
                    break
                }
                if isOwn(message.head) {
                    phase = .replying
                    answer(message)
                } else {
                    reject(HTTPError.misdirected)
                }
            } catch { reject(error) }
        }
        flush()
        pauseReading(parser.buffered > Self.readAhead && (phase != .reading || isBufferFull))
    }

    /// Returns `true` if the server answers for the host and port of a request. Otherwise a web page whose name was changed to
    /// 127.0.0.1 could read the replies (DNS rebinding). It cannot send a request to a proxy.
    private func isOwn(_ head: RequestHead) -> Bool {
        guard let host = head.host else { return true }
        let port = head.url.port
        if limits.hosts.contains(host) || limits.hosts.contains("\(host):\(port ?? 80)") { return true }
        return ["127.0.0.1", "localhost", "[::1]"].contains(host) && [nil, listener.port].contains(port)
    }

    private func peerClosed() {
        isPeerClosed = true
        pauseReading(true)
        switch phase {
        case .reading where !writeBuffer.isEmpty: end(.close)
        case .closing, .closed: break
        // The client has disconnected, so the rest of the reply is not needed.
        case .reading, .replying, .lingering: close()
        }
    }

    private func pauseReading(_ pauses: Bool) { watched?.isReading = !pauses && !isPeerClosed }

    private func reject(_ error: HTTPError) {
        let text = "\(error.status): \(error.reason)\n"
        var head = "HTTP/1.1 \(error.status)\r\nContent-Type: \(MediaType.text)\r\n"
        head += "Content-Length: \(text.utf8.count)\r\nConnection: close\r\n\r\n"
        writeBuffer.append(Data((head + text).utf8))
        end(.close)
    }

    // MARK: Replying

    private func answer(_ message: RequestParser.Message) {
        encoder = ResponseEncoder(to: message.head)
        hold = core.clock.virtual?.hold()
        let received = ReceivedRequest(message.head, body: message.body, time: core.clock.now)
        let (exchange, answer) = core.answer(received, keeping: limits.recordedRequests)
        self.exchange = exchange
        switch answer {
        case .reply(let reply): send(reply)
        case .handler(let makePlan):
            run { connection in
                let plan = try await makePlan { await connection.stop(exchange, $0) }
                try Task.checkCancellation()
                try await connection.play(plan)
            }
        }
    }

    private func send(_ reply: PlannedReply) {
        guard reply.isImmediate else { return run { try await $0.play(reply.plan) } }
        if case .failure(let error as MockServerError)? = reply.plan.steps.first { return fail(error) }
        guard let encoder else { return }
        let encoded = reply.encoded(by: encoder)
        writeBuffer.append(encoded.bytes)
        if let action = encoded.action { finish(action) }
    }

    /// Sends the error of a recorded exchange as a reply.
    private func fail(_ error: MockServerError) {
        guard let method = encoder?.method else { return }
        exchange = nil
        send(PlannedReply(core.plan(error.loopbackReply, for: method)))
    }

    /// Ends the reply of a handler that does not return.
    private func stop(_ stopped: RecordedExchange?, _ error: MockServerError) {
        guard exchange === stopped else { return }
        replyTask?.cancel()
        write(.failure(error))
        processRequests()
    }

    /// Sends a reply that is not immediate.
    private func run(_ work: @escaping @Sendable (isolated LoopbackConnection) async throws -> Void) {
        let hold = hold
        replyTask = Task {
            do {
                try await VirtualClock.$currentHold.withValue(hold) { try await work(self) }
            } catch {
                // The reply of a cancelled task has ended.
                if !Task.isCancelled { write(.failure(error)) }
            }
            processRequests()
        }
    }

    private func play(_ plan: ReplyPlan) async throws {
        try await plan.play(on: core.clock) { try await self.write($0) }
    }

    /// Writes steps of the same time, and waits until there is space for more.
    private func write(_ steps: [ReplyPlan.Step]) async throws {
        try Task.checkCancellation()
        steps.forEach(write)
        // After the last step, the next request is answered.
        guard phase == .replying else { return }
        flush()
        await waitForSpace()
    }

    /// Writes a step, unless the reply has ended.
    private func write(_ step: ReplyPlan.Step) {
        guard phase == .replying else { return }
        switch step {
        case .failure(let error as MockServerError) where encoder?.hasHead == false:
            exchange?.record([step], at: core.clock.now)
            return fail(error)
        case .passthrough: return write(.failure(MockServerError(.unusableReply(.passthroughOverLoopback))))
        default: break
        }
        exchange?.record([step], at: core.clock.now)
        guard let (bytes, action) = encoder?.encode(step) else { return }
        writeBuffer.append(bytes)
        if let action { finish(action) }
    }

    private func finish(_ action: ResponseEncoder.ConnectionAction) {
        endReply()
        guard action == .keepAlive, !isPeerClosed else { return end(action == .reset ? .reset : .close) }
        phase = .reading
    }

    private func endReply() {
        hold?.release()
        (hold, replyTask, encoder) = (nil, nil, nil)
        exchange?.finish(at: core.clock.now)
        exchange = nil
    }

    // MARK: Writing

    private var isBufferFull: Bool { writeBuffer.count >= Self.highWaterMark }

    private func writable() {
        flush()
        if phase == .reading { processRequests() }
    }

    private func flush() {
        guard phase != .closed else { return }
        switch writeBuffer.send(to: socket) {
        case .failed: return close()
        case .full: watched?.isWriting = true
        case .empty:
            watched?.isWriting = false
            if case .closing(let action, let start) = phase { finishClosing(action, since: start) }
        }
        if !isBufferFull { spaceWaiter.take()?.resume() }
    }

    private func waitForSpace() async {
        guard phase != .closed, isBufferFull else { return }
        await withCheckedContinuation { spaceWaiter = $0 }
    }

    // MARK: Closing

    private func end(_ action: ResponseEncoder.ConnectionAction) {
        guard phase != .closed else { return }
        phase = .closing(action, since: .now)
        flush()
    }

    /// Closes the connection after the last byte was sent.
    private func finishClosing(
        _ action: ResponseEncoder.ConnectionAction, since start: ContinuousClock.Instant
    ) {
        switch action {
        case .reset:
            // A reset discards data that the client has not received yet.
            if socket.unacknowledged > 0, start.duration(to: .now) < Self.lingerTimeout {
                listener.eventLoop.schedule(after: .milliseconds(1)) { [weak self] in
                    self?.assumeIsolated { $0.flush() }
                }
                return
            }
            socket.resetOnClose()
            close()
        case .close, .keepAlive:
            socket.closeSending()
            phase = .lingering
            if isPeerClosed { return close() }
            pauseReading(false)
            listener.eventLoop.schedule(after: Self.lingerTimeout) { [weak self] in
                self?.assumeIsolated { $0.close() }
            }
        }
    }

    /// Closes the connection immediately.
    func close() {
        guard let watched else { return }
        self.watched = nil
        phase = .closed
        replyTask?.cancel()
        endReply()
        writeBuffer = WriteBuffer()
        spaceWaiter.take()?.resume()
        watched.close { self.listener.assumeIsolated { $0.closed(self) } }
    }
}
