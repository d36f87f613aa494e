import HTTPCore

/// What seems to lead on, in a way that nobody knows: no list ends in silence before its end.
extension PageInfo {
    /// Says why the page may not be the last one, though no rule leads on.
    func riddle() -> String? {
        riddleOfNext() ?? riddleOfNames() ?? riddleOfMore() ?? riddleOfCounts() ?? riddleOfPart()
            ?? (envelope.isCut ? "there is too much around the list to find out whether a page follows" : nil)
    }

    /// `next` is a token, or something else that is no URL.
    private func riddleOfNext() -> String? {
        let next = find([Members.next]) { path in
            envelope.string(path) ?? envelope.integer(path).map { "\($0)" }
        }
        guard let next, !next.value.isEmpty else { return nil }
        let path = SafeText.quoted("\(next.path)")
        return "\(path) is \(SafeText.quoted(next.value, limit: 40)), no URL; "
            + "say which query item takes it, with .token(at: \(path), query: …)"
    }

    /// A member that should lead on has a value that does not, or one that was too large to be kept.
    func riddle(at path: MemberPath) -> String? {
        let shown = SafeText.quoted("\(path)")
        if envelope.leftOut.contains(path) { return "\(shown) is too long to be followed" }
        return envelope.claim(path).map {
            "\(shown) is \($0), which does not say where the next page is\(Self.advice)"
        }
    }

    /// Any member with a name that leads on.
    private func riddleOfNames() -> String? {
        let names = [MemberPath(names: [Members.next])] + Members.links + Members.tokens.map(\.0)
        for place in knownPlaces ?? places {
            for name in names {
                if let riddle = riddle(at: MemberPath(names: place.names + name.names)) { return riddle }
            }
        }
        return nil
    }

    /// `has_more` is neither true nor false.
    private func riddleOfMore() -> String? {
        // `more` alone may be about anything.
        guard let more = find(Members.more.filter { $0 != "more" }, envelope.claim) else { return nil }
        return "\(SafeText.quoted("\(more.path)")) is \(more.value), neither true nor false\(Self.advice)"
    }

    /// There are more items than came, and nothing says how to ask for them.
    private func riddleOfCounts() -> String? {
        if let count = find(Members.pageCount, envelope.claim), wholeNumber(count.path) == nil,
            currentPage != nil
        {
            return "\(SafeText.quoted("\(count.path)")) is \(count.value), no number of pages\(Self.advice)"
        }
        if let total = find(Members.total, envelope.claim), wholeNumber(total.path) == nil,
            isOffset || currentPage != nil && integer(Members.pageSize) != nil
        {
            return "\(SafeText.quoted("\(total.path)")) is \(total.value), no number of items\(Self.advice)"
        }
        let size = integer(Members.pageSize)
        let isFullPage = size.map { $0 == itemCount && $0 > 0 } ?? false
        let isOddSize = size.map { $0 <= 0 } ?? false
        let total: Int?
        if isOddSize || isFullPage && currentPage == nil {
            total = integer(Members.total)
        } else if size == nil, currentPage == nil, isWhole {
            total = integer(Members.itemTotal)
        } else {
            total = nil
        }
        guard let total, itemCount > 0, total > itemsSoFar else { return nil }
        return
            "\(itemsSoFar) of \(total) items came, and the page does not say how to get the others\(Self.advice)"
    }

    /// Whether the page says at which item it begins.
    private var isOffset: Bool {
        Members.offset.contains { query($0) != nil } || find(Members.offset, wholeNumber) != nil
    }

    /// Whether the page is the first one, and its URL asks for no part of the list.
    private var isWhole: Bool {
        let parts = Members.pageQueries + Members.pageSize + Members.offset
        return number == 1 && headers[.link] == nil && !parts.contains { query($0) != nil }
    }

    /// A status 206 for a request that asked for all (RFC 9110, section 15.3.7), as servers page that count in ranges.
    private func riddleOfPart() -> String? {
        guard isPart else { return nil }
        let range = headers["Content-Range"] ?? ""
        // items 25-49/50: the last place, and how many there are (RFC 9110, section 14.4).
        let numbers = range.split { !$0.isNumber && $0 != "*" }.suffix(3).compactMap { Int($0) }
        if numbers.count == 3, numbers[1] < .max, numbers[1] + 1 >= numbers[2] { return nil }
        let shown = range.isEmpty ? "" : ", \(SafeText.quoted(range, limit: 40))"
        return
            "the reply is a part of the list (206\(shown)), and does not say where the next one is\(Self.advice)"
    }

    private static let advice = "; name the pagination"
}
