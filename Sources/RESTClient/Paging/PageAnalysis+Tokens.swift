import Foundation
import RESTClientHTTP

/// Next pages by tokens.
extension PageAnalysis {
    typealias TokenItems = [(name: String, value: JSONLiteral)]

    /// A token in the response, with the possible query items for it, the most likely first.
    struct TokenSign {
        let candidates: [TokenItems]
        let sign: PaginationSign
        var isKnown = false
    }

    /// Returns the convention that most likely lists the rest, after two of the candidates have failed.
    func convention(of token: TokenSign) -> PaginationConvention? {
        let items = token.candidates.dropFirst(2).first ?? token.candidates.last
        guard let name = items?.first?.name else { return nil }
        guard let path = token.sign.memberPath else { return .token(header: token.sign.key, parameter: name) }
        // A path does not lead into a list.
        return page.envelope.json(path) == nil ? nil : .token(at: path, parameter: name)
    }

    func nextToken() -> NextPages? {
        guard let token = tokenSign() else { return nil }
        let (candidates, sign) = (token.candidates, token.sign)
        // The server ignores the token, and has sent this page by its number.
        let known = candidates.filter { $0.allSatisfy { query[$0.name] != nil } }.max { $0.count < $1.count }
        if known == nil, page.number > 1, !isFirstPageOfListing, let current = requested(pageQuery),
            current > 1, pageCount?.integer != nil
        {
            return nil
        }
        let rule = "\(sign)"
        let end = NextPages(requests: [], rule: rule)
        // An empty page can repeat the cursor of the last item, which is then the end of the list.
        if page.itemCount == 0, page.number > 1, sign.roles.contains(.lastItemCursor) { return end }
        let isComplete = total.map { $0.value <= reached } ?? false
        // The query items of the request for this page are preferred.
        if let items = known {
            var next = page.request(setting: items)
            // The marker of this page.
            if !sign.leadsToNext, items.count == 1, items[0].name == sign.key,
                query[sign.key] == items[0].value.text, total == nil
            {
                leadsBack = true
                return end
            }
            if items.allSatisfy({ query[$0.name] == $0.value.text }) {
                // The token of this page, beside an empty one for the next page.
                leadsBack =
                    isComplete || page.itemCount == 0
                    || !sign.leadsToNext && hasEmptyNext && !indicatesMore
                if leadsBack { return end }
                // A token of Crossref can request one page after another.
                next.isRepeatable = knownTotal != nil
            }
            let failure = RESTClientError.PaginationFailure.ignoredParameter(items[0].name)
            return NextPages(
                requests: [next], rule: rule, guess: next.isRepeatable ? Guess(failure: failure) : nil)
        }
        // Crossref repeats its cursor on the last page. Other servers send a cursor with each page.
        let isLastPage =
            number(.pageCount).map { $0.value == currentPage }
            ?? (number(.certainOffset) != nil && number(.pageSize) != nil)
        if isComplete,
            sign.name == "nextcursor"
                || isLastPage && !sign.leadsToNext && !Names.isNext(sign.container)
        {
            leadsBack = true
            return end
        }
        var requests = candidates.prefix(2).map { page.request(setting: $0) }
        if sign.isHeader, !sign.leadsToNext {
            // A token in a header field can be sent as the same header field.
            var next = page.request
            next.headers[HTTPHeaders.Name(sign.key)] = sign.textOrNumber
            let isSent = page.request.headers[HTTPHeaders.Name(sign.key)] != nil
            requests = isSent ? [next] : requests.prefix(1) + [next]
        }
        // Another convention is visible, too.
        if !token.isKnown, page.number == 1, number(.pageNumber) != nil,
            pageCount?.integer.map({ $0 > 1 }) == true, let numbered = try? pageNumbers()?.requests.first
        {
            requests = sign.leadsToNext ? Array((requests + [numbered]).prefix(2)) : [requests[0], numbered]
        }
        let guess = Guess(
            alternatives: Array(requests.dropFirst()),
            failure: .unknownToken(in: sign.path, sign.textOrNumber ?? ""),
            suggestion: suggestion(afterTrying: 2))
        var decision = NextPages(requests: [requests[0]], rule: rule, guess: token.isKnown ? nil : guess)
        decision.parameter = candidates[0].first?.name
        return decision
    }

