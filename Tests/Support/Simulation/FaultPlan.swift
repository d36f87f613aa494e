import MockTransport

/// The faults and delays of a simulated server, determined by its seed, the page, and the number of the request for it.
struct FaultPlan: Sendable {
    /// The reply to a request for a page.
    enum Outcome: Sendable {
        case page
        case status(HTTPStatus, retryAfter: String?)
        case fault(Fault)
        /// Stalls after the given number of body bytes, or before the head if `nil`.
        case stall(after: Int?)
        case html, emptyBody
        /// A complete response with only the given fraction of the JSON text.
        case truncatedJSON(Double)
        case redirect(RedirectTarget)
    }

    enum RedirectTarget: CaseIterable, Sendable { case samePage, otherOrigin, itself, file, none }

    /// The delay before a reply, and the duration of its body.
    struct Timing: Sendable {
        var delay: Duration = .zero
        var chunks = 1
        var duration: Duration = .zero
    }

    private let seed: UInt64
    /// The share of requests that get another reply than the page, from 0 to 1.
    let faultRate: Double
    /// The share of replies that are delayed, from 0 to 1.
    private let delayRate: Double
    private let canStall: Bool

    init(_ random: inout SeededGenerator, canStall: Bool) {
        seed = random.next()
        faultRate = [0, 0, 0.04, 0.15, 0.5].randomElement(using: &random) ?? 0
        delayRate = [0, 0, 0, 0.1, 0.5].randomElement(using: &random) ?? 0
        self.canStall = canStall
    }

    private func generator(_ page: Int, _ visit: Int, _ salt: UInt64) -> SeededGenerator {
        var random = SeededGenerator(
            seed: seed ^ salt ^ UInt64(bitPattern: Int64(page)) &* 0x9E37_79B9_7F4A_7C15
                ^ UInt64(bitPattern: Int64(visit)) &* 0xC2B2_AE3D_27D4_EB4F)
        _ = random.next()
        return random
    }

    func timing(of page: Int, visit: Int) -> Timing {
        var random = generator(page, visit, 1)
        guard Double.random(in: 0..<1, using: &random) < delayRate else {
            return Timing(chunks: Int.random(in: 0..<4, using: &random) == 0 ? 3 : 1)
        }
        return Timing(
            delay: .milliseconds(2 * Int.random(in: 0...2_000, using: &random)),
            chunks: Int.random(in: 1...5, using: &random),
            duration: .milliseconds(2 * Int.random(in: 0...2_000, using: &random)))
    }

    func outcome(of page: Int, visit: Int, bytes: Int) -> Outcome {
        var random = generator(page, visit, 2)
        guard Double.random(in: 0..<1, using: &random) < faultRate else { return .page }
        let position = Int.random(in: 0...max(1, bytes), using: &random)
        switch Int.random(in: 0..<22, using: &random) {
        case 0, 1: return .status([500, 502, 503, 504].randomElement(using: &random) ?? 503, retryAfter: nil)
        case 2, 3:
            let values = ["1", "7", "0", "-1", "abc", "1000000000", "Fri, 01 Jan 1999 00:00:00 GMT", "  3"]
            return .status(
                Bool.random(using: &random) ? 429 : 503, retryAfter: values.randomElement(using: &random))
        case 4:
            // With 204, 400, 404 or 416 a server can say that a list without a count has ended.
            return .status(
                [402, 403, 405, 410, 301, 304].randomElement(using: &random) ?? 403, retryAfter: nil)
        case 5: return .fault(.refused)
        case 6:
            return .fault(
                [.hostNotFound, .tlsFailure, .malformedHead].randomElement(using: &random) ?? .refused)
        case 7: return .fault(.reset(.beforeHead))
        case 8: return .fault(.reset(.afterHead))
        case 9, 10: return .fault(.reset(.inBody(after: position)))
        case 11: return .fault(.close(.inBody(after: position)))
        case 12: return .fault(.emptyReply)
        case 13:
            return .fault(
                [.malformedChunk, .invalidGzip, .truncatedGzip].randomElement(using: &random)
                    ?? .truncatedGzip)
        case 14: return .fault(.contentLength(offBy: Int.random(in: -9...9, using: &random)))
        case 15: return .html
        case 16: return .emptyBody
        case 17: return .truncatedJSON(Double.random(in: 0..<1, using: &random))
        case 18 where canStall: return .stall(after: nil)
        case 19 where canStall: return .stall(after: position)
        default: return .redirect(RedirectTarget.allCases.randomElement(using: &random) ?? .samePage)
        }
    }
}
