import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLSessionConfiguration {
    /// A copy that carries its protocol classes, proxy and TLS settings, but none of the platform's own
    /// stores: a cache makes a late cancel fatal (PLATFORM A16), cookies ignore path and Secure, stored
    /// credentials answer challenges by themselves (B). Its additional headers are the manager's to send (A11).
    func forTransport() -> URLSessionConfiguration {
        let copy = self.copy() as? URLSessionConfiguration ?? .ephemeral
        copy.urlCache = nil
        copy.urlCredentialStorage = nil
        copy.httpCookieStorage = nil
        copy.httpShouldSetCookies = false
        copy.httpAdditionalHeaders = nil
        return copy
    }
}

extension URLRequest {
    /// A copy whose timeout never fires before ours. The platform's own is in whole seconds, and traps for
    /// values that are not finite or huge (PLATFORM B).
    func forTransport() -> URLRequest {
        var copy = self
        copy.timeoutInterval = 86_400 * 365
        copy.httpShouldHandleCookies = false
        copy.cachePolicy = .reloadIgnoringLocalCacheData
        return copy
    }
}
