extension ListingRun {
    /// Every item of every page.
    func readAll<Item>(_ decoder: ItemDecoder<Item>) async throws -> [Item] {
        var items: [Item] = []
        var batch = ElementBatch()
        do {
            while true {
                let step = try await step { scanner, chunk in try scanner.scan(chunk, into: &batch) }
                if !batch.isEmpty {
                    let (more, failure) = decoder.items(of: batch)
                    if let failure { throw undecodable(failure, behind: taken) }
                    items += more
                    taken += more.count
                    batch.removeAll()
                }
                if case .end = step { return items }
            }
        } catch {
            guard var error = known(error) as? RESTClientError else { throw error }
            // The items before it are gone with this call.
            error.listing?.resume = nil
            throw error
        }
    }

    /// Pushes every page through a scanner.
    func scanAll(
        onPage: (PageEnd) throws -> Void, onPause: () throws -> Void,
        _ push: (inout ListScanner, RawSpan) throws -> Void
    ) async throws -> RESTClientError.Progress {
        do {
            while true {
                if !hasPieceAtHand { try onPause() }
                let step = try await step(push)
                switch step {
                case .piece: taken = found
                case .page(let end): try onPage(end)
                case .end: return progress
                }
            }
        } catch {
            taken = found
            throw known(error)
        }
    }
}
