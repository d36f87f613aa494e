/// The proxy that the platform's HTTP library takes from the environment, as curl(1) says.
struct Proxy: Equatable {
    let host: String

    /// The one between this machine and `host`; `nil` where there is none. A name in `NO_PROXY` that only ends the host's is
    /// not looked at: who asks wants to be sure.
    init?(forPlainHTTPTo host: String, _ environment: Environment) {
        let spared = ["no_proxy", "NO_PROXY"].compactMap(environment.variable).joined(separator: ",")
        let names = spared.split { ", ".contains($0) }.map { $0.lowercased() }
        guard !names.contains("*"), !names.contains(host.lowercased()),
            let text = ["http_proxy", "all_proxy", "ALL_PROXY"].compactMap(environment.variable)
                .first(where: { !$0.isEmpty })
        else { return nil }
        // SCHEME://USER:PASSWORD@HOST:PORT/, of which all but the host may be missing.
        let authority = text.firstRange(of: "://").map { text[$0.upperBound...] } ?? text[...]
        let place = authority.prefix { $0 != "/" }.split(separator: "@").last ?? ""
        self.host =
            place.hasPrefix("[") ? place.prefix { $0 != "]" } + "]" : String(place.prefix { $0 != ":" })
    }
}
