// A job that reads many lists of a service without exceeding its rate limit.

import Foundation
import RESTClient

/// Counts the open issues of many repositories.
struct IssueCounts: Sendable {
    private let github: SessionManager

    init(
        token: String, configuration: URLSessionConfiguration = .ephemeral,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        github = SessionManager(
            baseURL: "https://api.github.com", configuration: configuration,
            interceptors: [.retry(), .limiting(concurrent: 8, perSecond: 10), .bearer(token)], clock: clock)
    }

    /// Returns the numbers by repository, such as `apple/swift-nio`. All lists are read at the same time; the limiter decides
    /// when each of their pages is requested.
    func counts(of repositories: [String]) async throws -> [String: Int] {
        struct OpenIssue: Decodable { var number: Int }
        return try await withThrowingTaskGroup(of: (String, Int).self) { group in
            for repository in repositories {
                let list = MyRESTClient(url: "repos/\(repository)/issues", manager: github, at: .root)
                group.addTask { (repository, try await list.getAvailableItems(as: OpenIssue.self).count) }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }
}