    /// Returns the token that leads to the next page.
    func tokenSign() -> TokenSign? {
        // An object whose members are all sent back, as in the API of MediaWiki, and `next_page_params` in that of Blockscout.
        let returned = signs.filter {
            Names.returnedObjects.contains($0.container) && $0.textOrNumber != nil && !$0.isHeader
        }
        if let sign = returned.first, sign.container == "continue" || returned.contains(where: isNewPosition)
        {
            return TokenSign(candidates: [returned.compactMap(\.tokenItem)], sign: sign, isKnown: true)
        }
        // `x-ms-continuation-NextPartitionKey` and `-NextRowKey`
        let fields = signs.compactMap { sign in sign.itemOfField.map { (sign, $0) } }
        if let field = fields.first {
            return TokenSign(candidates: [fields.map(\.1)], sign: field.0, isKnown: true)
        }
        // `{"resumptionToken": {"token": "x"}}`, and `{"continuationToken": {"token": 42}}`
        for sign in signs where Names.tokenObjects.contains(sign.container) {
            if Names.tokenValues.contains(sign.name), !sign.value.isNothing, let item = sign.tokenItem,
                let container = sign.path.names.dropLast().last
            {
                return TokenSign(candidates: [[(container, item.value)]], sign: sign)
            }
        }
        // A token of this page can be next to that of the next one.
        return tokenSign(leadingToNext: true) ?? tokenSign(leadingToNext: false)
    }

    /// Returns `true` for a member that is neither the size of a page nor one that this page was requested with.
    private func isNewPosition(_ sign: PaginationSign) -> Bool {
        sign.roles.isDisjoint(with: [.pageSize, .sizeQuery]) && query[sign.key] != sign.textOrNumber
    }

    private func tokenSign(leadingToNext: Bool) -> TokenSign? {
        for sign in signs where sign.leadsToNext == leadingToNext {
            guard let item = sign.tokenItem else { continue }
            func token() -> TokenSign {
                TokenSign(candidates: tokenParameters(of: sign).map { [($0, item.value)] }, sign: sign)
            }
            if isFollowed(sign) { return token() }
            if !leadingToNext, isOfThisPage(sign) { continue }
            if sign.isURL || sign.isTitle || sign.isEnumeration { continue }
            if sign.container == "more", !sign.isHeader, sign.integer != nil,
                let object = nextObject(with: sign)
            {
                return object
            }
            if Names.isNext(sign.container), !sign.isHeader {
                if sign.container != "lastevaluatedkey", let object = nextObject(with: sign) { return object }
                continue
            }
            let isText = sign.text != nil
            // Next to a list, a common word such as `after` can have another meaning.
            if sign.roles.contains(.wordToken), sign.isBesideList, more == nil, !sign.looksLikeToken {
                // A cursor can be a number, a date or a word.
                guard sign.name == "cursor", sign.integer.map({ $0 > 0 }) ?? true else { continue }
            }
            if sign.roles.contains(.weakToken), !sign.isCertainToken, !indicatesMore, !isEndOfTokens(sign) {
                continue
            }
            let isNumber = sign.integer != nil
            let isTokenName = sign.name.hasSuffix("token") || sign.name.hasSuffix("cursor")
            let isNext =
                sign.leadsToNext
                && (isTokenName || isText && !isNumber || sign.container.hasPrefix("cursor")
                    || isNoPosition(sign))
            let isToken =
                sign.isNear(.token)
                && (isText || isTokenName || sign.isHeader && isNumber || sign.container.hasPrefix("cursor")
                    || ["searchcontinue", "continuation"].contains(sign.name))
            let isNamedAfterFlag = more?.flag == true && sign.isNear && isText && isTokenLike(sign)
            guard isNext || isToken || isNamedAfterFlag,
                !(isNumber && ["offset", "position"].contains(sign.name))
            else { continue }
            return token()
        }
        return nil
    }

    /// Returns `true` for the member whose value on the page before led here, even if it looks like a word.
    func isFollowed(_ sign: PaginationSign) -> Bool {
        guard !sign.isHeader, !sign.value.isNothing, !sign.hasURLName,
            sign.isNear(.token) || sign.leadsToNext,
            !sign.isURL || ["cursor", "token", "marker", "after"].contains(where: sign.name.hasSuffix),
            sign.integer == nil || sign.roles.isDisjoint(with: [.offset, .nextOffset]),
            let previous = page.previousEnvelope,
            let sent = previous.string(sign.path) ?? previous.number(sign.path), sent != sign.textOrNumber
        else { return false }
        return tokenParameters(of: sign).contains { query[$0] == sent }
    }

    /// Returns the convention that most likely lists all pages after `failure` and `count` wrong guesses.
    func suggestion(
        for failure: RESTClientError.PaginationFailure, afterTrying count: Int
    ) -> PaginationConvention? {
        switch failure {
        case .unknownToken(let path, _) where path != pageCount?.path,
            .unknownNext(let path, _) where path != pageCount?.path:
            guard let sign = signs.first(where: { $0.path == path && !$0.isHeader }),
                path != remaining?.sign.path, sign.textOrNumber != nil || sign.name == "lastevaluatedkey"
            else { return nil }
            if sign.isURL { return (try? page.next(at: path)) == nil ? nil : .next(at: path) }
            let convention = tokenParameters(of: sign).first.map {
                PaginationConvention.token(at: path, parameter: $0)
            }
            return count > 0 ? named(convention) : convention
        // Nothing is known about the parameter.
        case .memberMayBeTooLarge, .envelopeTruncated, .moreThanTotal: return nil
        case .partialContent: return suggestion(afterTrying: 0)
        default: return suggestion(afterTrying: count)
        }
    }

