extension ListingRun {
    /// Every item of every page.
    func readAll<Item: Decodable & Sendable>(_ decoder: ItemDecoder<Item>) async throws -> [Item] {
        // The compiler makes code of their own for these two; the cast, of one and the same type, looks at no element.
        if Item.self == MyItem.self, let items = try await readStrings({ MyItem(name: $0) }) as Any as? [Item]
        {
            return items
        }
        if Item.self == String.self, let items = try await readStrings({ $0 }) as Any as? [Item] {
            return items
        }
        var items: [Item] = []
        var batch = ElementBatch()
        try await readAll { scanner, chunk in
            let scanned = Result { try scanner.scan(chunk, into: &batch) }
            // What stands before a failure comes before it.
            let (more, failure) = decoder.items(of: batch)
            let wrong = failure.map { undecodable($0, behind: taken) }
            items += more
            taken += more.count
            batch.removeAll()
            if let wrong { throw wrong }
            try scanned.get()
        }
        return items
    }

    /// Every item of every page: a text each, made where the scanner finds it.
    private func readStrings<Item: Decodable & Sendable>(_ make: (String) -> Item) async throws -> [Item] {
        var items: [Item] = []
        try await readAll { scanner, chunk in
            let before = items.count
            defer { taken += items.count - before }
            try scanner.scanKnown(chunk) { element, isPlain in
                if let text = ListScanner.string(element, isPlain: isPlain) {
                    items.append(make(text))
                } else {
                    let (more, failure) = ElementBatch(element).values(as: Item.self)
                    items += more
                    if let failure { throw undecodable(failure, behind: taken + items.count - before) }
                }
            }
        }
        return items
    }

    /// Pushes every page through a scanner, for a result that a failure leaves nothing of.
    private func readAll(_ push: (inout ListScanner, RawSpan) throws -> Void) async throws {
        do {
            while true {
                if case .end = try await step(push) { return }
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
