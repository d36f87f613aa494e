import RESTClientHTTP

/// The names that servers use for pagination.
enum PaginationNames {
    /// Returns the roles of a name.
    static func roles(of key: String) -> PaginationRoles { roles(of: key, MemberPath.normalized(key)) }

    /// Returns the roles of a name. `name` is the normalized `key`, and `list` the normalized name of the list.
    static func roles(of key: String, _ name: String, list: String = "") -> PaginationRoles {
        let next: PaginationRoles = isNext(name) ? .next : []
        var roles = (table[name] ?? []).union(next)
        if !roles.isSubset(of: [.pageQuery, .offsetQuery, .sizeQuery]) { return roles }
        if isContainer(name) { roles.insert(.container) }
        // `total_posts`, `posts_count` and `num_posts` next to `posts`, `productCount` next to `products`
        let single = list.hasSuffix("s") ? String(list.dropLast()) : list
        let noun = name.utf8.range(of: list) == nil ? single : list
        if !noun.isEmpty, name.utf8.count > noun.utf8.count, let range = name.utf8.range(of: noun) {
            let rest = String(name[..<range.lowerBound] + name[range.upperBound...])
            if let noun = rest.hasPrefix("total") ? rest.dropFirst(5) : rest.hasSuffix("total") ? "" : nil,
                noun.isEmpty || itemNouns.contains(String(noun))
            {
                return roles.union(.total)
            }
            if rest == "all" || rest == "numberof" { return roles.union(.total) }
            if ["count", "num", "number"].contains(rest) { return roles.union([.count, .evidentCount]) }
        }
        if roles.isSubset(of: .container), let whole = expanded(key) ?? translated(key) {
            return Self.roles(of: whole, MemberPath.normalized(whole), list: list).union(roles)
        }
        // `pcursor`
        if name == key, name.hasSuffix("cursor"), name.utf8.count < 9 { return roles.union(.token) }
        // A name in lower case is one word.
        return next.isEmpty && name != key ? roles.union(composed(words(of: key), list: list)) : roles
    }

