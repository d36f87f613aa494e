import Foundation

/// A reply as steps in time, for anything that can play them: a URLProtocol, a socket.
struct ReplyPlan: Sendable {
    enum Step: Sendable {
        /// Nothing happens for so long.
        case wait(Duration)
        /// Nothing happens any more.
        case stall
        case head(Head)
        case chunk(Data)
        /// Chunks that come when they come, but no more than `limit` bytes of them.
        case chunks(Reply.Source, limit: Int?)
        /// The reply is complete.
        case end
        /// The connection breaks.
        case broken(Break)
        /// The client gets this error. (A socket has no way to say it, and closes.)
        case failure(any Error)
        /// The real server answers, and is recorded on a cassette.
        case passthrough(Cassette?)
    }

    struct Head: Sendable {
        /// How the end of the body is told.
        enum Framing: Sendable { case length(Int), chunked, none }
        /// What the chunks are wrapped in on a socket; in the process they come as URLSession unwraps them.
        enum Coding: Sendable { case identity, gzip }

        let status: HTTPStatus
        let headers: HTTPHeaders
        let framing: Framing
        let coding: Coding
        /// Those of one name joined, as URLSession does with those from a socket.
        let fields: [String: String]

        init(status: HTTPStatus, headers: HTTPHeaders, framing: Framing, coding: Coding) {
            self.status = status
            self.headers = headers
            self.framing = framing
            self.coding = coding
            var names: Set<HTTPHeaders.Name> = []
            var fields: [String: String] = [:]
            for (name, _) in headers where names.insert(name).inserted {
                fields[name.rawValue] = headers[name]
            }
            self.fields = fields
        }
    }

    /// How a connection breaks.
    enum Break: Sendable {
        case refused, hostNotFound, tlsFailure, malformedHead, malformedChunk, badGzip, reset
        /// Closed; `remaining` bytes were promised by the head, if it promised any number.
        case closed(remaining: Int?)
        /// Closed before the head.
        case empty
    }

    private(set) var steps: [Step] = []

    /// Whether all of it can be played at once.
    var isImmediate: Bool {
        steps.allSatisfy { step in
            switch step {
            case .wait, .stall, .chunks, .passthrough: false
            case .head, .chunk, .end, .broken, .failure: true
            }
        }
    }

    /// What `reply` means for a request of `method`, under the conditions of its server.
    init(_ reply: Reply, to method: HTTPMethod, _ general: NetworkConditions, _ random: inout SeededGenerator)
    {
        let conditions = reply.conditions ?? general
        let wait = [reply.delay, conditions.latency].reduce(Duration.zero) { sum, delay in
            sum + (delay?.next(&random) ?? .zero)
        }
        if wait > .zero { steps.append(.wait(wait)) }
        switch reply.content {
        case .error(let error): steps.append(.failure(error))
        case .passthrough(let cassette): steps.append(.passthrough(cassette))
        case .playback(let playback): add(reply, .playback(playback), method, conditions, &random)
        case .data(let data): add(reply, .data(data), method, conditions, &random)
        case .stream(let source): add(reply, .stream(source), method, conditions, &random)
        case .file(let file):
            do {
                add(
                    reply, .data(try Data(contentsOf: file, options: .mappedIfSafe)), method, conditions,
                    &random)
            } catch {
                let reason =
                    "the file \(file.path) of the reply cannot be read: \(error.localizedDescription)"
                steps.append(.failure(MockServerError(.unusableReply, reason)))
            }
        }
    }

    private enum Body {
        case data(Data)
        case stream(Reply.Source)
        case playback(Reply.Playback)

        var count: Int? {
            switch self {
            case .data(let data): data.count
            case .stream: nil
            case .playback(let playback): playback.body.count
            }
        }

        /// What comes when all of it is out.
        var end: Step {
            if case .playback(let playback) = self, let failure = playback.failure {
                return .failure(failure)
            }
            return .end
        }
    }

