import Dispatch
import Foundation

/// One connection: reads requests, writes their replies one after the other, and ends.
actor Connection {
    private enum Phase {
        /// Waits for a request, or for the rest of one.
        case reading
        /// A reply is under way.
        case replying
        /// The last bytes go out, then this.
        case ending(ResponseEncoder.Ending)
        /// All is said; what the client still sends is thrown away, or else its kernel would throw away our reply.
        case lingering
        case over
    }

    /// So many bytes may wait for the client before we wait for it.
    private static let enough = 1 << 20
    /// So much may be read ahead of the reply that is under way.
    private static let readAhead = 64 << 10
    /// How long a client may take to notice that all is said.
    private static let farewell = Duration.seconds(2)

    nonisolated let loop: Loop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let core: ServerCore
    private let socket: Socket
    private let limits: LoopbackServer.Limits
    private let listener: Listener

    private var parser: RequestParser
    private var outbox = Outbox()
    private var phase = Phase.reading
    private var mayKeep = true
    private var hasPeerEnded = false
    /// When it began to wait for what it waits for.
    private var since = ContinuousClock.now
    /// Since when the client takes nothing of what there is for it.
    private var stuckSince: ContinuousClock.Instant?

    private var reader: (any DispatchSourceRead)?
    private var writer: (any DispatchSourceWrite)?
    private var isReaderPaused = false
    private var isWriterPaused = true
    private var openSources = 2

    // The reply under way.
    private var encoder: ResponseEncoder?
    private var take: Take?
    private var driver: Task<Void, Never>?
    private var hold: VirtualClock.Hold?
    private var roomWaiter: CheckedContinuation<Void, Never>?

    init(
        _ socket: Socket, on loop: Loop, core: ServerCore, limits: LoopbackServer.Limits, authority: String,
        listener: Listener
    ) {
        self.socket = socket
        self.loop = loop
        self.core = core
        self.limits = limits
        self.listener = listener
        parser = RequestParser(authority: authority, limits: limits)
    }

    func start(isFull: Bool) {
        let reader = DispatchSource.makeReadSource(fileDescriptor: socket.descriptor, queue: loop.queue)
        let writer = DispatchSource.makeWriteSource(fileDescriptor: socket.descriptor, queue: loop.queue)
        let read: @Sendable () -> Void = { [weak self] in self?.assumeIsolated { $0.readable() } }
        let write: @Sendable () -> Void = { [weak self] in self?.assumeIsolated { $0.writable() } }
        // The descriptor is ours until neither source can look at it any more.
        let end: @Sendable () -> Void = { self.assumeIsolated { $0.sourceEnded() } }
        reader.setEventHandler(handler: read)
        reader.setCancelHandler(handler: end)
        writer.setEventHandler(handler: write)
        writer.setCancelHandler(handler: end)
        self.reader = reader
        self.writer = writer
        reader.activate()
        if isFull {
            refuse(Refusal(status: 503, reason: "there are \(limits.connections) connections already"))
        }
    }

    // MARK: Reading

    private func readable() {
        for _ in 0..<8 {
            guard !isReaderPaused, !isOver else { return }
            let (outcome, room) = withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 16) {
                buffer in
                let outcome = socket.receive(into: buffer)
                if case .bytes(let count) = outcome, count > 0, !isSaid {
                    // A head must come as a whole in its time, a body piece by piece.
                    if parser.isIdle || parser.isInBody { since = .now }
                    parser.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                }
                return (outcome, buffer.count)
            }
            switch outcome {
            case .bytes(0): return peerEnded()
            case .bytes(let count):
                advance()
                if count < room { return }
            case .wouldBlock: return
            case .broken: return cut()
            }
        }
    }

    /// Answers what is there to be answered.
    private func advance() {
        while case .reading = phase {
            if isFull { flush() }
            guard !isFull, !isOver else { break }
            do {
                guard let message = try parser.next() else {
                    if parser.takeContinue() { outbox.append(Data("HTTP/1.1 100 Continue\r\n\r\n".utf8)) }
                    break
                }
                phase = .replying
                answer(message)
            } catch {
                refuse(error)
            }
        }
        flush()
        pauseReading(parser.buffered > Self.readAhead && (!isReading || isFull))
    }

    private func peerEnded() {
        hasPeerEnded = true
        pauseReading(true)
        switch phase {
        case .reading where !outbox.isEmpty: end(.close)
        case .ending, .over: break
        // Nobody is there any more: who would wait for the rest?
        case .reading, .replying, .lingering: cut()
        }
    }

    private func pauseReading(_ pauses: Bool) {
        let pauses = pauses || hasPeerEnded
        guard pauses != isReaderPaused, !isOver, let reader else { return }
        isReaderPaused = pauses
        if pauses { reader.suspend() } else { reader.resume() }
    }

    private func refuse(_ refusal: Refusal) {
        let text = "\(refusal.status): \(refusal.reason)\n"
        var head = "HTTP/1.1 \(refusal.status)\r\nContent-Type: \(MediaType.text)\r\n"
        head += "Content-Length: \(text.utf8.count)\r\nConnection: close\r\n\r\n"
        outbox.append(Data((head + text).utf8))
        end(.close)
    }

    // MARK: Replying

    private func answer(_ message: RequestParser.Message) {
        encoder = ResponseEncoder(to: message.head, mayKeep: mayKeep)
        hold = core.time.hold()
        let request = ReceivedRequest(
            method: message.head.method, url: message.head.url, headers: message.head.headers,
            body: message.body, time: core.time.now)
        let (take, outcome) = core.decide(request, keeping: limits.requests)
        self.take = take
        switch outcome {
        case .failure(let error):
            self.take = nil
            begin(error.onTheWire, to: request.method)
        case .reply(let reply, _): begin(reply, to: request.method)
        case .handler(let handler):
            drive { connection in
                let reply = try await Connection.reply(of: handler, to: take.request)
                try await connection.play(connection.core.plan(reply, to: request.method))
            }
        }
    }

    private func begin(_ reply: Reply, to method: HTTPMethod) {
        let plan = core.plan(reply, to: method)
        guard plan.isImmediate else { return drive { try await $0.play(plan) } }
        for index in plan.steps.indices where put(plan.steps[index], before: plan.steps[(index + 1)...]) {
            break
        }
    }

    /// Lets a reply go on that takes its time.
    private func drive(_ work: @escaping @Sendable (isolated Connection) async throws -> Void) {
        let hold = hold
        driver = Task {
            do {
                try await VirtualClock.$currentHold.withValue(hold) { try await work(self) }
            } catch {
                if isReplying { _ = put(.failure(error)) }
            }
            advance()
        }
    }

    /// Writes a step; true when it was the last.
    func put(_ step: ReplyPlan.Step, before rest: ArraySlice<ReplyPlan.Step> = []) -> Bool {
        guard isReplying, var encoder else { return true }
        if case .failure(let error as MockServerError) = step, !encoder.hasHead {
            take = nil
            begin(error.onTheWire, to: .get)
            return true
        }
        take?.note(step: step, at: core.time.now)
        self.encoder = nil
        let (bytes, ending) = encoder.encode(step, before: rest)
        self.encoder = encoder
        outbox.append(bytes)
        guard let ending else { return false }
        finish(ending)
        return true
    }

    private func finish(_ ending: ResponseEncoder.Ending) {
        endReply()
        guard ending == .keep, mayKeep, !hasPeerEnded else { return end(ending == .reset ? .reset : .close) }
        since = .now
        phase = .reading
    }

    private func endReply() {
        core.time.release(hold)
        hold = nil
        driver = nil
        encoder = nil
        take = nil
    }

    // MARK: Writing

    private var isFull: Bool { outbox.count >= Self.enough }

    private func writable() {
        flush()
        if isReading { advance() }
    }

    func send() { flush() }

    private func flush() {
        guard !isOver else { return }
        let before = outbox.count
        switch outbox.send(to: socket) {
        case .broken: return cut()
        case .full:
            if outbox.count < before || stuckSince == nil { stuckSince = .now }
            pauseWriting(false)
        case .empty:
            stuckSince = nil
            pauseWriting(true)
            if case .ending(let ending) = phase { conclude(ending) }
        }
        if !isFull { openRoom() }
    }

    /// Returns when not too much waits for the client.
    func room() async {
        guard !isOver, isFull else { return }
        await withCheckedContinuation { roomWaiter = $0 }
    }

    private func openRoom() {
        let waiter = roomWaiter
        roomWaiter = nil
        waiter?.resume()
    }

    private func pauseWriting(_ pauses: Bool) {
        guard pauses != isWriterPaused, !isOver, let writer else { return }
        isWriterPaused = pauses
        // The first time it starts the source.
        if pauses { writer.suspend() } else { writer.resume() }
    }

    // MARK: Ending

    private var isOver: Bool { if case .over = phase { true } else { false } }
    private var isReading: Bool { if case .reading = phase { true } else { false } }
    private var isReplying: Bool { if case .replying = phase { true } else { false } }
    private var isSaid: Bool {
        switch phase {
        case .ending, .lingering: true
        case .reading, .replying, .over: false
        }
    }

    /// Since when nothing goes on here that anyone would miss: it waits for a request, or for a client that has not
    /// read for longer than others may take to write.
    var waitingSince: ContinuousClock.Instant? {
        if let stuckSince { return stuckSince.duration(to: .now) > limits.patience ? stuckSince : nil }
        return isReading && outbox.isEmpty ? since : nil
    }

    /// Takes no more requests.
    func endSoon() {
        mayKeep = false
        if isReading { end(.close) }
    }

    /// Ends what takes too long.
    func check(_ now: ContinuousClock.Instant) {
        let time = since.duration(to: now)
        switch phase {
        case .reading where !outbox.isEmpty: break
        case .reading where parser.isIdle: if time > limits.idle { cut() }
        case .reading:
            if time > limits.patience { refuse(Refusal(status: 408, reason: "the request takes too long")) }
        case .lingering: if time > Self.farewell { cut() }
        // A client that takes its time to read is welcome to it.
        case .replying, .ending, .over: break
        }
    }

    private func end(_ ending: ResponseEncoder.Ending) {
        guard !isOver else { return }
        since = .now
        phase = .ending(ending)
        flush()
    }

    /// The last byte is out of our hands.
    private func conclude(_ ending: ResponseEncoder.Ending) {
        switch ending {
        case .reset:
            // A reset throws away what the other side does not have yet.
            if socket.unacknowledged > 0, since.duration(to: .now) < Self.farewell {
                loop.after(.milliseconds(1)) { [weak self] in self?.assumeIsolated { $0.flush() } }
                return
            }
            socket.resetOnClose()
            cut()
        case .close, .keep:
            socket.endSending()
            since = .now
            phase = .lingering
            if hasPeerEnded { cut() } else { pauseReading(false) }
        }
    }

    /// Ends at once.
    func cut() {
        guard !isOver, let reader, let writer else { return }
        phase = .over
        driver?.cancel()
        endReply()
        outbox.removeAll()
        openRoom()
        // A source that is suspended does not notice that it is cancelled.
        reader.cancel()
        if isReaderPaused { reader.resume() }
        writer.cancel()
        if isWriterPaused { writer.resume() }
    }

    private func sourceEnded() {
        openSources -= 1
        guard openSources == 0 else { return }
        reader = nil
        writer = nil
        socket.close()
        listener.assumeIsolated { $0.ended(self) }
    }
}