    /// Returns the roles of a name of several words, such as `result_offset` or `is_more`.
    static func composed(_ words: [String], list: String) -> PaginationRoles {
        guard words.count > 1, words.count < 6, let first = words.first, let last = words.last
        else { return [] }
        if words.count == 2,
            let pair = pairs.first(where: { $0.first.contains(first) && $0.last.contains(last) })
        {
            return pair.roles
        }
        let middle = words.dropFirst().dropLast()
        if !middle.isEmpty,
            first == "next" && weakNextEndings.contains(last) && middle.allSatisfy({ isListNoun($0, "") })
                || first == "more" && urlEndings.contains(last) && middle.allSatisfy({ isListNoun($0, list) })
        {
            return .next
        }
        // `nextFileName` next to `files`
        if first == "next", last == "name", !middle.isEmpty,
            middle.allSatisfy({ isListNoun($0, list) && !isListNoun($0, "") })
        {
            return .next
        }
        if let more = words.firstIndex(where: moreWords.contains) {
            let others = words[..<more] + words[(more + 1)...]
            let isThere = ["exist", "exists"].contains(others.last)
            let hasVerb = isThere || others.first.map(flagVerbs.contains) == true
            // `additional_items`
            let isOfItems = ["additional", "further", "extra", "another", "subsequent"].contains(words[more])
            // `older_available`, but not the link to a next page
            if others == ["available"], !isOfItems, !["more", "next"].contains(words[more]) {
                return [.more, .weakFlag]
            }
            if others.first == "no",
                others.allSatisfy({ flagWords.contains($0) || isListNoun($0, list) || $0 == "no" })
            {
                return .end
            }
            // `nextFlag`
            let isFlag = others.count == 1 && ["flag", "indicator"].contains(others.first)
            if words[more] == "more" || hasVerb || isOfItems || isFlag,
                others.allSatisfy({ flagWords.contains($0) || isListNoun($0, list) })
            {
                return .more
            }
            if hasVerb, words[more] != "next" {
                return isThere ? .more : [.more, .weakFlag, .stateFlag]
            }
        }
        if words.allSatisfy({ endWords.contains($0) || itemNouns.contains($0) }) {
            // A last page can be available as a link.
            if words.contains(where: endsOfList.contains), last != "available" { return .end }
            // `list_complete`, but the data can also be complete on each page.
            if ["over", "complete", "fully"].contains(where: words.contains) {
                return [.end, .weakFlag, .stateFlag]
            }
        }
        // `items_left`
        let isOfItems = words.contains { itemNouns.contains($0) || $0 == list }
        if isOfItems, words.contains(where: restWords.contains) { return .remaining }
        // `resume_token`, but not `access_token`
        if isListToken(words) { return .token }
        // `number_of_pages`, `paginas_total`
        if words.contains(where: { $0 == "pages" || $0 == "paginas" }),
            words.allSatisfy({ pageCountWords.contains($0) })
        {
            return .pageCount
        }
        // `rowsMatched`, and `thingsFound` next to `things`
        if ["found", "matched"].contains(last), words.count == 2, isListNoun(first, list) {
            return [.count, .evidentCount]
        }
        if words.contains(where: wholeWords.contains) {
            // `totalNumInResultSet`
            let isOfResult = words.suffix(2) == ["result", "set"]
            let others = words.dropLast(isOfResult ? 1 : 0).filter {
                !totalWords.contains($0) && !(isOfResult && $0 == "in")
            }
            // `slice_total` is not a number of items.
            if others.contains(where: parts.contains), !others.contains(list) { return [] }
            return others.allSatisfy { isListNoun($0, list) || itemNouns.contains($0) } ? .total : []
        }
        let counted =
            words.starts(with: ["number", "of"])
            ? words.dropFirst(2) : first == "num" ? words.dropFirst() : []
        if !counted.isEmpty, counted.allSatisfy(itemNouns.contains) { return [.count, .evidentCount] }
        if first == "cur" { return table["current\(words.dropFirst().joined())"] ?? [] }
        // `hit_per_page`
        if words.suffix(2) == ["per", "page"], words.count == 3, isListNoun(first, list) {
            return [.pageSize, .sizeQuery]
        }
        // `result_limit`, `page_offset`
        let rest = words.drop { itemNouns.contains($0) || $0 == "page" || $0 == "range" }
        guard rest.count < words.count, let roles = table[rest.joined()] else { return [] }
        return roles.intersection([.count, .pageSize, .offset, .certainOffset, .sizeQuery, .offsetQuery])
    }

    /// The roles of names of two words, such as `load-next` or `QueryRows`, the most specific ones first.
    private static let pairs: [(first: Words, last: Words, roles: PaginationRoles)] = [
        ("load fetch get read show", "next", .next),
        ("all", "loaded fetched delivered returned shown", .end),
        ("not", "shown loaded returned included", .remaining), (itemNouns.union("all"), "count", .count),
        ("query search matching", "rows records results hits items entries documents", .count),
        (itemNouns, "available", .total),
        // A `page_id` can be that of a page of a site, and a `cursor_id` that of a pointer.
        ("page", "id key", [.token, .weakToken]), ("cursor", "id", [.token, .weakToken]),
        (
            "page paging pagination cursor continuation scroll",
            "key token cursor marker string hash handle state id", .token
        ),
    ]

    /// Returns `true` for a word for the list, its items or its pages.
    private static func isListNoun(_ word: String, _ list: String) -> Bool {
        itemNouns.contains(word) || pageNouns.contains(word) || parts.contains(word)
            || !list.isEmpty && (word == list || list.hasPrefix(word) && list.count < word.count + 3)
            // `total_call_count` beside `call_list`
            || word.utf8.count > 3 && ["list", "data", "results"].contains { list == word + $0 }
            // `HasMoreStreams` beside `StreamNames`
            || word.utf8.count > 4 && word.hasSuffix("s") && list.hasPrefix(word.dropLast())
    }

