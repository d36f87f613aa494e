import Foundation

/// A reply as steps in time, for anything that can play them: a URLProtocol, a socket.
struct ReplyPlan: Sendable {
    enum Step: Sendable {
        /// Nothing happens for so long.
        case wait(Duration)
        case head(HTTPStatus, HTTPHeaders)
        case chunk(Data)
        /// Chunks that come when they come.
        case chunks(@Sendable (_ emit: (Data) async throws -> Void) async throws -> Void)
        case end
        /// The client gets this error, and nothing more.
        case failure(any Error)

        var isBody: Bool {
            switch self {
            case .chunk, .chunks: true
            case .wait, .head, .end, .failure: false
            }
        }
    }

    let steps: [Step]

    /// Whether all of it can be played at once.
    var isImmediate: Bool {
        steps.allSatisfy { step in
            switch step {
            case .wait, .chunks: false
            case .head, .chunk, .end, .failure: true
            }
        }
    }

    /// What `reply` means for a request of `method`: a HEAD gets the head alone (RFC 9110, section 9.3.2).
    init(_ reply: Reply, to method: HTTPMethod) {
        var steps: [Step] = []
        if let delay = reply.delay, delay > .zero { steps.append(.wait(delay)) }
        switch reply.content {
        case .error(let error):
            steps.append(.failure(error))
        case .data(let data):
            steps += Self.whole(reply, data)
        case .file(let file):
            do {
                steps += Self.whole(reply, try Data(contentsOf: file, options: .mappedIfSafe))
            } catch {
                let reason =
                    "the file \(file.path) of the reply cannot be read: \(error.localizedDescription)"
                steps.append(.failure(MockServerError(.unusableReply, reason)))
            }
        case .stream(let chunks):
            steps += [.head(reply.status, reply.headers), .chunks(chunks), .end]
        }
        self.steps = method == .head ? steps.filter { !$0.isBody } : steps
    }

    private static func whole(_ reply: Reply, _ data: Data) -> [Step] {
        var headers = reply.headers
        if headers[.contentLength] == nil, !reply.status.hasNoBody {
            headers[.contentLength] = "\(data.count)"
        }
        let head = Step.head(reply.status, headers)
        return data.isEmpty || reply.status.hasNoBody ? [head, .end] : [head, .chunk(data), .end]
    }
}
