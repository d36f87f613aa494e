import Foundation

/// The protocol class of the shared session. It handles requests only while a server replaces the session.
final class SharedSessionProtocol: MockURLProtocol {
    override class func canInit(with request: URLRequest) -> Bool {
        ProtocolRegistry.shared.server(of: self) != nil && super.canInit(with: request)
    }

    /// `true` if the shared session uses this class before the protocols of the platform.
    ///
    /// On Linux the shared session copies the registered protocols at its first use, and the platform's own are
    /// registered by the first session of the process (PLATFORM A12). They are therefore registered again after this
    /// class.
    static let isInstalled: Bool = {
        // Apple platforms ask registered classes before their own, at any time.
        #if canImport(FoundationNetworking)
        let platform = (URLSessionConfiguration.default.protocolClasses ?? []).compactMap {
            $0 as? URLProtocol.Type
        }
        for type in platform { URLProtocol.unregisterClass(type) }
        _ = URLProtocol.registerClass(SharedSessionProtocol.self)
        for type in platform { _ = URLProtocol.registerClass(type) }
        let first: AnyClass? = URLSession.shared.configuration.protocolClasses?.first { type in
            type == SharedSessionProtocol.self || platform.contains { $0 == type }
        }
        return first.map { $0 == SharedSessionProtocol.self } ?? false
        #else
        return URLProtocol.registerClass(SharedSessionProtocol.self)
        #endif
    }()
}