    /// The words of a flag that says that more items follow, such as `there_is_more`.
    private static let moreWords: Words =
        "more additional further extra following older earlier another subsequent next"
    private static let flagVerbs: Words = "is has have are there can"
    private static let flagWords = flagVerbs.union(
        """
        load fetch get exist exists available left remaining remain follow follows come to after any still
        show display flag indicator button and
        """)
    private static let endWords = parts.union(
        """
        last final end tail beginning bottom is at the of reached has page pages list data no more eof
        over complete fully loaded fetched flag ind indicator
        """)
    private static let endsOfList: Words = "last final end tail beginning bottom eof"
    private static let restWords: Words = "left remaining omitted hidden rest withheld"
    /// The words for a part of a list other than a page.
    static let parts: Words =
        "batch chunk slice window segment part portion block frame set range section"

    /// Returns `true` if one of the words is about a page or a part of the list.
    static func areAboutPage(_ words: ArraySlice<String>) -> Bool {
        if words.contains(where: ["title", "name", "label", "hint", "text", "number"].contains) {
            return false
        }
        let last = words.last { !["id", "at", "on"].contains($0) } ?? ""
        if placeWords[last] != nil { return isListToken(["next"] + words) }
        return words.contains { parts.contains($0) || pageWords.contains($0) } || positionWords.contains(last)
    }

    /// Returns `true` for the words of a name such as `next_seq` or `next_time`, in which nothing else is next.
    static func areAboutPosition(_ words: ArraySlice<String>) -> Bool {
        words.last.map(valueWords.contains) == true && words.dropLast().allSatisfy(pageWords.contains)
    }

    private static let valueWords: Words = "seq time value ts timestamp"
    /// The words for a number of a page or an item, besides the first one, as in `next_pos`.
    static let numberWords: Words = "page pos idx index i no nr num number start row rec off begin position"
    private static let pageWords: Words =
        "page pages list result results items records rows entries search query"
    private static let positionWords: Words =
        "offset query scroll seek row record key since until min max pointer from params index position"

    /// Returns `true` for a name such as `resume_at`, or `sync_to` of a list that is not finished.
    static func namePlaceToResume(_ words: [String], isUnfinished: Bool) -> Bool {
        guard let first = words.first, words.count > 1, let last = words.last else { return false }
        return
            (["continue", "resume", "restart", "more"].contains(first)
            || isUnfinished && readWords.contains(first))
            && ["from", "after", "at", "to", "key", "point", "position"].contains(last)
    }

    private static let readWords: Words = "sync scan read fetch seek"

    /// Returns `true` for a name such as `resume_token` or `CB-AFTER`, unless a word is about something else.
    static func isListToken(_ words: [String]) -> Bool {
        guard words.count > 1, let last = words.last, let others = placeWords[last] else { return false }
        return !words.dropLast().contains { others.contains($0) || last == "after" && $0.hasSuffix("ed") }
            && !["prev", "previous", "before", "first", "current", "begin", "self"].contains {
                words.contains($0)
            }
            && (last == "after" || !words.contains("start"))
    }

    /// Returns `true` for the words of a name such as `session_state`, whose value is a secret.
    static func isCredential(_ words: [String]) -> Bool {
        words.contains {
            placeWords["token"]?.contains($0) == true || ["jwt", "assertion", "nonce", "state"].contains($0)
        }
    }

    /// Returns `true` for a name such as `id`, `order_id` or `createdAt`, which a thing has, and a response about a list has not.
    static func identifiesThing(_ key: String) -> Bool {
        let words = words(of: key)
        return switch words.last {
        case "name": words.count == 1
        case "id", "uuid", "guid": words.dropLast().allSatisfy { !exchangeWords.contains($0) }
        case "at": words.count == 2
        default: identifyWork(words)
        }
    }

    /// Returns `true` for the words of a name such as `title` or `pdf_id`, which a book, a document or a schedule has.
    static func identifyWork(_ words: [String]) -> Bool { works.contains(words.joined()) }

    private static let works: Words = """
        title slug permalink doi isbn isbn10 isbn13 schedule bookid documentid pdfid titel titre titulo titolo
        tytuł název 书名
        """

    /// Returns `true` for the text of a link to a page, such as `Next page`.
    static func isPageLabel(_ text: String) -> Bool {
        words(of: text).allSatisfy {
            isListNoun($0, "") || moreWords.contains($0) || flagWords.contains($0) || Int($0) != nil
        }
    }

