extension PageReader {
    /// Returns all items of all pages.
    ///
    /// - Throws: an error without a resume token, because the items before it are not returned.
    func readAll<Item: Decodable>(as type: Item.Type) async throws -> [Item] {
        do {
            // A cast of a whole array to its own type costs nothing. It selects the code without a decoder for the two
            // types that are read from strings.
            if type == MyItem.self, let items = try await readAll({ MyItem(name: $0) }) as Any as? [Item] {
                return items
            }
            if type == String.self, let items = try await readAll({ $0 }) as Any as? [Item] { return items }
            return try await readAll(nil)
        } catch var error as RESTClientError {
            error.listing?.resume = nil
            throw error
        }
    }

    private func readAll<Item: Decodable>(_ makeItem: ((String) -> Item)?) async throws -> [Item] {
        var items: [Item] = []
        while true {
            switch try await next() {
            case .elements:
                let count = items.count
                let failure = batch.append(to: &items, makeItem)
                let error = failure.map { undecodable($0) }
                didDeliver(items.count - count)
                if let error { throw fail(error) }
            case .pageEnd: continue
            case .listEnd: return items
            }
        }
    }
}

extension ElementBatch {
    /// Returns the elements as items: all of them, or those before one that cannot be decoded, and the reason.
    func items<Item: Decodable>(as type: Item.Type) -> (items: [Item], failure: UndecodableElement?) {
        // As in `readAll(as:)`.
        if type == MyItem.self {
            let (items, failure) = items { MyItem(name: $0) }
            if let items = items as Any as? [Item] { return (items, failure) }
        }
        if type == String.self {
            let (items, failure) = items { $0 }
            if let items = items as Any as? [Item] { return (items, failure) }
        }
        return items(nil)
    }

    private func items<Item: Decodable>(
        _ makeItem: ((String) -> Item)?
    ) -> (items: [Item], failure: UndecodableElement?) {
        var items: [Item] = []
        let failure = append(to: &items, makeItem)
        return (items, failure)
    }

    /// Adds the elements as items: all of them, or those before one that cannot be decoded; the result is the reason.
    ///
    /// - Parameter makeItem: creates an item from a string, for types that are read from strings.
    fileprivate func append<Item: Decodable>(
        to items: inout [Item], _ makeItem: ((String) -> Item)?
    ) -> UndecodableElement? {
        if let makeItem {
            let count = items.count
            do {
                try forEachKnown { element, isPlain in
                    guard let text = ListScanner.string(element, isPlain: isPlain) else { throw NotAString() }
                    items.append(makeItem(text))
                }
                return nil
            } catch {
                items.removeSubrange(count...)
            }
        }
        let (values, failure) = values(as: Item.self)
        items += values
        return failure
    }

    private struct NotAString: Error {}
}