    /// Returns `true` for the number of a next page that is neither the number after that of this page nor an offset.
    private func isNoPosition(_ sign: PaginationSign) -> Bool {
        guard !sign.isHeader, let number = sign.integer, number > page.itemsSoFar.addingClamped(1)
        else { return false }
        let pages = [currentPage, page.number].compactMap(\.self)
        return total.map { number > $0.value } ?? true && !pages.contains(number - 1)
            && number != offset()?.value.addingClamped(page.itemCount)
    }

    /// Returns `true` for the second of two tokens that name the start and the end of the page.
    private func isEndOfTokens(_ sign: PaginationSign) -> Bool {
        sign.name == "end" && sign.isMixed
            && beside(sign).contains { $0.name == "start" && $0.isMixed && $0.text != sign.text }
    }

    /// Returns `true` for the first one of `{"cursor": "a1", "nextCursor": ""}` on the last page.
    func isOfThisPage(_ sign: PaginationSign) -> Bool {
        !indicatesMore && beside(sign).contains { $0.isEmpty && $0.name == "next\(sign.name)" }
    }

    private var indicatesMore: Bool { more?.flag == true || total.map { $0.value > reached } == true }

    /// Returns `true` for a name such as `vid-offset`.
    private func isTokenLike(_ sign: PaginationSign) -> Bool {
        ["cursor", "token", "offset", "marker", "bookmark", "continuation"].contains {
            sign.name.hasSuffix($0) && sign.name != $0
        }
            && (sign.words.count == 1 || sign.words.last != "token" || Names.isListToken(sign.words))
            && !["prev", "before", "first", "current", "start", "begin", "self", "this"]
                .contains(where: sign.name.hasPrefix)
    }

    /// Returns the token in an object such as `{"next": {"after": "x"}}`, whose members have the names of query items.
    private func nextObject(with sign: PaginationSign) -> TokenSign? {
        let members = beside(sign).filter {
            !$0.isURL && !$0.hasURLName && $0.tokenItem != nil
                && !["type", "method", "rel"].contains($0.name)
        }
        if isThing(sign.object) { return nil }
        let isText = members.contains { $0.text != nil && $0.integer == nil }
        if let token = members.first(where: {
            $0.text != nil
                && ($0.roles.contains(.token) || $0.name.hasSuffix("token")
                    || $0.name.hasSuffix("cursor") || members.count == 1)
        }), let item = token.tokenItem {
            return TokenSign(candidates: [[item]], sign: token, isKnown: true)
        }
        // Another object that describes the next page has its number or offset.
        let position = members.first {
            $0.integer != nil
                && !$0.roles.isDisjoint(with: [.offsetQuery, .pageQuery, .offset])
        }
        let all = members.compactMap(\.tokenItem)
        if let position, let item = position.tokenItem {
            var candidates = [[item]]
            if item.name.lowercased().hasPrefix("start") { candidates.append([("start", item.value)]) }
            if isText, members.count < 6 { candidates.append(all) }
            return TokenSign(candidates: candidates, sign: position)
        }
        guard isText, !all.isEmpty, all.count < 6 else { return nil }
        return TokenSign(candidates: [all], sign: members[0], isKnown: true)
    }

    /// Returns `true` for a next article or event: it has a name, and neither a page number nor a link here.
    func isThing(_ object: MemberPath) -> Bool {
        let members = objects[object] ?? []
        let links = members.filter(\.isURL).compactMap { $0.text.flatMap(page.url) }
        return members.contains { member in
            if member.isEmpty || member.text.map(Names.isPageLabel) == true { return false }
            return ["title", "slug", "name"].contains(member.name)
                || ["label", "text"].contains(member.name) && !links.isEmpty
        }
            && members.allSatisfy {
                $0.integer == nil || $0.roles.isDisjoint(with: [.offset, .pageNumber, .pageSize, .total])
            }
            && !links.contains { $0.pathComponents == page.responseURL.pathComponents }
    }