    /// The words of identifiers of a request or its log, such as `request_id`.
    private static let exchangeWords: Words =
        "request trace correlation transaction log session span rpc call query x"

    /// Returns `true` for a name with the word for a page in one of many languages.
    static func hasPageStem(_ key: String) -> Bool {
        let name = key.lowercased()
        return pageStems.contains { name.contains($0) }
    }

    private static let pageStems: Words =
        "pag pág seit stron sivu sid strán oldal sayfa halaman страниц ページ 页 頁 페이지"

    /// Returns `true` for the name of a number such as `id`, `year` or `elapsed_ms`, which counts neither items nor pages.
    static func isMeasure(_ key: String) -> Bool { words(of: key).contains(where: measures.contains) }

    private static let measures: Words = """
        id code version status year month week day hour minute second seconds ms time took duration elapsed timestamp date level
        rank score price amount cost age rev revision build errors error warnings failed
        """

    /// Returns `true` for a text such as `MORE_AVAILABLE`, which is the name of a flag.
    static func says(_ text: String, _ role: PaginationRoles) -> Bool {
        text.utf8.count < 40 && roles(of: text.lowercased()).contains(role)
    }

    /// Words for a member, and what they are short for.
    private static let abbreviations = [
        "cnt": "count", "pg": "page", "pgs": "pages", "rec": "record", "recs": "records", "tot": "total",
        "nxt": "next",
    ]

    /// Returns a name with whole words: `page_count` for `pgCnt`, and `has_more` for `bHasMore`, or `nil` if it has them.
    private static func expanded(_ key: String) -> String? {
        let words = words(of: key)
        let letters = key.prefix(2)
        let hasType =
            words.count > 1 && letters.count == 2 && "bfni".contains(key.prefix(1))
            && letters.last?.isUppercase == true
        let whole = words.dropFirst(hasType ? 1 : 0).map { abbreviations[$0] ?? $0 }
        return whole == words ? nil : whole.joined(separator: "_")
    }

    /// The words for a place in a list, and the words before each with which it is something else.
    private static let placeWords: [String: Words] = [
        "token": """
        access refresh renewal id csrf xsrf auth authorization authentication api session device push share sharing invite
        invitation unsubscribe request client sync delta watch feed change security verification verify reset bearer user
        upload download publish account app application bot web login signin oauth jwt temp temporary guest anonymous
        checkout cart order payment card consent tracking track embed edit admin claim registration confirm confirmation
        activation email sms otp challenge captcha fcm apns lock version revision preview room meeting chat identity
        personal project service support secret public private signing signature deploy deployment idempotency webhook callback
        form antiforgery forgery customer host server team site map maps mapbox stripe video live channel subscription
        transaction trace job build impression view agent call viewer nft gas base quote erc20 native reward governance payout
        billing magic link password remember rate limit
        """,
        "cursor": "text mouse caret drag pointer css hover style custom",
        "continuation": "story line",
        "after": """
        retry valid not expires expire starts ends delete reset available due run wait poll refresh visible remove
        since look auth token day days hours here there check try effective archive lock timeout time look morning named
        """,
        "marker": "map place location text time chapter bookmark speech",
        "bookmark": "",
    ]

    private static let wholeWords: Words = "total grandtotal filtered full fullcount overall"
    private static let totalWords = wholeWords.union("grand number num of de")
    private static let pageCountWords: Words =
        "pages paginas num number of de no total count qtd quantity all filtered"

    /// The words for the items of a list in a name such as `total_documents`.
    static let itemNouns: Words = """
        count hit hits match matches element elements results result items item list size entries records record rows row number
        num objects entities documents document docs doc found available matching resultcount resultscount registros resultados
        itens elementos
        """

    /// The words for a page in a name such as `has_more_pages` or `next_page_url`.
    private static let pageNouns: Words = """
        page pages data batch set chunk link search query request list collection token cursor start offset from url key last
        """

