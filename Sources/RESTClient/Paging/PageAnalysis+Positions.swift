import RESTClientHTTP

/// Numbers that no name explains, and that agree with the page: they are those of the next page, or of a part of a greater list.
extension PageAnalysis {
    /// Returns `true` for a number that shows that the list continues.
    func showsPartOfList(_ sign: PaginationSign) -> Bool {
        guard let value = sign.integer, sign.isHeader || isAtList(sign) || sign.path.names.count < 4,
            !Names.echoes.contains(sign.container), !Names.configurations.contains(sign.container)
        else { return false }
        return isNextPosition(sign, value) || isLastOfSeveral(sign, value) || isEndOfRange(sign, value)
    }

    /// Returns `true` for the position of the next page in an unknown object: `{"resume": {"skip": 3}}`.
    private func isNextPosition(_ sign: PaginationSign, _ value: Int) -> Bool {
        guard !sign.isNear, !sign.isHeader, beside(sign).allSatisfy({ $0.key == sign.key })
        else { return false }
        if sign.roles.contains(.pageQuery) { return sign.name == "page" && value == nextPageNumber }
        return sign.roles.contains(.certainOffset) && value == reached
    }

    var nextPageNumber: Int { (currentPage ?? page.number).addingClamped(1) }

    /// Returns `true` for the last number in `{"chunk": {"index": 0, "count": 3}}` or `{"page": 1, "of": 3}`.
    private func isLastOfSeveral(_ sign: PaginationSign, _ last: Int) -> Bool {
        guard page.number == 1, last > 0 else { return false }
        let words = sign.words
        // A last index of 1 is that of a second page.
        if last == 1, !words.contains("index") || !words.contains("last") { return false }
        let part = Names.part(of: sign, without: Names.lastWords)
        guard part != nil || words == ["of"], !isSize(sign, last) else { return false }
        // The number of items on the page.
        if part == "page", last == page.itemCount, ["count", "of", "total"].contains(words.last) {
            return false
        }
        return beside(sign).contains { first in
            guard first.isHeader == sign.isHeader, first.key != sign.key,
                first.integer == 0 || first.integer == 1 && last > 1,
                let firstPart = Names.part(of: first, without: Names.indexWords)
            else { return false }
            return part == firstPart || words == ["of"]
        }
    }

    /// Returns `true` for the last number in `{"first": 1, "last": 3, "max": 7}`: the page is a part.
    private func isEndOfRange(_ sign: PaginationSign, _ whole: Int) -> Bool {
        guard Names.isBound(sign, Names.numbersOfAll), !isSize(sign, whole) else { return false }
        let others = beside(sign).filter { $0.isHeader == sign.isHeader && $0.integer != nil }
        return others.contains { first in
            guard let start = first.integer, start == 0 || start == 1, Names.isBound(first, Names.starts)
            else { return false }
            // A `max` is an index, and a `count` is not.
            let isIndex = start == 0 && Names.isBound(sign, Names.maxima)
            guard whole > (isIndex ? page.itemCount - 1 : page.itemCount) else { return false }
            return others.contains {
                $0.integer == start + page.itemCount - 1
                    && $0.key != sign.key && Names.isBound($0, Names.ends)
            }
        }
    }

    /// Returns `true` for a page size such as `maxResults`, and for one of the request. A `max` alone can be a last number.
    private func isSize(_ sign: PaginationSign, _ value: Int) -> Bool {
        if query[sign.key] == "\(value)" || requested(sizeQuery) == value { return true }
        return !sign.roles.isDisjoint(with: [.pageSize, .sizeQuery])
            && (!["max", "count", "first", "n"].contains(sign.name)
                || beside(sign).contains { $0.roles.contains(.certainOffset) })
    }

    /// Returns `true` for a text that contains the query of the next page, such as `<a href="/items?page=2">`.
    func containsNextQuery(_ sign: PaginationSign) -> Bool {
        guard let text = sign.text, !text.hasPrefix("/"), !text.hasPrefix("http"), text.utf8.count < 2_000,
            text.utf8.contains(UInt8(ascii: "=")),
            !sign.roles.contains(.otherPage), !sign.path.names.contains(where: Names.leadsToOtherPage)
        else { return false }
        return text.matches(of: #/(?:^|[^\w])(page|offset|skip|start)=(\d+)(?!\w)/#).contains { match in
            Int(match.2) == (match.1 == "page" ? nextPageNumber : reached)
        }
    }
}

extension PaginationNames {
    /// Returns the part, such as `page` or `chunk`, that a number counts; its name can have the `words`, too.
    fileprivate static func part(of sign: PaginationSign, without words: Words) -> String? {
        let own = sign.words.filter { $0 != "x" }
        let rest = own.filter { !words.contains($0) }
        // `batches` without another word is the number of batches.
        if words == lastWords, rest.count == own.count, rest.last?.hasSuffix("s") != true { return nil }
        let names = rest.isEmpty ? Self.words(of: sign.path.names.dropLast().last ?? "") : rest
        let isPage = names.map { $0.hasPrefix("pag") }
        if rest.isEmpty ? isPage.contains(true) : !isPage.contains(false) { return "page" }
        guard names.count == 1, let name = names.first else { return nil }
        return countedParts.first { name == $0 || name == $0 + "s" || name == $0 + "es" }
    }

    private static let countedParts = list("batch block chunk packet part portion segment seq slice")
    fileprivate static let indexWords: Words = "index no number num current cur i"
    fileprivate static let lastWords: Words = "last final max total of out count index no number den n"

    /// Returns `true` if the name of a number has one of the words.
    fileprivate static func isBound(_ sign: PaginationSign, _ names: Words) -> Bool {
        sign.words.contains(where: names.contains)
    }

    fileprivate static let maxima: Words = "max last"
    fileprivate static let starts: Words = "first from start begin lower lo low min"
    fileprivate static let numbersOfAll: Words = "n max of all full total count last"
    fileprivate static let ends: Words = "last to end upper hi high through thru until"
}