    private mutating func add(
        _ reply: Reply, _ body: Body, _ method: HTTPMethod, _ conditions: NetworkConditions,
        _ random: inout SeededGenerator
    ) {
        let fault = reply.fault ?? conditions.drawLoss(of: body.count ?? 0, &random)
        // A HEAD gets the head alone (RFC 9110, section 9.3.2), and some statuses have no body.
        let hasBody = method != .head && !reply.status.hasNoBody
        let pace = Pace(reply, conditions)

        func head(_ framing: Head.Framing, _ coding: Head.Coding = .identity) -> Step {
            var headers = reply.headers
            switch framing {
            case .length(let count):
                if headers[.contentLength] == nil, !reply.status.hasNoBody {
                    headers[.contentLength] = "\(count)"
                }
            case .chunked: headers[.transferEncoding] = "chunked"
            case .none: break
            }
            if coding == .gzip { headers[.contentEncoding] = "gzip" }
            return .head(Head(status: reply.status, headers: headers, framing: framing, coding: coding))
        }
        func part(_ limit: Int? = nil) -> [Step] {
            switch body {
            case .data(let data): pace.steps(of: limit.map { data.prefix($0) } ?? data, whole: data.count)
            case .stream(let source): [.chunks(source, limit: limit)]
            case .playback(let playback):
                limit == nil
                    ? playback.steps
                    : pace.steps(of: playback.body.prefix(limit ?? 0), whole: playback.body.count)
            }
        }
        let isChunked = reply.headers[.transferEncoding] != nil
        let usual: Head.Framing = isChunked ? .chunked : body.count.map { .length($0) } ?? .chunked
        let half = (body.count ?? 0) / 2

        switch fault?.effect {
        case .refused: steps.append(.broken(.refused))
        case .hostNotFound: steps.append(.broken(.hostNotFound))
        case .tlsFailure: steps.append(.broken(.tlsFailure))
        case .malformedHead: steps.append(.broken(.malformedHead))
        case .reset(.beforeHead): steps.append(.broken(.reset))
        case .close(.beforeHead): steps.append(.broken(.empty))
        case .stall(.beforeHead): steps.append(.stall)
        case _ where !hasBody: steps += [head(usual), .end]
        case nil: steps += [head(usual)] + part() + [body.end]
        case .malformedChunk: steps += [head(.chunked)] + part(half) + [.broken(.malformedChunk)]
        case .badGzip: steps += [head(usual, .gzip), .broken(.badGzip)]
        case .cutGzip: steps += [head(usual, .gzip)] + part(half) + [.end]
        case .contentLength(let difference):
            let (sum, isTooMuch) = (body.count ?? 0).addingReportingOverflow(difference)
            let count = isTooMuch ? .max : max(sum, 0)
            let last = difference > 0 ? Step.broken(.closed(remaining: difference)) : .end
            steps += [head(.length(count))] + part(count) + [last]
        case .reset(let moment), .close(let moment), .stall(let moment):
            let sent = moment.bytes(of: body.count)
            // A length that is reached is an end, so a body that is all out must not tell its own.
            let isWhole = sent == nil || sent == body.count
            let remaining = isWhole ? nil : body.count.map { $0 - (sent ?? 0) }
            steps += [head(isWhole ? .chunked : usual)] + (sent == 0 ? [] : part(sent))
            switch fault?.effect {
            case .reset: steps.append(.broken(.reset))
            case .close: steps.append(.broken(.closed(remaining: remaining)))
            default: steps.append(.stall)
            }
        }
    }
}

extension Fault.Moment {
    /// How many bytes of a body are out by then; `nil` is all of them, however many.
    fileprivate func bytes(of count: Int?) -> Int? {
        switch self {
        case .beforeHead, .afterHead: 0
        case .inBody(let bytes): max(0, min(bytes, count ?? bytes))
        case .atEnd: count
        }
    }
}

/// In what pieces, and how fast, a body flows.
private struct Pace {
    let dribble: Reply.Dribble?
    let bytesPerSecond: Int?

    init(_ reply: Reply, _ conditions: NetworkConditions) {
        dribble = reply.dribble
        bytesPerSecond = conditions.bytesPerSecond
    }

    /// `data`, which is a body of `whole` bytes or its beginning, in chunks behind their waits.
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
            steps += flow(part)
        }
        return steps
    }

    /// About ten pieces a second, each behind the time that it takes.
    private func flow(_ data: Data) -> [ReplyPlan.Step] {
        guard let bytesPerSecond else { return [.chunk(data)] }
        var steps: [ReplyPlan.Step] = []
        var rest = data
        while !rest.isEmpty {
            let piece = rest.prefix(max(bytesPerSecond / 10, 1))
            rest = rest.dropFirst(piece.count)
            steps += [.wait(.seconds(1) * Double(piece.count) / Double(bytesPerSecond)), .chunk(piece)]
        }
        return steps
    }
}