    /// The texts of Boolean values.
    static let flags: [String: Bool] = {
        let yes = "true 1 01 yes y t on kyllä igen evet da 네 예 sim sí si ja oui tak да 是 はい"
        let no = """
            false 0 00 no n f off não nao nein nee nei nej non nie ne ei nem hayır tidak nu いいえ 아니요 нет 否
            """
        return Dictionary(list(yes).map { ($0, true) } + list(no).map { ($0, false) }) { first, _ in first }
    }()
    /// Words in the names of places where a list continues, whose values have no meaning.
    static let continuing: Words = """
        next more resume continue forward older earlier then remainder checkpoint watermark seek bookmark tail succ subsequent
        upcoming following nxt
        """
    /// Words in the names of texts that say why, and how completely, a list was sent.
    static let statements: Words = "completeness coverage result reason outcome truncation code"

    /// Returns `true` for a state such as `W-TRUNCATED` or `Partial result`.
    static func saysPartial(_ text: String) -> Bool {
        let words = text.lowercased().split { !$0.isLetter }
        return words.count < 4 && !words.contains("no") && !words.contains("success")
            && words.contains { ["partial", "truncated", "limited", "incomplete", "more"].contains($0) }
    }
    /// Words in the names of opaque texts that are not tokens.
    static let identifiers: Words =
        "id uuid etag hash version trace signature nonce checksum digest key request sync delta"
    /// Objects that configure a user interface or a user, whose flags say nothing about the list.
    static let configurations: Words = """
        settings permissions features preferences options config configuration capabilities labels facets
        profile
        """
    /// Objects whose flags are about the list, although other members are not.
    static let flagContainers: Words = "query properties extensions"
    /// Objects in which a name such as `total_count` is the total.
    static let totalContainers: Words = "status extensions"
    /// Objects about the response in which one of these names is the number of all items.
    static let resultContainers: Words =
        "header meta metadata pagination paging pageinfo searchmetadata resultinfo"
    static let foundNames: Words = "available matches matched matching found hits"
    /// Names of the number of items on a page, and of a greater number beside it that is the total.
    static let pageCounts: Words =
        "return returned shown showing displaying displayed visible fetched received delivered here"
    static let wholes = foundNames.union("of all overall existing")
    /// Lists in objects about the pages.
    static let listsBesideItems: Words = "links link urls errors warnings messages pages next"
    /// Lists of messages of the server about the response.
    static let messageLists: Words = "warnings messages notices notes alerts"
    /// Objects that repeat the request, whose tokens are those of this page.
    static let echoes: Words = "request query params parameters filter filters input arguments args"
    /// Objects whose members are all sent back in the request for the next page.
    static let returnedObjects: Words = "continue nextpageparams"
    /// Words before `token` in the name of one for the next page, which can be an object.
    static let tokenWords: Words = """
        page paging pagination continuation continue next resume resumption scroll
        """
    /// The names of members of such an object that are no position.
    static let objectSettings: Words = """
        before since until self ns limit size order sort expiresin expiresat ttl
        """
    /// Objects that contain a token, and the names of the token in them.
    static let tokenObjects: Words = "resumptiontoken continuationtoken nextpagetoken nexttoken"
    static let tokenValues: Words = "token value text t"
    /// Places in a list that can be lists of values.
    static let positionLists: Words = "searchafter nextsearchafter continuationtoken"
    /// Endings of the names of members that always contain a URL.
    static let urlEndings = ["url", "link", "uri", "href"]
    /// The last words of names such as `nextForwardToken`, which can contain any other word.
    private static let nextEndings: Words = """
        page pages batch token cursor marker bookmark continuation continue after scrollid anchor offset skip
        results records cursormark mark params request startwith
        """
    /// The last words of names that can refer to other things, such as `next_chapter_url` or `next_season_id`.
    private static let weakNextEndings = list(
        "url link uri href path set key position id from start index range state number num")

    static func list(_ words: String) -> [String] {
        words.split(whereSeparator: \.isWhitespace).map(String.init)
    }

    /// Returns `true` for the name of a link such as `prev_page` or `XPrevLink`.
    static func leadsToOtherPage(_ name: String) -> Bool {
        words(of: name).contains { word in
            otherPages.contains(word)
                || word.hasPrefix("x") && otherPages.contains { word.hasPrefix("x\($0)") }
        }
    }

