/// Feeds an iterator with what a listing brings, off the actor of whoever iterates.
actor ListingFeed {
    private let run: ListingRun
    /// Comes when what was read before it has been handed out; nothing comes behind it.
    private var failure: (any Error)?

    init(_ request: DataRequest, _ listing: ItemListing, from start: ResumeToken?) {
        run = ListingRun(request, listing, from: start)
    }

    /// The next elements, at least one; `nil` at the end of the list.
    func nextBatch() async throws -> ElementBatch? {
        guard let batch = try await read() else { return nil }
        run.taken += batch.count
        return batch
    }

    /// The next items, at least one; `nil` at the end of the list.
    func nextItems<Item>(_ decoder: ItemDecoder<Item>) async throws -> [Item]? {
        while let batch = try await read() {
            let items = take(batch, decoder)
            run.taken += items.count
            if !items.isEmpty { return items }
        }
        return nil
    }

    /// The next page; `nil` at the end of the list.
    func nextPage<Item>(_ decoder: ItemDecoder<Item>) async throws -> ItemPage<Item>? {
        var items: [Item] = []
        while true {
            var batch = ElementBatch()
            let step: ListingRun.Step
            do {
                step = try await run.step { scanner, chunk in try scanner.scan(chunk, into: &batch) }
            } catch {
                throw run.known(error)
            }
            items += take(batch, decoder, behind: items.count)
            if let failure { throw end(with: failure) }
            switch step {
            case .piece: continue
            case .page(let end):
                run.countPage(items.count)
                return ItemPage(items: items, info: end.info, resume: end.resume)
            case .end: return nil
            }
        }
    }

    /// The elements of the next piece that has any.
    private func read() async throws -> ElementBatch? {
        while failure == nil {
            var batch = ElementBatch()
            do {
                let step = try await run.step { scanner, chunk in try scanner.scan(chunk, into: &batch) }
                if case .end = step { return nil }
            } catch {
                failure = error
            }
            if !batch.isEmpty { return batch }
        }
        guard let failure else { return nil }
        throw end(with: failure)
    }

    private func end(with failure: any Error) -> any Error {
        self.failure = nil
        run.end()
        return run.known(failure)
    }

    /// The items of `batch`; what is wrong with one comes behind them.
    private func take<Item>(
        _ batch: ElementBatch, _ decoder: ItemDecoder<Item>, behind count: Int? = nil
    ) -> [Item] {
        let (items, failure) = decoder.items(of: batch)
        if let failure { self.failure = run.undecodable(failure, behind: count ?? run.taken) }
        return items
    }
}
