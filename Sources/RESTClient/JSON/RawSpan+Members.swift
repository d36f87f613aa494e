extension RawSpan {
    /// Where the value at `path` is in this JSON value, or `nil` where there is none.
    ///
    /// The JSON must have been checked; it may be cut, and what is cut off is not there. Of members with the same key the
    /// first counts.
    ///
    /// - Parameter path: names from the outside in, as UTF-8; none is the value itself.
    package func value(at path: [[UInt8]]) -> Range<Int>? {
        var start = endOfBlanks(from: 0)
        for name in path {
            var place: Int?
            forEachKey(from: start) { key, value in
                guard ListScanner.matches(extracting(key), name) else { return true }
                place = value
                return false
            }
            guard let place else { return nil }
            start = place
        }
        return endOfValue(from: start).map { start..<$0 }
    }

    /// Lends the places of each member's key and value in this JSON object, which must have been checked; of anything else
    /// there are none.
    package func forEachMember(_ body: (_ key: Range<Int>, _ value: Range<Int>) -> Void) {
        forEachKey(from: endOfBlanks(from: 0)) { key, start in
            guard let end = endOfValue(from: start) else { return false }
            body(key, start..<end)
            return true
        }
    }

    /// Lends each key's place and where its value starts, as long as `body` wants more.
    private func forEachKey(from start: Int, _ body: (_ key: Range<Int>, _ value: Int) -> Bool) {
        var index = start
        var separator = Byte.openBrace
        while let key = indexBehind(separator, from: index), let keyEnd = endOfValue(from: key),
            let value = indexBehind(Byte.colon, from: keyEnd)
        {
            guard body(key..<keyEnd, value), let end = endOfValue(from: value) else { return }
            index = end
            separator = Byte.comma
        }
    }

    private func indexBehind(_ byte: UInt8, from start: Int) -> Int? {
        let index = endOfBlanks(from: start)
        guard index < byteCount, self.byte(at: index) == byte else { return nil }
        return endOfBlanks(from: index + 1)
    }

    private func endOfValue(from start: Int) -> Int? {
        var reader = ValueReader()
        reader.begin(maxDepth: .max)
        if let end = try? reader.read(self, from: start) { return end }
        return reader.isWholeNumber ? byteCount : nil
    }
}
