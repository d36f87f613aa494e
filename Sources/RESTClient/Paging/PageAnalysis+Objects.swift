import Foundation
import RESTClientHTTP

/// The objects around a list: which of them are about it, and which numbers in them count pages.
extension PageAnalysis {
    /// Returns the signs without the printed pages of a book, and the next run of a schedule.
    func withoutMembersOfWorks(_ signs: [PaginationSign]) -> [PaginationSign] {
        let works = signs.filter { $0.isBesideList && !$0.isEmpty && Names.identifyWork($0.words) }
        let list = MemberPath.normalized(page.path.names.last ?? "")
        if works.isEmpty || list == "data" || Names.itemNouns.contains(list)
            || query.numberName(in: [.pageQuery, .offsetQuery, .sizeQuery]) != nil
            || signs.contains(where: { $0.isNear(.position) && $0.integer != nil })
        {
            return signs
        }
        return signs.filter { sign in
            let isWeak =
                ["numberofpages", "numpages", "pagecount"].contains(sign.name)
                || sign.name == "next" && sign.text != nil && !sign.isURL && !sign.looksLikeToken
            return !isWeak || !works.contains { $0.isBeside(sign) }
        }
    }

    /// Marks the members of objects with unknown names that are about the list: at least two members have different roles
    /// and agree with the page, a flag says that more items follow, or the only total is in it.
    func markObjectsAboutList(in signs: [PaginationSign]) {
        let hasTotal = signs.contains { $0.isNear(.total) && $0.integer != nil }
        var objects: [MemberPath: [PaginationSign]] = [:]
        for sign in signs where !sign.isNear && !sign.isHeader {
            objects[sign.object, default: []].append(sign)
        }
        for members in objects.values {
            // A list of its own, or a price.
            if Names.configurations.contains(members[0].container) { continue }
            if members.contains(where: {
                $0.isList && !$0.name.hasSuffix("links") || $0.roles.contains(.pricePart)
            }) {
                continue
            }
            var found: PaginationRoles = []
            var isOther = false
            var saysMore = false
            for sign in members {
                let role = roleAboutList(sign)
                found.formUnion(role ?? [])
                // `{"more": true, "cursor": "b2Zm"}`, and `{"details": {"totalResult": 7}}`
                if role == .more || role == .total && !hasTotal && isGenericTotal(sign)
                    || role == .token
                        && members.contains(where: {
                            $0.isUnfinished || $0.roles.contains(.more) && $0.flag == true
                        })
                {
                    saysMore = true
                }
                if role == nil { isOther = true }
            }
            guard saysMore || !isOther && found.rawValue.nonzeroBitCount > 1 else { continue }
            for sign in members where !(sign.roles.contains(.token) && Names.echoes.contains(sign.container))
            {
                sign.isNear = true
            }
        }
    }

    /// Returns `true` for a name such as `totalResults`, which is hardly that of another number.
    private func isGenericTotal(_ sign: PaginationSign) -> Bool {
        // `numTotalResults`
        let words = sign.words.filter { !["num", "number", "of"].contains($0) }
        guard words.count == 2, words[0] == "total", sign.integer.map({ $0 >= page.itemCount }) == true
        else { return false }
        if ["usage", "quota", "limit", "limits", "rate"].contains(sign.container) { return false }
        return ["result", "results", "hits", "records", "rows", "matches"].contains(words[1])
            || words[1] == "count" && ["fields", "details"].contains(sign.container)
    }

    /// Returns the role of a member of an unknown object, or `nil` if the object is about something else.
    private func roleAboutList(_ sign: PaginationSign) -> PaginationRoles? {
        let (roles, value) = (sign.roles, sign.integer)
        let isFlag = sign.flag != nil && sign.integer == nil
        let words = sign.words
        if roles.contains(.more), roles.isDisjoint(with: [.weakFlag, .stateFlag]), isFlag {
            let isStatement =
                words.count > 1 && ["has", "have", "is", "are", "there", "more", "show"].contains(words[0])
            return isStatement ? .more : []
        }
        if roles.contains(.end), roles.isDisjoint(with: [.weakFlag, .stateFlag]), isFlag {
            // `{"resultsInfo": {"is_last": false}}`
            let isStatement = words == ["is", "last"] || words.count > 1 && Names.areAboutPage(words[...])
            return sign.flag == false && isStatement ? .more : sign.name == "last" ? [] : .end
        }
        if roles.contains(.pageNumber), sign.name.contains("page") || sign.name.hasPrefix("current"),
            let value
        {
            let isThis = value == page.number || value == page.number - 1 || value == requested(sign.key)
            return isThis || !isFirstPageOfListing ? .pageNumber : nil
        }
        if roles.contains(.pageCount) { return value == nil ? [] : .pageCount }
        if roles.contains(.total) { return value.map { $0 >= page.itemCount } == true ? .total : [] }
        // `results_count` beside `results_fullcount`
        let isUsual = words.count == 2 || Names.messageLists.contains(sign.container)
        if isUsual, roles.contains(.count), page.itemCount > 0, value == page.itemCount { return .pageSize }
        if !roles.isDisjoint(with: [.pageSize, .sizeQuery]), roles.isDisjoint(with: [.offset, .count]) {
            let isRequested = value != nil && value == requested(sizeQuery)
            return value == page.itemCount || isRequested ? .pageSize : []
        }
        if roles.contains(.certainOffset), let value {
            return value == 0 || value == 1 || value == itemsBefore || value == page.itemsSoFar
                ? .offset : nil
        }
        if roles.contains(.next), sign.name != "next", !sign.isEmpty { return .next }
        let isCursor =
            roles.contains(.token)
            && (roles.isDisjoint(with: [.weakToken, .wordToken]) || sign.looksLikeToken)
        if isCursor, sign.text != nil { return Names.echoes.contains(sign.container) ? [] : .token }
        if roles.contains(.otherPage) || ["before", "prev", "previous"].contains(words.first ?? "") {
            return sign.text != nil || sign.isEmpty ? .otherPage : []
        }
        return []
    }

    /// Returns `true` for `total` in `{"page": {"current": 1, "total": 3}}`, and for one that is smaller than a first page.
    func isPageCount(_ sign: PaginationSign) -> Bool {
        guard sign.name == "total" else { return false }
        let members = beside(sign)
        if sign.isNear, isFirstPageOfListing, let value = sign.integer, 0 < value, value < page.itemCount,
            members.contains(where: { $0.isNear(.pageNumber) })
        {
            return true
        }
        guard sign.container.hasPrefix("pag") else { return false }
        if countsPages(sign, beside: members) { return true }
        return members.contains { $0.name == "current" }
            && (["page", "pages"].contains(sign.container)
                || !members.contains { $0.isNear([.pageSize, .count]) })
    }

    /// Returns `true` for the `total` in `{"numberOfHits": 18, "pageInfo": {"resultsPerPage": 3, "current": 1, "total": 6}}`: as many
    /// pages as the total elsewhere fills.
    private func countsPages(_ sign: PaginationSign, beside members: [PaginationSign]) -> Bool {
        guard let pages = sign.integer, pages > 0,
            members.contains(where: { $0.name == "current" }),
            let size = members.first(where: { $0.isNear([.pageSize, .sizeQuery]) })?.integer, size > 1
        else { return false }
        return signs.contains { other in
            guard !other.isBeside(sign), other.isNear([.total, .count]), let all = other.integer, all > pages
            else { return false }
            return (page.itemCount == size || all == reached) && all.pages(of: size) == pages
        }
    }
}
