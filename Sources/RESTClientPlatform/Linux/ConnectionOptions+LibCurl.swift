// Part of the engine for Linux, where URLSession is built on libcurl. Apple platforms need none.
#if canImport(FoundationNetworking)
import Foundation
import RESTClientHTTP

extension ConnectionOptions {
    /// Sets the options of a transfer, except for the addresses.
    ///
    /// - Throws: `TransferFailure` if an option is invalid, its file cannot be read, or libcurl does not know it.
    func apply(to handle: LibCurl.Handle, _ curl: LibCurl) throws(TransferFailure) {
        try check()
        typealias Option = LibCurl.Option
        // Without a password, OpenSSL would ask for that of an encrypted key at the terminal.
        let password = clientCertificate == nil ? nil : keyPassword ?? ""
        let pins = pinnedPublicKeys.isEmpty ? nil : pinnedPublicKeys.joined(separator: ";")
        let texts: [(String, text: String?, Option, forProxy: Option?)] = [
            ("caFile", caFile, .caFile, .proxyCAFile), ("caFolder", caFolder, .caFolder, .proxyCAFolder),
            ("clientCertificate", clientCertificate, .sslCertificate, .proxyCertificate),
            ("clientKey", clientKey, .sslKey, .proxyKey),
            ("keyPassword", password, .keyPassword, .proxyKeyPassword),
            ("pinnedPublicKeys", pins, .pinnedPublicKey, nil),
            ("unixSocket", unixSocket, .unixSocketPath, nil),
            // The proxy of the environment would receive what is meant for the socket.
            ("proxy", proxy ?? unixSocket.map { _ in "" }, .proxy, nil),
        ]
        for case (let name, let text?, let option, let forProxy) in texts {
            guard curl.set(option, text, of: handle), forProxy.map({ curl.set($0, text, of: handle) }) ?? true
            else { throw unknown(name) }
        }
        // The authorities of the system have a file and a folder.
        if caFile != nil || caFolder != nil {
            let unused: [Option] =
                (caFile == nil ? [.caFile, .proxyCAFile] : [])
                + (caFolder == nil ? [.caFolder, .proxyCAFolder] : [])
            for option in unused { curl.set(option, nil, of: handle) }
        }
        if let ipVersion, !curl.set(.ipResolve, ipVersion == .v4 ? 1 : 2, of: handle) {
            throw unknown("ipVersion")
        }
        if usesHTTP1Only, !curl.set(.httpVersion, LibCurl.Value.http1, of: handle) {
            throw unknown("usesHTTP1Only")
        }
        // Without a limit, that of libcurl would apply: 300 seconds.
        let limit = connectTimeout.map { max(1, $0 / .milliseconds(1)) } ?? .infinity
        guard curl.set(.connectTimeout, Int(min(limit, Double(Int32.max))), of: handle) else {
            throw unknown("connectTimeout")
        }
    }

    private func unknown(_ name: String) -> TransferFailure {
        let version = LibCurl.shared?.version ?? ""
        return TransferFailure(
            .badURL, "libcurl \(version) does not support ConnectionOptions.\(name)")
    }

    private func check() throws(TransferFailure) {
        // Not a loop over an array: Swift 6.3 does not compile that to the same code each time.
        try check("caFile", caFile)
        try check("caFolder", caFolder)
        try check("clientCertificate", clientCertificate)
        try check("clientKey", clientKey)
        if clientCertificate == nil {
            if clientKey != nil { throw invalid("clientKey", "needs clientCertificate") }
            if keyPassword != nil { throw invalid("keyPassword", "needs clientCertificate") }
        }
        // libcurl takes any other text as the name of a file.
        guard pinnedPublicKeys.allSatisfy({ $0.hasPrefix("sha256//") && !$0.contains(";") }) else {
            throw invalid("pinnedPublicKeys", "a key begins with sha256//")
        }
        try checkCharacters("ConnectionOptions.proxy", proxy)
        // Those of the environment apply otherwise.
        for name in ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] where proxy == nil
        {
            try checkCharacters(name, getenv(name).map { String(cString: $0) })
        }
        guard let proxy, !proxy.isEmpty else { return }
        if unixSocket != nil { throw invalid("unixSocket", "cannot be combined with proxy") }
        let url = URL(string: proxy.contains("://") ? proxy : "http://\(proxy)")
        let schemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]
        // The text may contain a password.
        guard let url, url.host()?.isEmpty == false, schemes.contains(url.scheme?.lowercased() ?? "") else {
            throw invalid("proxy", "needs a URL such as http://HOST:PORT or socks5h://HOST:PORT")
        }
    }

    /// Refuses a user or a password that libcurl cannot decode, because it then sends the request without the proxy.
    private func checkCharacters(_ name: String, _ proxy: String?) throws(TransferFailure) {
        guard let proxy else { return }
        let parts = proxy.split(separator: "%", omittingEmptySubsequences: false)
        let escaped = parts.dropFirst().map { $0.prefix(2) }
            .filter { $0.count == 2 && $0.allSatisfy(\.isHexDigit) }
            .compactMap { UInt8($0, radix: 16) }
        guard (Array(proxy.utf8) + escaped).contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return }
        throw TransferFailure(.badURL, "\(name): the URL of the proxy contains a control character")
    }

    private func check(_ name: String, _ path: String?) throws(TransferFailure) {
        guard let path, access(path, R_OK) != 0 else { return }
        throw invalid(name, "cannot read \(path): \(String(cString: strerror(errno)))")
    }

    private func invalid(_ name: String, _ text: String) -> TransferFailure {
        TransferFailure(.badURL, "ConnectionOptions.\(name): \(text)")
    }
}
#endif