    /// Returns the parameters that may take the token: the variables of a GraphQL query, or those with its name.
    func tokenParameters(of sign: PaginationSign) -> [String] {
        let isGraphQL = page.requestBody?.string("query") != nil && sign.name == "endcursor"
        if isGraphQL { return ["variables.after", "variables.cursor"] }
        let usesUnderscores = signs.contains { !$0.isHeader && $0.key.dropFirst().contains("_") }
        var names = sign.tokenQueries(in: requestStyle, usesUnderscores: usesUnderscores)
        // Notion has a flag.
        if sign.name == "nextcursor", more == nil { names.insert("after", at: min(2, names.count)) }
        guard let group = sizeGroup else { return names }
        guard group.last == "[" else { return names.map { group + $0 } }
        // page[size] and page[after]
        let words = sign.name.contains("after") ? ["after", "cursor"] : ["cursor", "after"]
        let others = names.filter { !words.contains($0) && !$0.hasPrefix("next") }
        return (words + others).map { "\(group)\($0)]" } + names
    }
}

extension PaginationSign {
    /// The key and the value, as they are sent in a query item.
    fileprivate var tokenItem: (name: String, value: JSONLiteral)? {
        if case .integer(let number) = value { return (key, JSONLiteral(.integer(number))) }
        return textOrNumber.map { (key, .value($0)) }
    }

    /// The query item that a header field such as `x-ms-continuation-NextRowKey` names.
    fileprivate var itemOfField: (name: String, value: JSONLiteral)? {
        guard isHeader, let value = textOrNumber,
            let range = key.range(of: "continuation-", options: .caseInsensitive)
        else { return nil }
        let name = key[range.upperBound...]
        return name.isEmpty || name.lowercased() == "token" ? nil : (String(name), .value(value))
    }

    /// The parameters that may take the token, the most likely first.
    fileprivate func tokenQueries(in style: NameStyle?, usesUnderscores: Bool) -> [String] {
        if name == "lastevaluatedkey" {
            return [key.first?.isUppercase == true ? "ExclusiveStartKey" : "exclusiveStartKey", key]
        }
        let bare = String(key.drop { !$0.isLetter && $0 != "_" })
        var words = PaginationNames.words(of: bare)
        // `continuation` for `x-ms-continuation`
        while isHeader, words.count > 1, words.joined() != name { words.removeFirst() }
        var own = NameStyle(of: bare)
        if isHeader {
            // The items of Azure are in camel case, except `api-version`.
            let isAzure = key.lowercased().hasPrefix("x-ms-")
            own = NameStyle(separator: isAzure ? nil : style?.separator, isCapitalized: false)
        } else if words.count == 1, usesUnderscores {
            own.separator = "_"
        }
        var names: [[String]] =
            switch name {
            case "endcursor", "after": [["after"], ["cursor"], ["end", "cursor"]]
            case "aftercursor": [["after", "cursor"], ["cursor"], ["after"]]
            case "next": [["cursor"], [container == "cursors" ? container : "next"], ["start"]]
            case "nextcursor": [["cursor"], ["next", "cursor"], ["start", "cursor"]]
            case "nexttoken":
                [["next", "token"], ["pagination", "token"]]
                    + (style != nil && own.isCapitalized ? [["token"]] : [])
            case "nextpagetoken": [["page", "token"], ["next", "page", "token"]]
            case "nextpage": [["page"], ["cursor"], ["next", "page"]]
            case "nextbatch": [["since"], ["from"]]
            case "searchcontinue": [["continue"]]
            case "end": [["from"], ["start"]]
            case "cursor": [["cursor"], ["after"], ["after", "cursor"]]
            case "continuationtoken": [["continuation", "token"]]
            case "nextstartwith": [["start"]]
            default:
                // `after` for `next_page_after`, but not `id` for `next_page_id`
                words.starts(with: ["next", "page"])
                    && PaginationNames.roles(of: words[2...].joined()).contains(.token)
                    ? [Array(words[2...]), Array(words[1...])]
                    : words.count > 1 && words[0].hasPrefix("next") ? [Array(words[1...]), words] : [words]
            }
        if name.hasPrefix("cursor"), name.hasSuffix("next") { names = [["cursor"], ["next"]] }
        // The names in the style of the request. Without query items, they probably begin with a small letter.
        var main = own
        if !isHeader {
            main = own.adapted(to: style ?? NameStyle(separator: nil, isCapitalized: false))
            if style == nil { main.prefix = own.prefix }
        }
        var queries: [String] = []
        func add(_ name: String) { if !queries.contains(name) { queries.append(name) } }
        if !isHeader, names[0] == words, main.isCapitalized == own.isCapitalized { add(bare) }
        add(main.text(names[0]))
        if isHeader, names[0].count > 1 { for style in NameStyle.others { add(style.text(names[0])) } }
        if style == nil, !isHeader, own.isCapitalized, own.separator == nil { add(own.text(names[0])) }
        for name in names.dropFirst() { add(main.text(name)) }
        add(own.text(names[0]))
        let others =
            name == "nextpagetoken" && own.separator == "_" ? NameStyle.others.reversed() : NameStyle.others
        for style in others { add(style.text(names[0])) }
        return queries
    }
}
