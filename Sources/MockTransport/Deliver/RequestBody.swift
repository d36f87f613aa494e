import Foundation

/// The body of a request, from the place where the platform keeps it.
enum RequestBody {
    case data(Data)
    case stream(InputStream)
    /// A function that passes the stream of a delegate to its argument.
    case provided(@Sendable (@escaping @Sendable (InputStream?) -> Void) -> Void)

    init(of request: URLRequest) {
        if request.httpBody == nil, let stream = request.httpBodyStream {
            self = .stream(stream)
        } else {
            self = .data(request.httpBody ?? Data())
        }
    }

    /// Reads the whole body outside the context of the protocol, because a read can block until the client writes.
    ///
    /// `completion` is not called if a read fails, which fails the request, or if the delivery ends before. A read that blocks
    /// then continues until the client writes: a stream must not be closed on another thread.
    func read(for delivery: ReplyDelivery, completion: @escaping @Sendable (Data) -> Void) {
        switch self {
        case .data(let data): completion(data)
        case .stream(let stream): Self.read(stream, delivery, completion)
        case .provided(let provide):
            // A delegate may call its completion handler twice.
            let pending = LockedState<(@Sendable (Data) -> Void)?>(completion)
            provide { stream in
                guard let completion = pending.withLock({ $0.take() }) else { return }
                guard let stream else { return completion(Data()) }
                Self.read(stream, delivery, completion)
            }
        }
    }

    private static func read(
        _ stream: InputStream, _ delivery: ReplyDelivery, _ completion: @escaping @Sendable (Data) -> Void
    ) {
        // SAFETY: only the reader uses the stream.
        nonisolated(unsafe) let stream = stream
        delivery.work.runBlocking {
            stream.open()
            defer { stream.close() }
            var body = Data()
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            while !delivery.isFinished {
                let count = stream.read(&buffer, maxLength: buffer.count)
                if count == 0 { return completion(body) }
                guard count > 0 else {
                    // PLATFORM A35.
                    let error = stream.streamStatus == .closed ? nil : stream.streamError
                    return delivery.post([.failure(error ?? URLError(.requestBodyStreamExhausted))])
                }
                body.append(contentsOf: buffer[..<count])
                delivery.timer?.restart()
            }
        }
    }
}
