import Foundation

/// A reply as a sequence of steps, which are delivered by a URLProtocol or sent over a socket.
struct ReplyPlan: Sendable {
    enum Step: Sendable {
        case wait(Duration)
        case work(@Sendable () async -> Void)
        /// A stop of the reply: no further step is performed until the client times out.
        case stall
        case head(Head)
        case chunk(Data)
        /// Chunks of an asynchronous source.
        case stream(Reply.ChunkSource)
        /// The end of a complete reply.
        case end
        case connectionFailure(ConnectionFailure)
        /// An error for the client. A socket cannot send it and closes instead.
        case failure(any Error)
        /// The response of the real server, which is recorded if there is a recorder.
        case passthrough(ExchangeRecorder?)

        var isImmediate: Bool {
            switch self {
            case .wait, .work, .stall, .stream, .passthrough: false
            case .head, .chunk, .end, .connectionFailure, .failure: true
            }
        }
    }

    struct Head: Sendable {
        let status: HTTPStatus
        let headers: HTTPHeaders
        /// The announced length of the body, or `nil` if its chunks announce their own.
        let length: Int?
        /// `true` if a socket sends the body as gzip. In the process, chunks are delivered decoded, as by URLSession.
        var isGzip = false

        /// The header fields for `HTTPURLResponse`, with values of the same name joined as by URLSession.
        var fields: [String: String] {
            HTTPHeaders(joining: headers.map { ($0.name.rawValue, $0.value) })
                .reduce(into: [:]) { $0[$1.name.rawValue] = $1.value }
        }
    }

    enum ConnectionFailure: Sendable {
        case refused, hostNotFound, tlsFailure, malformedHead, malformedChunk, invalidGzip, truncatedGzip,
            reset
        /// The connection is closed while `remaining` bytes of the announced length are missing. `nil` if no length was
        /// announced.
        case closed(remaining: Int?)
        /// Closed before the head.
        case empty
    }

    private(set) var steps: [Step] = []

    /// `true` if only the client can end the reply.
    var stalls: Bool { steps.contains { if case .stall = $0 { true } else { false } } }

    /// The error with which a limited source ends when it reaches its limit.
    struct LimitReached: Error {}

    private static func prefix(_ limit: Int, of source: @escaping Reply.ChunkSource) -> Reply.ChunkSource {
        { emit in
            var remaining = limit
            try await source { chunk in
                let part = chunk.prefix(remaining)
                remaining -= part.count
                try await emit(part)
                if remaining == 0 { throw LimitReached() }
            }
        }
    }

    init(failure error: any Error) { steps = [.failure(error)] }

    init(
        _ reply: Reply, for method: HTTPMethod, _ serverConditions: NetworkConditions,
        _ random: inout SeededGenerator
    ) {
        let conditions = reply.conditions ?? serverConditions
        let wait = [reply.delay, conditions.latency].reduce(Duration.zero) { sum, delay in
            sum + (delay?.next(&random) ?? .zero)
        }
        if let work = reply.work { steps.append(.work(work)) }
        if wait > .zero { steps.append(.wait(wait)) }
        switch reply.content {
        case _ where !(100...999).contains(reply.status.rawValue):
            steps.append(.failure(MockServerError(.unusableReply(.invalidStatus(reply.status)))))
        case .error(let error): steps.append(.failure(error))
        case .passthrough(let recorder): steps.append(.passthrough(recorder))
        case .body(let body): add(reply, body, method, conditions, &random)
        case .file(let file) where !file.isFileURL:
            steps.append(.failure(MockServerError(.unusableReply(.notAFile(file)))))
        case .file(let file):
            do {
                let data = try Data(contentsOf: file, options: .mappedIfSafe)
                add(reply, .data(data), method, conditions, &random)
            } catch { steps.append(.failure(MockServerError(.unusableReply(.unreadableFile(file, error))))) }
        }
    }

