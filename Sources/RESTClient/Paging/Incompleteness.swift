import Foundation
public import RESTClientHTTP

/// The words of a server about items that its list lacks: errors of GraphQL beside the data, a member beside the list such
/// as `"timed_out": true` or `"failed": 1` of the shards, or an error beside a list without items.
extension PageAnalysis {
    /// Returns the messages or the member, or `nil` if the server says nothing. A list that is only truncated
    /// continues on the next page if that `isFollowed`. `first` is the first page, unless this is it.
    func incompleteness(isFollowed: Bool, since first: PageInfo? = nil) -> String? {
        let path = page.path
        if let messages = page.envelope.messages(ofErrorsBesideListAt: path) { return messages }
        if let failure = page.envelope.failure(
            besideListAt: path, hasItems: page.itemCount > 0, since: first?.envelope)
        {
            return failure
        }
        if !isFollowed {
            // A search in a text takes quadratic time.
            let field = page.headers.first { field in
                guard !PaginationNames.otherFields.contains(field.name), field.value.utf8.count < 500,
                    PaginationNames.areNotice(PaginationNames.words(of: field.name.rawValue))
                else { return false }
                return field.name == "Warning"
                    ? PageInfo.saysItemsAreMissing(field.value) : PageInfo.saysListIsCut(field.value)
            }
            if let field { return "\(field.name): \(field.value)" }
            let notice = members.first { sign in
                guard sign.isNear, !sign.isMarked, PaginationNames.areNotice(sign.words),
                    let text = sign.text, text.utf8.count < 500
                else { return false }
                // `Pass page=2 for more results` can stand on each page.
                return first == nil ? PageInfo.saysItemsAreMissing(text) : PageInfo.saysListIsCut(text)
            }
            if let notice { return "\(notice.path): \(notice.text ?? "")" }
        }
        let signs =
            members
            + fields.filter {
                PaginationNames.saysIncomplete($0.words.drop { $0 == "x" }.joined())
            }
        let sign = signs.first { sign in
            // An object in an object beside the list is about something else.
            guard sign.isBesideList || sign.path.names.count <= path.names.count + 1 else { return false }
            if deniesCompleteness(sign) { return !isFollowed }
            let isIncomplete = sign.says(PaginationNames.incomplete) || sign.countsFailures(beside: signs)
            guard isIncomplete || sign.says(PaginationNames.truncated) else { return false }
            // A text that is truncated, even if the list is in an inner object of the thing with the text.
            let others = signs.filter { $0.isBeside(sign) }
            if others.contains(where: { PaginationNames.texts.contains($0.name) && $0.text != nil }),
                !sign.isBesideList
                    || sign.path.names.count < path.names.count
                        && others.contains(where: { PaginationNames.identifiesThing($0.key) })
            {
                return false
            }
            if isIncomplete { return true }
            // A page is partial that the first one, which was followed, was not.
            if isFollowed { return first?.envelope.json(sign.path) == "false" }
            return (try? decision()) == nil
        }
        guard let sign else { return nil }
        let message = signs.first { $0.isBeside(sign) && PaginationNames.messages.contains($0.name) }?.text
        let value = sign.integer.map { "\($0)" } ?? "\(sign.flag ?? true)"
        return "\(sign.path): \(value)" + (message.map { ", \($0)" } ?? "")
    }

    /// Returns `true` for `"complete": false` in an object about the pages, or alone beside a full page.
    private func deniesCompleteness(_ sign: PaginationSign) -> Bool {
        guard sign.isUnfinished, !statesEnd else { return false }
        return sign.name == "completeindicator"
            || ["pagination", "paging", "pageinfo", "resultinfo"].contains(sign.container)
            || sign.words.contains("complete") && isFull && isBesideListAlone(sign)
    }
}

extension PageInfo {
    /// Returns `true` for a sentence about items that are missing, as in the `Warning` header field of DICOMweb.
    static func saysItemsAreMissing(_ text: String) -> Bool {
        let nouns = #/(additional|more|further) (results|items|records|entries|rows|matches|pages)/#
        return saysListIsCut(text)
            || !deniesMore(text.lowercased()) && text.lowercased().firstMatch(of: nouns) != nil
    }

