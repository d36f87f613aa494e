import Foundation
import RESTClientHTTP

/// Pages whose bodies break off.
extension PageReader {
    /// Requests the current page again after its body broke off, and holds the elements after the `delivered`
    /// ones. Returns `false` if the page may not be requested again, or has other elements.
    func reopenPage(after error: any Error, _ delivered: PageFingerprint?) async throws -> Bool {
        let count = index(after: 0)
        guard case .inPage = phase, !isCheckingGuess, let queue, let delivered,
            delivered.total == count, Self.isIncompleteBody(error),
            (position.request.method ?? request.urlRequest.method) == .get
        else { return false }
        var again = position
        again.skip = count
        while restarts < listing.maxPageRestarts {
            restarts += 1
            do {
                try await request.pause(.seconds(1))
                try queue.insertAgain(again)
                let page = try await queue.next()
                guard !page.response.status.hasNoBody else { return false }
                (plan, bodyPrefix) = (.unknown, Data())
                (failure, held, doubtful) = (nil, [], ([], 0))
                itemsOnCompletePages += deliveredItems
                (position.skip, deliveredItems) = (count, 0)
                startReading(page, after: count)
                while failure == nil, count > 0, scanner.fingerprint?.start == nil,
                    let chunk = try await nextChunk()
                {
                    try hold(chunk)
                }
                return count == 0 || scanner.fingerprint?.start == delivered.whole
            } catch let error as RESTClientError {
                guard case .incompleteBody = error.kind else { return false }
            }
        }
        return false
    }

    static func isIncompleteBody(_ error: any Error) -> Bool {
        if case .incompleteBody? = (error as? RESTClientError)?.kind { true } else { false }
    }
}
