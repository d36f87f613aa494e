import Foundation
import RESTClient

extension SessionManager {
    /// The manager of the app. A UI test passes the URL of a mock server in the environment.
    static func shop(environment: [String: String] = ProcessInfo.processInfo.environment) -> SessionManager {
        SessionManager(baseURL: URL(string: environment["SHOP_URL"] ?? "https://shop.example"))
    }
}
