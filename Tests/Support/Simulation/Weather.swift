import RESTClientHTTP
import MockTransport

/// What goes wrong with a visit to a page: the same for the same seed, page and visit, in whatever order they come.
struct Weather: Sendable {
    /// What becomes of a visit.
    enum Event: Sendable {
        case fine
        case status(HTTPStatus, retryAfter: String?)
        case fault(Fault)
        /// The head, so many bytes of the body, and silence.
        case stall(after: Int?)
        case html, empty, noContent
        /// The JSON ends too early in framing that is whole.
        case cut(Double)
        case redirect(Redirect)
    }

    enum Redirect: CaseIterable, Sendable { case within, across, around, toFile, nowhere }

    /// How a reply takes its time.
    struct Pace: Sendable {
        var delay: Duration = .zero
        var pieces = 1
        var spread: Duration = .zero
    }

    private let seed: UInt64
    /// How many of the visits meet trouble, 0 to 1.
    let trouble: Double
    /// How many of the replies take their time.
    private let slowness: Double
    private let mayStall: Bool

    init(_ random: inout SeededGenerator, mayStall: Bool) {
        seed = random.next()
        trouble = [0, 0, 0.04, 0.15, 0.5].randomElement(using: &random) ?? 0
        slowness = [0, 0, 0, 0.1, 0.5].randomElement(using: &random) ?? 0
        self.mayStall = mayStall
    }

    private func dice(_ page: Int, _ visit: Int, _ salt: UInt64) -> SeededGenerator {
        var random = SeededGenerator(
            seed: seed ^ salt ^ UInt64(bitPattern: Int64(page)) &* 0x9E37_79B9_7F4A_7C15
                ^ UInt64(bitPattern: Int64(visit)) &* 0xC2B2_AE3D_27D4_EB4F)
        _ = random.next()
        return random
    }

    func pace(of page: Int, visit: Int) -> Pace {
        var random = dice(page, visit, 1)
        guard Double.random(in: 0..<1, using: &random) < slowness else {
            return Pace(pieces: Int.random(in: 0..<4, using: &random) == 0 ? 3 : 1)
        }
        return Pace(
            delay: .milliseconds(2 * Int.random(in: 0...2_000, using: &random)),
            pieces: Int.random(in: 1...5, using: &random),
            spread: .milliseconds(2 * Int.random(in: 0...2_000, using: &random)))
    }

    func event(at page: Int, visit: Int, bytes: Int) -> Event {
        var random = dice(page, visit, 2)
        guard Double.random(in: 0..<1, using: &random) < trouble else { return .fine }
        let place = Int.random(in: 0...max(1, bytes), using: &random)
        switch Int.random(in: 0..<22, using: &random) {
        case 0, 1: return .status([500, 502, 503, 504].randomElement(using: &random) ?? 503, retryAfter: nil)
        case 2, 3:
            let wish = ["1", "7", "0", "-1", "abc", "1000000000", "Fri, 01 Jan 1999 00:00:00 GMT", "  3"]
            return .status(
                Bool.random(using: &random) ? 429 : 503, retryAfter: wish.randomElement(using: &random))
        case 4:
            return .status(
                [400, 403, 404, 410, 422, 301, 304].randomElement(using: &random) ?? 404, retryAfter: nil)
        case 5: return .fault(.refused)
        case 6:
            return .fault(
                [.hostNotFound, .tlsFailure, .malformedHead].randomElement(using: &random) ?? .refused)
        case 7: return .fault(.reset(.beforeHead))
        case 8: return .fault(.reset(.afterHead))
        case 9, 10: return .fault(.reset(.inBody(after: place)))
        case 11: return .fault(.close(.inBody(after: place)))
        case 12: return .fault(.emptyReply)
        case 13:
            return .fault([.malformedChunk, .invalidGzip, .truncatedGzip].randomElement(using: &random) ?? .truncatedGzip)
        case 14: return .fault(.contentLength(offBy: Int.random(in: -9...9, using: &random)))
        case 15: return .html
        case 16: return Bool.random(using: &random) ? .empty : .noContent
        case 17: return .cut(Double.random(in: 0..<1, using: &random))
        case 18 where mayStall: return .stall(after: nil)
        case 19 where mayStall: return .stall(after: place)
        default: return .redirect(Redirect.allCases.randomElement(using: &random) ?? .within)
        }
    }
}
