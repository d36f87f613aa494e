import Foundation
import RESTClientHTTP

/// Members and header fields that no rule understands, and that say that the list continues.
///
/// The words of a name count together with the form of its value: a flag, a text without a meaning, or a number of items. A name
/// with another noun, such as `next_payment` or `days_left`, is about something else.
extension PageAnalysis {
    /// Returns `true` for a member or header field that says that the list continues.
    func canLeadToNext(_ sign: PaginationSign) -> Bool {
        if isOfThisPage(sign) { return false }
        let words = sign.words
        if sign.isBesideList, sign.isUnfinished,
            Names.areAboutPage(words[...]) || words.contains("loaded")
        {
            return true
        }
        if isPositionObject(sign) || isPositionList(sign) || showsPartOfList(sign)
            || sign.isBesideList && containsNextQuery(sign)
            || isEncodedPosition(sign)
        {
            return true
        }
        // `"more_ids": [14, 15, 16]`
        if sign.isList, sign.isBesideList, ["more", "remaining"].contains(words.first), words.last == "ids" {
            return true
        }
        guard isAtList(sign), !sign.value.isNothing, !Names.echoes.contains(sign.container),
            !Names.configurations.contains(sign.container), let text = sign.textOrNumber,
            query[sign.key] != text
        else { return false }
        // A search in a text takes quadratic time.
        if text.utf8.count < 500, sign.isNear,
            sign.isHeader || text.contains(" ") || text.utf8.contains(where: { $0 > 0x7f }),
            !Names.titles.contains(sign.name),
            statesPartOfList(text, words)
                || !sign.isHeader && !Names.areNotice(words) && PageInfo.saysItemsAreMissing(text)
        {
            return true
        }
        guard !sign.isTitle else { return false }
        // A flag that says that the list ends outweighs a token beside it.
        if finishedObjects.contains(sign.object) { return false }
        if words.first == "next" || words.first == "following" && words.count > 1, let value = Int(text),
            [nextPageNumber, reached, reached.addingClamped(1)].contains(value),
            words.dropFirst().allSatisfy(Names.numberWords.contains)
        {
            return true
        }
        if words.first == "next" {
            return Names.areAboutPage(words.dropFirst()) || Names.areAboutPosition(words.dropFirst())
                || sign.isOpaque && !sign.name.hasSuffix("token") || words.last == "iterator"
        }
        return isOpaqueAboutPages(sign, words, text) || isPlaceToResume(sign, words, text)
            || isStatement(sign, words, text)
            || isListToken(sign, words, text)
    }

    /// Returns `true` for an object such as `"continuationToken": {"id": 3}`, and `"marker": {"ledger": 99, "seq": 3}` beside a full
    /// page.
    private func isPositionObject(_ sign: PaginationSign) -> Bool {
        guard sign.isObject, sign.isBesideList, query[sign.key] == nil else { return false }
        let members = objects[sign.path] ?? []
        let known: PaginationRoles = [
            .next, .token, .more, .end, .pageNumber, .pageCount, .offset, .otherPage, .total, .count,
        ]
        guard members.contains(where: { !$0.isEmpty }),
            members.allSatisfy({ $0.roles.isDisjoint(with: known) })
        else { return false }
        if ["marker", "bookmark", "continuation", "lastkey"].contains(sign.name) {
            return isFull || number(.pageSize)?.value == page.itemCount
        }
        // But not `{"fromToken": {"symbol": "ETH"}}`.
        let isToken = sign.words.last == "token" && Names.tokenWords.contains(sign.words.first ?? "")
        guard isToken || sign.name == "cursor" else { return false }
        // `{"cursor": {"id": 0, "ns": "shop.teas"}}` is that of the end, and `{"cursor": {"before": "b7"}}` that of the page before.
        return members.allSatisfy { !$0.isEmpty && !$0.value.isNothing }
            && members.contains {
                $0.roles.isDisjoint(with: [.pageSize, .sizeQuery])
                    && !Names.objectSettings.contains($0.name) && !Names.leadsToOtherPage($0.key)
            }
    }

    /// Returns `true` for a JSON object in base64, which is hardly anything but a token. An `id_token` is a credential.
    private func isEncodedPosition(_ sign: PaginationSign) -> Bool {
        sign.value.isEncodedObject && !sign.isHeader && query[sign.key] != sign.text
            && !Names.isCredential(sign.path.names.flatMap { Names.words(of: $0) }.filter { $0 != "id" })
            && !Names.configurations.contains(sign.container)
            && !sign.path.names.contains(where: Names.leadsToOtherPage)
            && !signs.contains { $0.isEmpty && ($0.leadsToNext || $0.isNear(.token)) }
    }

