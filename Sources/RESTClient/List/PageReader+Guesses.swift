import Foundation
import RESTClientHTTP

/// Next pages that are not known with certainty.
extension PageReader {
    /// Returns `true` if `error` is that of a request after the last page. The reason of a 400 can also be an unknown query
    /// item, for the second page, or a limit.
    func isAfterLastPage(_ error: RESTClientError) -> Bool {
        switch error.kind {
        case .status(404), .status(416): true
        case .status(400): (completePages > 1 || hasSameParameters) && !isBeyondLimit(error)
        default: false
        }
    }

    /// Returns `true` if the reason of a 400 can be a limit of the server: the page would go beyond a multiple of 1,000 items, or
    /// the message names a limit other than the number of the items or pages before it.
    private func isBeyondLimit(_ error: RESTClientError) -> Bool {
        let last = received % 1000 + (previousInfo?.itemCount ?? 0)
        if received % 1000 == 0 || last > 1000 { return true }
        guard let text = error.serverMessage?.lowercased().replacing(",", with: "") else { return false }
        if text.contains(#/window|too (?:deep|far|high|large|many)/#) { return true }
        guard text.contains(#/<|less than|at most|between|exceed|first|limit|max|only|up to/#) else {
            return false
        }
        let pages = position.number - 1
        return text.matches(of: #/\d+/#).compactMap { Int($0.output) }.contains { number in
            number > received && number != 400 || number % 10 == 0 && [received, pages].contains(number)
        }
    }

    /// A Boolean value that indicates whether the URL of the current page has the query items of the first one, with other values.
    private var hasSameParameters: Bool {
        request.urlRequest.url.map { hasSameParameters(as: PageRequest($0)) } == true
            && position.request.hasOnlyURL
    }

    private func hasSameParameters(as other: PageRequest) -> Bool {
        let names = [other.url, position.request.url].map { Set(QueryItems(of: $0).map(\.name)) }
        return names[0] == names[1]
    }

    /// Compares the current page with the one before it. Returns the requests to try in its place if it cannot be the next
    /// page, or `nil` if it is the next page.
    func alternatives(to guess: StandardPagination.Guess) async throws -> StandardPagination.Guess? {
        defer { isCheckingGuess = false }
        var guess = guess
        var isSamePage = try await isSameAsPreviousPage()
        if isSamePage { isSamePage = try await !statesAnotherPosition() }
        if let next = guess.ifOverlapping, let previousPage, hasSameParameters(as: next),
            guess.isNamedFromOne || !isSamePage && delivered.isIdentified,
            scanner.fingerprint?.overlaps(previousPage, onlyObjects: !guess.isCounted) == true
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

    /// Discards the current page, and starts to read the next alternative. If there is none, throws the failure of `guess`,
    /// or ends the list if it has no failure.
    func openAlternative(of guess: StandardPagination.Guess) async throws -> Bool {
        (failure, held) = (nil, [])
        var guess = guess
        guard !guess.alternatives.isEmpty else {
            guard let failure = guess.failure else { return try await openAgain(hasNextPage: true) }
            let error = RESTClientError(pagination: failure, suggestion: guess.suggestion)
            plan = .failed(error)
            throw error
        }
        plan = .unknown
        phase = .betweenPages
        let request = guess.alternatives.removeFirst()
        try queue?.replace(with: [request], after: position.number - 1, rule: "another parameter")
        nextGuess = guess
        endBeforeAlternative = previousEnd
        return try await openPage()
    }

    /// Returns `true` if the current page is the same as the previous one. Its elements are kept in `held` and
    /// delivered later.
    private func isSameAsPreviousPage() async throws -> Bool {
        guard let previousPage, previousPage.count > 0 else { return false }
        while scanner.fingerprint?.differs(from: previousPage) == false {
            // The elements of an incomplete page can be those of the previous one.
            if let failure { throw failure }
            guard let chunk = try await nextChunk() else {
                if scanner.envelope == nil { held = [] }
                return scanner.fingerprint == previousPage
            }
            try scan(chunk)
            held.append((batch, chunk.count))
            if scanner.fingerprint?.isFull == true { return scanner.fingerprint == previousPage }
        }
        return false
    }
}
