import Foundation
import RESTClientHTTP

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A credential that is renewed by one task, however many requests wait for it.
///
/// Renewals are counted. A request remembers the count with which it was sent, so that a refusal that comes late is told
/// from one of the newest credential.
final class RenewableCredential: Sendable {
    typealias Renew = @Sendable (_ refused: Credential?) async throws -> Credential

    /// The credential at one moment.
    struct Grant: Sendable {
        let credential: Credential
        /// How many renewals had ended.
        let generation: Int
        /// Whether its renewal was waited for: then there is no better one.
        var isFresh = false
    }

    private struct State {
        var credential: Credential?
        /// How many renewals have ended, one way or the other.
        var generation = 0
        /// Why the last one failed.
        var failure: RenewalFailure?
        var renewal: Renewal?
    }

    private enum Step {
        case use(Grant)
        case fail(RenewalFailure)
        case wait(Renewal)
        case renew(Renewal, refused: Credential?)
    }

    let renew: @Sendable (Credential?, SessionManager) async throws -> Credential
    private let now: @Sendable () -> Date
    private let state: LockedState<State>

    init(
        _ credential: Credential?, now: @escaping @Sendable () -> Date,
        renew: @escaping @Sendable (Credential?, SessionManager) async throws -> Credential
    ) {
        self.now = now
        self.renew = renew
        state = LockedState(State(credential: credential))
    }

    /// Where the credential goes; `nil` while there is none.
    var header: HTTPHeaders.Name? { state.withLock { $0.credential?.header } }

    /// What to send now; renewed first where there is none, or where it has expired.
    ///
    /// - Throws: `RenewalFailure`, or what ends the wait of `flight`.
    func current(_ flight: Flight, _ renew: @escaping Renew) async throws -> Grant {
        let now = now()
        return try await take(flight, renew) { state in
            guard state.renewal == nil, let credential = state.credential,
                credential.expires.map({ $0 > now }) ?? true
            else { return nil }
            return .use(Grant(credential: credential, generation: state.generation))
        }
    }

    /// What to send after `refused` was refused: what others have got meanwhile, or a renewed one.
    ///
    /// - Throws: `RenewalFailure`, also the one of a renewal that others waited for since `refused` was taken;
    ///   or what ends the wait of `flight`.
    func replacement(for refused: Grant, _ flight: Flight, _ renew: @escaping Renew) async throws -> Grant {
        try await take(flight, renew) { state in
            guard state.generation != refused.generation else { return nil }
            if let failure = state.failure { return .fail(failure) }
            return state.credential.map { .use(Grant(credential: $0, generation: state.generation)) }
        }
    }

    /// Does what `decide` says; where that is nothing, waits for the renewal that runs, or for one that begins here.
    private func take(
        _ flight: Flight, _ renew: @escaping Renew, _ decide: @Sendable (State) -> Step?
    ) async throws -> Grant {
        let step: Step = state.withLock { state in
            if let step = decide(state) { return step }
            if let renewal = state.renewal { return .wait(renewal) }
            let renewal = Renewal()
            state.renewal = renewal
            return .renew(renewal, refused: state.credential)
        }
        switch step {
        case .use(let grant): return grant
        case .fail(let failure): throw failure
        case .wait(let renewal): return try await renewal.grant(for: flight)
        case .renew(let renewal, let refused):
            // Not a child of the request's task, which may be cancelled.
            Task { await run(renewal, refused: refused, renew) }
            return try await renewal.grant(for: flight)
        }
    }

    private func run(_ renewal: Renewal, refused: Credential?, _ renew: Renew) async {
        let result: Result<Credential, RenewalFailure>
        do { result = .success(try await renew(refused)) } catch { result = .failure(RenewalFailure(error)) }
        let outcome: Result<Grant, any Error> = state.withLock { state in
            state.renewal = nil
            state.generation += 1
            switch result {
            case .success(let credential):
                state.credential = credential
                state.failure = nil
                return .success(Grant(credential: credential, generation: state.generation, isFresh: true))
            case .failure(let failure):
                state.failure = failure
                return .failure(failure)
            }
        }
        renewal.end(outcome)
    }
}

/// Why there is no renewed credential; becomes an error about each request that waited.
struct RenewalFailure: Error {
    private let underlying: any Error

    init(_ underlying: any Error) { self.underlying = underlying }

    func error(for request: URLRequest) -> any Error {
        if underlying is CancellationError { return underlying }
        return RESTClientError(.authentication(.refreshFailed), request, underlying: underlying)
    }
}
