import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Requests that handlers make, on their way to a server: while one is answered its handler waits and does not work.
///
/// Without this a handler that asks a server on its own virtual clock, itself perhaps, would hold the time for which
/// the answer waits.
enum Errands {
    private struct Errand: Hashable {
        let type: ObjectIdentifier
        let url: URL
    }

    /// Some are never sent: so many are remembered at most.
    private static let limit = 1_000

    private static let underWay = LockedState<[Errand: [VirtualClock.Hold]]>([:])

    /// A request for `url` was made under `hold`.
    static func note(_ url: URL, _ type: URLProtocol.Type, under hold: VirtualClock.Hold) {
        underWay.withLock { underWay in
            if underWay.count >= limit { underWay = [:] }
            underWay[Errand(type: ObjectIdentifier(type), url: url), default: []].append(hold)
        }
    }

    /// What the request for `url` that has arrived was made under, if that was a handler.
    static func take(_ url: URL, _ type: URLProtocol.Type) -> VirtualClock.Hold? {
        underWay.withLock { underWay in
            guard !underWay.isEmpty else { return nil }
            let errand = Errand(type: ObjectIdentifier(type), url: url)
            guard let hold = underWay[errand]?.first else { return nil }
            underWay[errand]?.removeFirst()
            if underWay[errand]?.isEmpty == true { underWay[errand] = nil }
            return hold
        }
    }
}
