import Foundation
import Testing

/// The servers of `Scripts/interop`; each raw value is the environment variable with the base URL.
enum Servers: String {
    case nginx = "ITEMS_INTEROP_NGINX"
    case httpbin = "ITEMS_INTEROP_HTTPBIN"
    /// A second httpbin on another port, which is another origin.
    case otherOrigin = "ITEMS_INTEROP_OTHER"
    case python = "ITEMS_INTEROP_PYTHON"
    /// Accepts connections and never replies.
    case silent = "ITEMS_INTEROP_SILENT"
    case trusted = "ITEMS_INTEROP_TLS"
    /// An HTTP/2 server whose requests fail as their path says.
    case faulty = "ITEMS_INTEROP_HTTP2_FAULTS"
    case selfSigned = "ITEMS_INTEROP_SELF_SIGNED"
    case expired = "ITEMS_INTEROP_EXPIRED"
    case wrongHost = "ITEMS_INTEROP_WRONG_HOST"
    /// nginx, which requires the certificate of a client.
    case mutual = "ITEMS_INTEROP_MUTUAL"
    /// Refuses the handshake without the certificate of a client.
    case strict = "ITEMS_INTEROP_STRICT"

    /// The number of calls in each run of `CancellationStressTests`. Defaults to 0, which disables them.
    static let stressCalls =
        ProcessInfo.processInfo.environment["ITEMS_INTEROP_STRESS"].flatMap(Int.init) ?? 0

    /// The number of uploads of `UploadStressTests`. Defaults to 1,000.
    static let uploads =
        ProcessInfo.processInfo.environment["ITEMS_INTEROP_UPLOADS"].flatMap(Int.init) ?? 1_000

    /// The number of uploads of each kind that end early in `UploadStressTests`. Defaults to 0, which disables them and the
    /// large uploads.
    static let endings = ProcessInfo.processInfo.environment["ITEMS_INTEROP_ENDINGS"].flatMap(Int.init) ?? 0

    /// The size of the large uploads of `UploadStressTests` in bytes. Defaults to 256 MB.
    static let largeUpload =
        ProcessInfo.processInfo.environment["ITEMS_INTEROP_LARGE"].flatMap(Int.init) ?? 256 << 20

    /// Returns the path of a file that `Scripts/interop.d/certificates` has created.
    static func certificate(_ name: String) throws -> String {
        "\(try #require(ProcessInfo.processInfo.environment["ITEMS_INTEROP_CERTIFICATES"]))/\(name)"
    }

    private var base: URL? {
        ProcessInfo.processInfo.environment[rawValue].flatMap { URL(string: $0) }
    }

    var isRunning: Bool { base != nil }

    /// Returns the URL of `path`, which may have a query.
    func callAsFunction(_ path: String) throws -> URL {
        let base = try #require(base)
        return try #require(URL(string: path, relativeTo: base)).absoluteURL
    }
}

extension Trait where Self == ConditionTrait {
    /// Enables a test only if `server` is running.
    static func running(_ server: Servers) -> Self {
        .enabled(if: server.isRunning, "start the servers with Scripts/interop")
    }
}
