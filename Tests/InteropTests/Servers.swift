import Foundation
import Testing

/// The real servers that `Scripts/interop` runs, each by the variable that carries its base URL.
enum Servers: String {
    case nginx = "ITEMS_INTEROP_NGINX"
    case httpbin = "ITEMS_INTEROP_HTTPBIN"
    /// httpbin again, on another port: another origin.
    case other = "ITEMS_INTEROP_OTHER"
    case python = "ITEMS_INTEROP_PYTHON"
    /// Accepts, reads, never says a word.
    case silent = "ITEMS_INTEROP_SILENT"
    case trusted = "ITEMS_INTEROP_TLS"
    case selfSigned = "ITEMS_INTEROP_SELF_SIGNED"
    case expired = "ITEMS_INTEROP_EXPIRED"
    case wrongHost = "ITEMS_INTEROP_WRONG_HOST"

    /// The number of calls in each run of `CancellationStressTests`. Defaults to 0, which disables them.
    static let stressCalls =
        ProcessInfo.processInfo.environment["ITEMS_INTEROP_STRESS"].flatMap(Int.init) ?? 0

    private var base: URL? {
        ProcessInfo.processInfo.environment[rawValue].flatMap { URL(string: $0) }
    }

    var isRunning: Bool { base != nil }

    /// `path` there; it may carry a query.
    func callAsFunction(_ path: String) throws -> URL {
        let base = try #require(base)
        return try #require(URL(string: path, relativeTo: base)).absoluteURL
    }
}

extension Trait where Self == ConditionTrait {
    /// Only where `server` runs: a plain `swift test` needs no network.
    static func running(_ server: Servers) -> Self {
        .enabled(if: server.isRunning, "run Scripts/interop")
    }
}
