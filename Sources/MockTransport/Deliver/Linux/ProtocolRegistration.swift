import Foundation

extension URLProtocol {
    /// Registers the class for the shared session. Returns `true` if that session uses it before the protocols of the
    /// platform.
    ///
    /// On Linux the shared session copies the registered protocols at its first use, and the platform's own are
    /// registered by the first session of the process (PLATFORM A12). They are therefore registered again after this
    /// class.
    static func registerFirst() -> Bool {
        // Apple platforms ask registered classes before their own, at any time.
        #if canImport(FoundationNetworking)
        let platform = (URLSessionConfiguration.default.protocolClasses ?? []).compactMap {
            $0 as? URLProtocol.Type
        }
        for type in platform { URLProtocol.unregisterClass(type) }
        _ = URLProtocol.registerClass(self)
        for type in platform { _ = URLProtocol.registerClass(type) }
        let first: AnyClass? = URLSession.shared.configuration.protocolClasses?.first { type in
            type == self || platform.contains { $0 == type }
        }
        return first.map { $0 == self } ?? false
        #else
        return URLProtocol.registerClass(self)
        #endif
    }
}