    /// Returns `true` for a sentence that says that results are incomplete, or a search did not end.
    static func saysListIsCut(_ text: String) -> Bool {
        // `RESULT_TRUNCATED`
        let text = text.lowercased().replacing("_", with: " ")
        // Most texts have none of these words, and regular expressions take long to compile.
        let words = ["truncated", "incomplete", "timed out", "interrupted by"]
        if !words.contains(where: { text.contains($0) }) || deniesMore(text) { return false }
        // But not `Search query truncated to 30 characters`, and `Names are truncated in this list`.
        let list =
            #/(?:^|[.] )(?:truncated|incomplete)(?:$|[.] )|(?:results?|response|list|listing|output|items|records|rows|entries|matches|pages|search|documents)(?: set)?(?: is| are| was| were| has been| have been)? (?:truncated|incomplete)|(?:truncated|incomplete) (?:search|results?|response|list|output)/#
        let search =
            #/(?:query|search|request|execution|scan)[^.]{0,30} (?:timed out|interrupted by)/#
        return text.contains(search)
            || !text.contains(#/character|letter|byte/#) && text.firstMatch(of: list) != nil
    }

    private static func deniesMore(_ text: String) -> Bool {
        text.contains("no more") || text.contains("no further") || text.contains("no additional")
            // `Add 2 more items to get free shipping`
            || text.contains(#/(?:add|buy|choose|order|select) \d+ more|more items (?:needed|required)/#)
    }
}

extension Envelope {
    /// Returns what a document says about items that its list lacks, such as errors of GraphQL beside the data or
    /// `"timed_out": true`, or `nil`.
    ///
    /// - Parameters:
    ///   - path: The place of the list in the document.
    ///   - itemCount: The number of items in the list.
    public func incompleteness(ofListAt path: MemberPath, itemCount: Int) -> String? {
        var page = PageInfo(url: URL(filePath: "/"), envelope: self, itemCount: itemCount)
        page.path = path
        return PageAnalysis(page).incompleteness(isFollowed: false)
    }

    /// Returns the member that says that a list inside an element of another list goes on, such as `issues.pageInfo.hasNextPage`,
    /// with its value, or `nil`.
    ///
    /// A member of the element itself describes the element, unless it is a flag such as `has_more`.
    ///
    /// - Parameters:
    ///   - path: The place of the list in the element.
    ///   - element: The text of the element.
    ///   - list: The range of the list in the element.
    ///   - itemCount: The number of items in the list.
    public static func continuation(
        ofListAt path: MemberPath, in element: RawSpan, list: Range<Int>, itemCount: Int
    ) -> String? {
        let envelope = element.withUnsafeBytes { element in
            Envelope(text: Array(element[..<list.lowerBound]) + "[]".utf8 + element[list.upperBound...])
        }
        let signs = envelope.paginationSigns(around: path)
        // The objects with a page size or the position of the first page.
        lazy var paged = Set(
            signs.filter { other in
                guard let value = other.integer else { return false }
                return other.roles.contains(.pageSize) && value == itemCount
                    || !other.roles.isDisjoint(with: [.pageNumber, .certainOffset]) && (0...1).contains(value)
            }.map(\.object))
        let sign = signs.first { sign in
            guard sign.isNear else { return false }
            if sign.saysMore == true, sign.roles.contains(.more), !sign.roles.contains(.weakFlag) {
                return true
            }
            let isInside = sign.path.names.count > 1 && sign.path.names.first == path.names.first
            let isAround = isInside || PaginationNames.isPagination(sign.container)
            if isAround, sign.leadsToNext { return sign.text != nil }
            guard sign.roles.contains(.total), sign.integer.map({ $0 > itemCount }) == true else {
                return false
            }
            if isAround, sign.name != "total" { return true }
            // A `total` alone can be a price.
            return (isAround || sign.path.names.dropLast() == path.names.dropLast())
                && paged.contains(sign.object)
        }
        return sign.map { "\($0.path): \(envelope.json($0.path) ?? "")" }
    }

    /// Returns an error, a denied success, or a code that the first page has not, beside an empty list.
    fileprivate func failure(
        besideListAt path: MemberPath, hasItems: Bool, since first: Envelope?
    ) -> String? {
        // The members of the document, and those beside the list.
        for object in path.names.count > 1 ? [.root, MemberPath(names: path.names.dropLast())] : [.root] {
            let members = object == .root ? self : json(object).map { Envelope(text: Array($0.utf8)) }
            let keys = members?.keys ?? []
            // A member such as `total` says nothing about a failure, and the state of an object with an `id` is its own.
            guard let members, !hasItems || keys.contains(where: ServerMessage.canDenySuccess),
                !keys.allSatisfy({ PaginationNames.isAboutPages(MemberPath.normalized($0)) }),
                !hasItems || !keys.contains(where: PaginationNames.identifiesThing),
                let value = try? JSONLiteral(parsing: Data(members.text))
            else { continue }
            if let failure = ServerMessage.ofFailure(in: value, hasItems: hasItems) { return failure }
            guard !hasItems else { continue }
            for name in ["code", "errcode", "errno", "ret"] {
                let member = object.appending(name)
                guard let old = first?.integer(member), let new = integer(member), new != old
                else { continue }
                let message = ["message", "msg", "errmsg"].lazy.compactMap { value[$0] }.first
                return "\(member): \(new)" + (message.map { ", \($0.text)" } ?? "")
            }
        }
        return nil
    }

    /// Returns the messages of `errors` beside the `data` of a GraphQL response, or the places that were `unreachable`
    /// (Google AIP-217).
    fileprivate func messages(ofErrorsBesideListAt path: MemberPath) -> String? {
        if path.names.last?.hasSuffix("reachable") == false, let text = json("unreachable"),
            case .array(let places)? = try? JSONLiteral(parsing: Data(text.utf8)).node, !places.isEmpty,
            places.allSatisfy({ $0.text.contains("/") })
        {
            return "unreachable: \(places.prefix(3).map(\.text).joined(separator: ", "))"
        }
        guard path.names.first == "data" || json("data") != nil else { return nil }
        guard let text = json("errors") else { return wasOmitted("errors") ? "errors" : nil }
        guard let errors = try? JSONLiteral(parsing: Data(text.utf8)) else { return nil }
        let list: [JSONLiteral]
        switch errors.node {
        case .array(let elements): list = elements
        case .object(let members) where !members.isEmpty: list = [errors]
        case .string(let text) where !text.isEmpty: list = [errors]
        default: return nil
        }
        return list.isEmpty ? nil : list.prefix(3).map { ($0["message"] ?? $0).text }.joined(separator: "; ")
    }
}

extension PaginationSign {
    /// Returns `true` for a flag that is set, whose name consists of one of the statements and words for the list.
    fileprivate func says(_ statements: Words) -> Bool {
        guard flag == true, integer == nil else { return false }
        return PaginationNames.consists(name, of: statements)
    }

    /// `true` if the list lacks its other items, and no next page is to be looked for.
    var saysTruncated: Bool { says(PaginationNames.truncated) }

    /// Returns `true` for the number of parts, such as shards, that have failed. It is next to the number of all parts, or
    /// of those without a failure. Next to the list itself, the total is that of the items.
    fileprivate func countsFailures(beside signs: [PaginationSign]) -> Bool {
        guard case .integer(1...) = value else { return false }
        guard let last = words.last, ["failed", "failures"].contains(last) else { return false }
        let others = isBesideList && words.count == 1 ? [] : ["total"]
        return signs.contains { sign in
            sign.isBeside(self) && sign.integer != nil && sign.words.dropLast() == words.dropLast()
                && (others + ["successful", "succeeded"]).contains(sign.words.last)
        }
    }
}

extension PaginationNames {
    /// Returns `true` for the words of a text for the reader of the response, such as `Warning`, `remark` or `X-SQL-Message`.
    static func areNotice(_ words: [String]) -> Bool { words.contains(where: notices.contains) }

    private static let notices: Words =
        "warning warnings remark remarks notice notices message messages alert alerts"

    /// Returns `true` for the name of a header field, without `X-`, that says that items are missing.
    static func saysIncomplete(_ name: String) -> Bool {
        consists(name, of: incomplete) || consists(name, of: truncated)
    }

    /// Returns `true` for a name that consists of one of the statements and words for the list.
    fileprivate static func consists(_ name: String, of statements: Words) -> Bool {
        // The time grows with the square of the length.
        guard name.utf8.count <= 100 else { return false }
        var name = name[...]
        while !statements.contains(String(name)) {
            if let word = listWords.first(where: name.hasPrefix) {
                name = name.dropFirst(word.count)
            } else if let word = listWords.first(where: name.hasSuffix) {
                name = name.dropLast(word.count)
            } else {
                return false
            }
        }
        return true
    }

    /// The names of flags, without words for the list, which say that items are missing.
    fileprivate static let incomplete: Words = """
        incomplete timedout timeout timelimit deadline terminatedearly earlyterminated earlytermination
        stoppedearly endedearly cutshort partialfailure
        """
    /// The same, unless the list continues on a next page.
    fileprivate static let truncated: Words = """
        partial truncated overflow cutoff limit omitted withheld unfinished max cut remainder overflowed
        sizelimit
        """
    /// The words for a list and its request in such a name, the longest first.
    fileprivate static let listWords = list(
        """
        documents exceeded occurred response entries objects queries reached records record request results
        result search shards items lists pages query reply shard data docs have hits item list load page read
        rows over scan were are has hit row set was is
        """)
    /// Members with a text that can be truncated.
    fileprivate static let texts: Words = "text value body html content summary"
    /// Members with the text of a message.
    fileprivate static let messages: Words = "message detail reason warning error description"
}