    /// Words in the names of links to the same list that do not lead to its next page.
    static let otherPages: Words = """
        self this first last prev previous before back newer newest latest current canonical start begin refresh changes
        delta sync update updates up home top share
        """

    /// The states of a whole list.
    static let finalStates: Words = """
        all closed complete completed done end exhausted final finished full last loaded ok ready success
        whole
        """

    /// Returns `true` for the name of a member that leads to the next page, such as `next`, `nextPageToken` or `more_url`.
    static func isNext(_ name: String) -> Bool {
        switch name.utf8.first {
        case UInt8(ascii: "n") where name.hasPrefix("next"):
            name == "next" || !name.hasPrefix("nextsync") && isNextOfList(name.dropFirst(4))
        case UInt8(ascii: "a") where name.hasPrefix("after"): urlEndings.contains { name == "after\($0)" }
        case UInt8(ascii: "o") where name.hasPrefix("older"):
            name == "older" || hasURLEnding(name)
        // But not `more_info_url`.
        case UInt8(ascii: "m") where name.hasPrefix("more"):
            isNextOfList(name.dropFirst(4)) && hasURLEnding(name)
        case UInt8(ascii: "l") where name.hasPrefix("loadmore"): hasURLEnding(name)
        default:
            name.hasPrefix("lastevaluated") || isNextWord(name)
                || name.hasSuffix("next")
                    && ["cursor", "page", "token", "link", "url"].contains { name == "\($0)next" }
        }
    }

    private static func hasURLEnding(_ name: String) -> Bool {
        ["url", "link", "uri"].contains(where: name.hasSuffix)
    }

    /// Returns `true` for the words after `next` in the name of a reference to the next page.
    private static func isNextOfList(_ words: Substring) -> Bool {
        // `next_check_after` is a time to wait.
        if words.hasSuffix("after"), ["check", "poll", "sync", "refresh"].contains(where: words.hasPrefix) {
            return false
        }
        if nextEndings.contains(where: words.hasSuffix) { return true }
        guard let ending = weakNextEndings.first(where: words.hasSuffix) else { return false }
        let noun = String(words.dropLast(ending.count))
        return noun.isEmpty
            ? !["state", "number", "num"].contains(ending)
            : itemNouns.contains(noun) || pageNouns.contains(noun)
    }

    /// Returns `true` for a normalized name that has a role itself.
    static func isKnown(_ name: String) -> Bool { table[name] != nil }

    /// Returns `true` for a normalized name such as `total`, whose value is about the pages only.
    static func isAboutPages(_ name: String) -> Bool { table[name]?.contains(.container) == false }

    /// Returns `true` for an object with no other purpose than pagination, so that a count in it is of the list.
    static func isPagination(_ name: String) -> Bool { table[name]?.contains(.paginationContainer) == true }

    /// Returns `true` for the name of an object next to the list whose members can describe the pagination.
    static func isContainer(_ name: String) -> Bool {
        let parts = ["pagina", "paging", "pageinfo", "pagemeta", "pagecontext"]
        return table[name]?.contains(.container) == true || name.hasSuffix("links")
            || parts.contains { name.utf8.range(of: $0) != nil }
    }

    /// Returns the words of a name in snake case, kebab case or camel case, in lower case.
    static func words(of name: some StringProtocol) -> [String] {
        var words: [String] = []
        var word: [UInt8] = []
        var wasUpper = false
        for byte in name.utf8 {
            let isUpper = UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
            let isSeparator =
                byte < 0x80 && !isUpper && !(UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte)
                && !(UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte)
            if isSeparator || isUpper && !wasUpper, !word.isEmpty {
                words.append(String(decoding: word, as: UTF8.self))
                word.removeAll(keepingCapacity: true)
            }
            if !isSeparator { word.append(isUpper ? byte | 0x20 : byte) }
            wasUpper = isUpper
        }
        return word.isEmpty ? words : words + [String(decoding: word, as: UTF8.self)]
    }
}