    private mutating func add(
        _ reply: Reply, _ body: Reply.Body, _ method: HTTPMethod, _ conditions: NetworkConditions,
        _ random: inout SeededGenerator
    ) {
        let fault = reply.fault ?? conditions.randomLoss(of: body.count ?? 0, &random)
        // A HEAD response has no body (RFC 9110, section 9.3.2), nor have some statuses.
        let hasBody = method != .head && !reply.status.hasNoBody
        let schedule = BodySchedule(dribble: reply.dribble, bytesPerSecond: conditions.bytesPerSecond)

        func head(_ length: Int?, isGzip: Bool = false) -> Step {
            var headers = reply.headers
            if length == nil {
                headers[.transferEncoding] = "chunked"
            } else if headers[.contentLength] == nil, !reply.status.hasNoBody {
                headers[.contentLength] = length.map(String.init)
            }
            if isGzip { headers[.contentEncoding] = "gzip" }
            return .head(Head(status: reply.status, headers: headers, length: length, isGzip: isGzip))
        }
        func part(_ limit: Int? = nil) -> [Step] {
            switch body {
            case .data(let data): schedule.steps(of: limit.map { data.prefix($0) } ?? data, whole: data.count)
            case .stream(let source): [.stream(limit.map { Self.prefix($0, of: source) } ?? source)]
            case .recorded(let chunks, _):
                limit.map { schedule.steps(of: chunks.data.prefix($0), whole: chunks.data.count) }
                    ?? chunks.steps
            }
        }
        let isChunked = reply.headers[.transferEncoding] != nil
        let usual = isChunked ? nil : body.count
        let half = (body.count ?? 0) / 2

        switch fault?.effect {
        case .connection(let failure): steps.append(.connectionFailure(failure))
        case .reset(.beforeHead): steps.append(.connectionFailure(.reset))
        case .close(.beforeHead): steps.append(.connectionFailure(.empty))
        case .stall(.beforeHead): steps.append(.stall)
        case _ where !hasBody: steps += [head(usual), .end]
        case nil: steps += [head(usual)] + part() + [body.end]
        case .malformedChunk: steps += [head(nil)] + part(half) + [.connectionFailure(.malformedChunk)]
        case .invalidGzip: steps += [head(nil, isGzip: true), .connectionFailure(.invalidGzip)]
        case .truncatedGzip:
            steps += [head(nil, isGzip: true)] + part(half) + [.connectionFailure(.truncatedGzip)]
        case .contentLength(let difference):
            let (sum, overflows) = (body.count ?? 0).addingReportingOverflow(difference)
            let count = overflows ? .max : max(sum, 0)
            let last = difference > 0 ? Step.connectionFailure(.closed(remaining: difference)) : .end
            steps += [head(count)] + part(count) + [last]
        case .reset(let phase), .close(let phase), .stall(let phase):
            let sent = phase.sentBytes(of: body.count)
            // A body with its announced length would be complete. If the entire body is sent, no length is announced.
            let isWhole = sent == nil || sent == body.count
            let remaining = isWhole ? nil : body.count.map { $0 - (sent ?? 0) }
            steps += [head(isWhole ? nil : usual)] + (sent == 0 ? [] : part(sent))
            switch fault?.effect {
            case .reset: steps.append(.connectionFailure(.reset))
            case .close: steps.append(.connectionFailure(.closed(remaining: remaining)))
            default: steps.append(.stall)
            }
        }
    }
}

extension Reply.Body {
    /// The number of bytes, or `nil` for a stream.
    fileprivate var count: Int? {
        switch self {
        case .data(let data): data.count
        case .stream: nil
        case .recorded(let chunks, _): chunks.reduce(0) { $0 + $1.data.count }
        }
    }

    /// The step after the whole body.
    fileprivate var end: ReplyPlan.Step {
        if case .recorded(_, let failure?) = self { .failure(failure) } else { .end }
    }
}

extension [HAR.Chunk] {
    /// The chunks, each after a wait until its time.
    fileprivate var steps: [ReplyPlan.Step] {
        var last = Duration.zero
        return flatMap { chunk -> [ReplyPlan.Step] in
            defer { last = Swift.max(last, chunk.time) }
            return (chunk.time > last ? [.wait(chunk.time - last)] : []) + [.chunk(chunk.data)]
        }
    }
}

extension Fault.Phase {
    /// Returns the number of body bytes sent before this phase, or `nil` for all bytes of a stream.
    fileprivate func sentBytes(of count: Int?) -> Int? {
        switch self {
        case .beforeHead, .afterHead: 0
        case .inBody(let bytes): max(0, min(bytes, count ?? bytes))
        case .atEnd: count
        }
    }
}

private struct BodySchedule {
    let dribble: (chunks: Int, duration: Duration)?
    let bytesPerSecond: Int?

    /// Returns the steps for `data`, which is the start of a body of `whole` bytes.
    func steps(of data: Data, whole: Int) -> [ReplyPlan.Step] {
        guard !data.isEmpty else { return [] }
        guard dribble != nil || bytesPerSecond != nil else { return [.chunk(data)] }
        var steps: [ReplyPlan.Step] = []
        let chunks = min(dribble?.chunks ?? 1, whole)
        for number in 0..<chunks {
            let range = (whole * number / chunks)..<(whole * (number + 1) / chunks)
            let part = data.dropFirst(range.lowerBound).prefix(range.count)
            guard !part.isEmpty else { break }
            if let dribble { steps.append(.wait(dribble.duration / chunks)) }
            steps += throttled(part, whole: whole / chunks)
        }
        return steps
    }

    /// The times between the chunks of a limited body. Each one is a multiple of the first, so that bodies of different sizes
    /// that start at the same time also continue at the same times, and a virtual clock advances once for all of them.
    private static let intervals = [0.1, 0.2, 0.5, 1]
    /// The number of chunks above which the next longer interval is used.
    private static let maxChunks = 20.0

    /// Returns chunks with a wait of the transfer time before each. A body has up to 20 chunks, but at least one a second: a
    /// client that waits for data must not time out.
    private func throttled(_ data: Data, whole: Int) -> [ReplyPlan.Step] {
        guard let bytesPerSecond else { return [.chunk(data)] }
        let seconds = Double(whole) / Double(bytesPerSecond)
        let interval = Self.intervals.first { seconds <= $0 * Self.maxChunks } ?? 1
        let size = max(Int(Double(bytesPerSecond) * interval), 1)
        var steps: [ReplyPlan.Step] = []
        var rest = data
        while !rest.isEmpty {
            let chunk = rest.prefix(size)
            rest = rest.dropFirst(chunk.count)
            steps += [.wait(.seconds(1) * Double(chunk.count) / Double(bytesPerSecond)), .chunk(chunk)]
        }
        return steps
    }
}