    /// Returns `true` for a place such as `"search_after": [1588, "b7"]`: the values of the last item by which the list is sorted.
    private func isPositionList(_ sign: PaginationSign) -> Bool {
        guard sign.isList, isAtList(sign), Names.positionLists.contains(sign.name), !statesEnd,
            query[sign.key] == nil, requested(sizeQuery).map({ $0 <= page.itemCount }) ?? true,
            let json = page.envelope.json(sign.path).map({ try? JSONLiteral(parsing: Data($0.utf8)) }),
            case .array(let values)? = json?.node
        else { return false }
        return values.contains { value in
            switch value.node {
            case .null: false
            case .string(let text): !text.isEmpty
            default: true
            }
        }
    }

    /// Returns `true` for letters and digits without a meaning, whose name or object is about the pages.
    private func isOpaqueAboutPages(_ sign: PaginationSign, _ words: [String], _ text: String) -> Bool {
        guard sign.isUnreadable else { return false }
        // `{"cursors": {"bottom": "Zm9vYmFy", "top": "YmFyZm9v"}}`
        if sign.container == "cursors", !Names.leadsToOtherPage(sign.key) { return true }
        let ends = sign.isHeader ? words.drop { $0 == "x" } : words[...]
        let continues = [ends.first, ends.last].contains { $0.map(Names.continuing.contains) == true }
        if sign.isHeader { return (continues || ends.first == "scroll") && !Names.isCredential(words) }
        guard !words.contains(where: Names.identifiers.contains) else { return false }
        if continues { return true }
        guard sign.isNear, !sign.isBesideList, sign.integer == nil,
            !words.contains(where: Names.otherPages.contains)
        else { return false }
        return ["pagination", "paging", "pager", "pageinfo", "window", "scroll"].contains(sign.container)
            || !sign.isDigest
                && beside(sign).contains { !$0.roles.isDisjoint(with: .position) && $0.integer != nil }
    }

    /// Returns `true` for a place such as `resume_at`, or `sync_to` beside a flag such as `complete`, and for the key of the last
    /// item.
    private func isPlaceToResume(_ sign: PaginationSign, _ words: [String], _ text: String) -> Bool {
        let isUnfinished = unfinishedObjects.contains(sign.object)
        if Names.namePlaceToResume(words, isUnfinished: isUnfinished) { return !sign.isURL }
        if words == ["resume"] { return !sign.isURL && !sign.isWord && !text.contains(".") }
        // But not the keys of a range that was requested.
        guard words.count == 2, ["key", "id", "row", "seq"].contains(words[1]),
            words[0] == "end" || words == ["last", "id"] && sign.isUnreadable
        else { return false }
        return !beside(sign).contains {
            ["start", "begin", "from", "first"].contains($0.words.first)
        }
    }

