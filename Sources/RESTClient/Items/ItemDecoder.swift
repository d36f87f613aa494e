/// Makes items of elements: strings without a decoder, everything else a batch at a time.
struct ItemDecoder<Item: Decodable & Sendable>: Sendable {
    /// The items of a batch, all of them, or those in front of one that is none and what is wrong with it.
    func items(of batch: ElementBatch) -> (items: [Item], failure: ElementBatch.Undecodable?) {
        if let items = strings(of: batch) { return (items, nil) }
        let (values, failure) = batch.values(as: Item.self)
        return (values, failure)
    }

    /// The items, where these are nothing but strings.
    private func strings(of batch: ElementBatch) -> [Item]? {
        // The cast, of one and the same type, looks at no element where it starts from `Any`.
        if Item.self == MyItem.self { return batch.strings { MyItem(name: $0) } as Any as? [Item] }
        if Item.self == String.self { return batch.strings { $0 } as Any as? [Item] }
        return nil
    }
}

extension ElementBatch {
    /// Each string as a value; `nil` where an element is something else.
    fileprivate func strings<Value>(_ make: (String) -> Value) -> [Value]? {
        var values: [Value] = []
        values.reserveCapacity(count)
        do {
            try forEachKnown { element, isPlain in
                guard let text = ListScanner.string(element, isPlain: isPlain) else { throw NoString() }
                values.append(make(text))
            }
        } catch {
            return nil
        }
        return values
    }

    private struct NoString: Error {}
}
