import Foundation
import RESTClientHTTP

/// Next pages that are not known with certainty.
extension PageReader {
    /// Returns `true` for the error of a request after the last page. The reason of a 400 can also be an
    /// unknown query item, for the second page, or a limit.
    func isAfterLastPage(_ error: RESTClientError) -> Bool {
        switch error.kind {
        case .status(404), .status(416): true
        case .status(400): (completePages > 1 || hasSameParameters) && !isBeyondLimit(error)
        default: false
        }
    }

    /// Returns `true` if a 400 can be a limit: after a multiple of 1,000 items, or by a number in its text.
    private func isBeyondLimit(_ error: RESTClientError) -> Bool {
        let last = received % 1000 + (previousInfo?.itemCount ?? 0)
        if received % 1000 == 0 || last > 1000 { return true }
        guard let text = error.serverMessage?.lowercased().replacing(",", with: "") else { return false }
        if text.contains(#/window|too (?:deep|far|high|large|many)/#) { return true }
        guard text.contains(#/<|less than|at most|between|exceed|first|limit|max|only|up to/#)
        else { return false }
        let pages = position.number - 1
        return text.matches(of: #/\d+/#).compactMap { Int($0.output) }.contains { number in
            number > received && number != 400 || number % 10 == 0 && [received, pages].contains(number)
        }
    }

    /// A Boolean value that indicates whether the URL of the current page has the query items of the first one, with other values.
    private var hasSameParameters: Bool {
        request.urlRequest.url.map(hasSameParameters(as:)) == true && position.request.hasOnlyURL
    }

    private func hasSameParameters(as other: URL) -> Bool {
        Set(QueryItems(of: other).map(\.name)) == Set(QueryItems(of: position.url).map(\.name))
    }

    /// Returns the requests to try if the current page cannot be the one after the page before it, or `nil`.
    func alternatives(to guess: StandardPagination.Guess) async throws -> StandardPagination.Guess? {
        defer { isCheckingGuess = false }
        var guess = guess
        var isSamePage = try await isSameAsPreviousPage()
        if isSamePage { isSamePage = try await !statesAnotherPosition() }
        if let next = guess.ifOverlapping, let previousPage, hasSameParameters(as: next.url),
            guess.isNamedFromOne || !isSamePage && delivered.isIdentified,
            scanner.fingerprint?.overlaps(previousPage, onlyObjects: !guess.hasTotal) == true
        {
            guess.ifOverlapping = nil
            guess.alternatives = [next] + (isSamePage ? guess.alternatives : [])
            return guess
        }
        if guess.expectsItems, failure == nil, scanner.fingerprint?.count == 0 {
            guess.alternatives = guess.ifEmpty.map { [$0] } ?? []
            guess.ifEmpty = nil
            return guess
        }
        // If a page was inserted, the next position has another page. A server that ignores the position sends this one again.
        if guess.isQuiet, nextGuess?.isQuiet == true, hasSameParameters, moves.fruitlessPages == 0,
            delivered.isIdentified
        {
            return nil
        }
        return isSamePage ? guess : nil
    }

    /// Opens the next alternative instead of the current page, or ends the list, with the failure of `guess` and the message of
    /// the server that has refused the current page.
    func openAlternative(
        of guess: StandardPagination.Guess, after refusal: RESTClientError? = nil
    ) async throws -> Bool {
        (failure, held) = (nil, [])
        var guess = guess
        guard !guess.alternatives.isEmpty else {
            guard let failure = guess.failure else { return try await openAgain(hasNextPage: true) }
            var error = RESTClientError(pagination: failure, suggestion: guess.suggestion)
            error.response = refusal?.response
            plan = .failed(error)
            throw error
        }
        plan = .unknown
        phase = .betweenPages
        let request = guess.alternatives.removeFirst()
        try queue?.replace(with: [request], after: position.number - 1, rule: "another parameter")
        nextGuess = guess
        endBeforeAlternative = moves.pages.last?.page
        return try await openPage()
    }

    /// Returns `true` if this page is the same as the previous one. Its elements are kept in `held`.
    private func isSameAsPreviousPage() async throws -> Bool {
        guard let previousPage, previousPage.count > 0 else { return false }
        while scanner.fingerprint?.differs(from: previousPage) == false {
            // The elements of an incomplete page can be those of the previous one.
            if let failure { throw failure }
            guard let chunk = try await nextChunk() else {
                if scanner.envelope == nil { held = [] }
                return scanner.fingerprint == previousPage
            }
            try hold(chunk)
            if scanner.fingerprint?.isAtLimit == true { return scanner.fingerprint == previousPage }
        }
        return false
    }
}