    /// Returns `true` for a flag whose text is in another language, a state such as `TRUNCATED`, and `1 of 3` as the page.
    private func isStatement(_ sign: PaginationSign, _ words: [String], _ text: String) -> Bool {
        if sign.roles.contains(.more), words.count > 1, sign.isNear, sign.flag == nil, text.utf8.count < 6 {
            // But not a time.
            return text.wholeMatch(of: #/\d+([-:.]\d+)+/#) == nil
        }
        // `"total": "about 3"`
        if sign.isNear([.total, .evidentCount]), !hasEmptyNext, let least = Names.leastNumber(in: text) {
            return least >= reached
        }
        // `"status": "TRUNCATED"`, and `"stop_reason": "LIMIT_REACHED"`
        let name = MemberPath.normalized(text)
        if sign.isEnumeration, words.count > 1, Names.areAboutPage(words[...]) || words.contains("cursor") {
            return !Names.finalStates.contains(name)
        }
        if words.contains(where: Names.statements.contains), !text.contains(where: \.isNumber) {
            return Names.says(text, .more) || Names.saysIncomplete(name) || Names.saysPartial(text)
        }
        if ["status", "state"].contains(words.last) {
            let isAboutList = words.count > 1 && Names.areAboutPage(words[...])
            return Names.says(text, .more)
                || (isAboutList || name.contains("truncated")) && Names.saysIncomplete(name)
        }
        // `"page": "1 of 3"`, and `"paging": "1/3/7"`, whose last number is that of all items
        guard sign.name.hasPrefix("pag"), text.wholeMatch(of: #/\d+ ?[-–—] ?\d+/#) == nil,
            let match = text.wholeMatch(of: #/\D*(\d+)\D+(\d+)(?:\D+(\d+))?/#),
            let number = Int(match.1), let count = Int(match.2),
            match.3.flatMap({ Int($0) }).map({ $0 > reached }) != false
        else { return false }
        return number == page.number && number < count
    }

    /// Returns `true` for a sentence such as `Showing 3 of 7`, `Seite 1 von 3` or `Results 1–3 (7 total)`.
    private func statesPartOfList(_ text: String, _ words: [String]) -> Bool {
        let lower = text.lowercased()
        let top = #/(?:first|top) (\d+) (?:results|items|records|entries|rows|matches|documents)/#
        let limit =
            #/limit(?:ed)? (?:to|of)(?: the first)? (\d+)(?= (?:results|items|records|entries|rows|matches|documents)|[.;,]|$)/#
        let cut = lower.firstMatch(of: limit)?.1 ?? lower.firstMatch(of: top)?.1
        if let cut, Int(cut) == page.itemCount { return true }
        let numbers = text.matches(of: #/\d{1,3}(?:[,.]\d{3})+|\d+/#)
        let values = numbers.compactMap { Int($0.output.filter(\.isNumber)) }
        guard values.count == numbers.count, 2...3 ~= values.count else { return false }
        let isAboutItems = Names.isAboutItems(text)
        let isAboutPages =
            Names.mentionsPages(text) || text.hasPrefix("p. ") || Names.areAboutPage(words[...])
        /// Returns the text between the number at `index` and the next one.
        func between(_ index: Int) -> String {
            text[numbers[index].range.upperBound..<numbers[index + 1].range.lowerBound].lowercased()
        }
        /// Returns `true` for a slash, or words such as `of` or `results of`.
        func isOf(_ between: String) -> Bool {
            if between.trimmingCharacters(in: .whitespaces) == "/" { return isAboutPages }
            let parts = between.split(separator: " ").map(String.init)
            return parts.count < 5 && parts.contains(where: Names.isOf)
                && parts.allSatisfy { Names.isOf($0) || Names.isAboutItems($0) }
        }
        let whole = values.max() ?? 0
        // The year of a date.
        if 1_900...2_100 ~= whole, !text.contains(" of ") { return false }
        guard values.count == 3 else {
            guard values[0] < values[1], isOf(between(0)) else { return false }
            return isAboutItems && values[0] == page.itemCount || isAboutPages && values[0] == page.number
        }
        // The range stands before the number of all items, or after it.
        let first = values[0] == whole ? 1 : 0
        let joint = between(first).trimmingCharacters(in: .whitespaces)
        let isRange =
            ["-", "–", "—", "~", "〜"].contains(joint)
            || joint.count < 7 && !joint.isEmpty && joint.allSatisfy(\.isLetter)
        let (start, end) = (values[first], values[first + 1])
        let letters = text.filter(\.isLetter).count
        return isRange && (isAboutItems || isAboutPages || letters < 6) && !text.contains(", ") && end < whole
            && end.subtractingClamped(start) == page.itemCount - 1 && (end == reached || end == reached - 1)
    }

    /// Returns `true` for a name such as `resume_token` or `CB-AFTER`.
    private func isListToken(_ sign: PaginationSign, _ words: [String], _ text: String) -> Bool {
        guard
            Names.isListToken(words)
                || sign.isNear && ["cursor", "after", "continuation"].contains(sign.name)
                || sign.isNear
                    && (["marker", "position", "bookmark"].contains(sign.name)
                        || sign.name == "end" && sign.integer == nil)
                    && sign.isUnreadable
        else { return false }
        // JSON Web Tokens are credentials.
        if text.hasPrefix("eyJ"), text.contains(".") { return false }
        guard sign.isBesideList, words.count == 1 else { return true }
        return (sign.name == "cursor" || !sign.isWord)
            && !(sign.name == "after" && beside(sign).contains { $0.name == "before" })
    }

    /// Returns `true` for a link to the previous page of a full first one, whose list goes in this direction.
    func leadsToOlder(_ sign: PaginationSign) -> Bool {
        guard sign.roles.contains(.otherPage), sign.name.hasPrefix("prev"), sign.isURL,
            isFull || number(.pageSize)?.value == page.itemCount,
            beside(sign).contains(where: { $0.leadsToNext && $0.isEmpty }),
            let url = sign.text.flatMap(page.url), url.path() == page.responseURL.path()
        else { return false }
        let changes = QueryItems(of: url).filter { $0.value != query[$0.name] }
        return !changes.isEmpty
            && changes.allSatisfy { item in
                query[item.name] == nil
                    && QueryItems.roles(of: item.name).isDisjoint(with: [.pageQuery, .offsetQuery])
            }
    }
}
