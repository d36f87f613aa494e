import Foundation
import RESTClientHTTP

/// A member near the list, or a header field, that can describe the pagination.
final class PaginationSign {
    enum Value {
        case text(String)
        case integer(Int)
        /// A number that is not an `Int`, as it is written.
        case digits(String)
        case flag(Bool)
        /// Null, or an empty string, list or object.
        case empty
        /// A list that is not empty.
        case list
        /// An object that is not empty.
        case other

        /// The integer, also if it is written as a string.
        var integer: Int? {
            switch self {
            case .integer(let number): number
            case .text(let text) where text.utf8.count < 20:
                Int(text) ?? Self.wholeNumber(text.trimmingCharacters(in: .whitespaces))
            default: nil
            }
        }

        private static func wholeNumber(_ text: String) -> Int? {
            Int(text.hasSuffix(".0") ? text.dropLast(2) : text[...])
        }

        /// A Boolean value that indicates whether the text is a JSON object in base64, but not a JSON Web Token.
        var isEncodedObject: Bool {
            if case .text(let text) = self { text.hasPrefix("eyJ") && !text.contains(".") } else { false }
        }

        /// `true` for a reference such as `0`, `"null"` or `"about:blank"`, with which servers end a list.
        var isNothing: Bool {
            switch self {
            case .integer(let number): number == 0 || number == -1
            case .text(let text):
                // Zeros, even as a UUID, and in base64, in which `-1` is `LTE=`.
                text.allSatisfy { $0 == "0" || $0 == "-" }
                    || text.hasPrefix("A") && text.wholeMatch(of: #/A+=+/#) != nil
                    || ["-1", "lte=", "#", "n/a", "about:blank"].contains(text.lowercased())
                    || text.utf8.count < 12
                        && Self.ends.contains(
                            text.lowercased().trimmingCharacters(in: .punctuationCharacters))
            default: false
            }
        }

        private static let ends: Words =
            "null nil none no false undefined end eof done finished no_more nomore no-more"
    }

    /// The location of the value in the response.
    enum Source {
        /// A member of an object on the path to the list.
        case besideList
        /// A member of an object beside the list, such as `meta`.
        case inObject
        case header
        /// The target of a link whose relation is the last name of the path.
        case link(method: String, body: JSONLiteral?, isMerged: Bool)
    }

    /// The names of the objects around the member.
    private let place: [String]
    /// The name of the member or header field, as it is written.
    let key: String
    /// The name, normalized.
    let name: String
    /// The words of the key.
    private(set) lazy var words = PaginationNames.words(of: key)
    /// The name of the object that it is a member of, normalized; empty for the root and for header fields.
    let container: String
    let roles: PaginationRoles
    let value: Value
    let source: Source
    /// A Boolean value that indicates whether a common word such as `count` is about the list at this place.
    var isNear: Bool { didSet { if !oldValue { isMarked = true } } }
    /// A Boolean value that indicates whether `isNear` depends on the other members of the object.
    private(set) var isMarked = false
    /// `true` if an object around the member has the name of the list, such as `items_aggregate`.
    let isAboutList: Bool

    /// Without a `source`, it is a header field. `name` is the normalized name if it is not the whole key, and `list` is that of the
    /// list.
    init(
        _ place: [String], _ key: String, _ value: Value, from source: Source = .header,
        in container: String = "", name: String? = nil, list: String = ""
    ) {
        (self.place, self.key, self.container, self.source) = (place, key, container, source)
        // `{"seiten": 320}` has the name `pages`.
        let own = name ?? MemberPath.normalized(key)
        let english = PaginationNames.isKnown(own) ? nil : PaginationNames.translated(key)
        let name = english.map(MemberPath.normalized) ?? own
        self.name = name
        var roles = PaginationNames.roles(of: key, name, list: list)
        // `{"total": {"value": 7}}`, and `{"openSearch$totalResults": {"$t": 7}}`
        var isValue = false
        if let object = place.last, name == "count" || Self.valueNames.contains(name) {
            let valueRoles = name == "count" ? .remaining : Self.valueRoles
            let own = PaginationNames.roles(of: object).intersection(valueRoles)
            roles.formUnion(own)
            isValue = !own.isEmpty
        }
        if container == "cursors" { roles.remove(.pageNumber) }
        // `{"resumptionToken": {"$t": "", "cursor": 6}}`
        if PaginationNames.tokenObjects.contains(container), value.integer != nil,
            !PaginationNames.tokenValues.contains(name)
        {
            roles.remove(.token)
        }
        // `{"totals": {"users": 7}}` next to `users`
        if !list.isEmpty, name == list, list != "items",
            ["count", "counts", "total", "totals"].contains(container)
        {
            roles.insert(.total)
        }
        switch source {
        case .besideList, .header: (isNear, isAboutList) = (true, false)
        case .inObject, .link:
            let isContainer = container.isEmpty || PaginationNames.isContainer(container)
            isAboutList =
                !isContainer && !list.isEmpty
                && place.contains { MemberPath.normalized($0).hasPrefix(list) }
            isNear = isContainer || isAboutList || isValue
            // A name of several words, such as `nextPageToken`, means the same at every place.
            if !isNear, name == "next" || name == "older" { roles.remove(.next) }
        }
        // A word alone such as `mais` has other meanings.
        let isFlag = if case .flag = value { true } else { false }
        if english == "more", !isFlag { roles.remove(.more) }
        if english == "next", !Self.canBeNext(value) { roles.remove(.next) }
        let isReference = roles.contains(.next) || roles.contains(.token) && name != "end"
        // An offset can be 0.
        let isOffset = (name == "offset" || name == "position") && value.integer != nil
        // Servers that have not counted the list send -1.
        let isUncounted = !roles.isDisjoint(with: [.total, .pageCount]) && value.integer == -1
        self.value = isReference && value.isNothing && !isOffset || isUncounted ? .empty : value
        self.roles = roles
    }

    /// Returns `true` for a URL, a token, a number or nothing, but not for a word, a date or a time.
    private static func canBeNext(_ value: Value) -> Bool {
        switch value {
        case .text(let text):
            let isPlain = text.allSatisfy { $0.isLetter || $0.isWhitespace }
            return !isPlain && !text.contains(" ") && text.wholeMatch(of: #/\d+([-:.]\d+)+/#) == nil
        case .flag: return false
        default: return true
        }
    }

    /// The names of the only value in an object, whose name says what it is.
    static let valueNames: Set = ["value", "exact", "t", "text", "numberlong", "raw", "low", ""]
    private static let valueRoles: PaginationRoles = [
        .total, .pageCount, .pageNumber, .pageSize, .offset, .certainOffset, .remaining, .more, .end,
    ]

    /// The path of the object that the sign is a member of.
    var object: MemberPath { MemberPath(names: place) }

    /// The path of the member, or the name of the header field.
    var path: MemberPath { MemberPath(names: place + [key]) }

    /// The path of the member, or `nil` for a header field.
    var memberPath: MemberPath? { isHeader ? nil : path }

    /// A Boolean value that indicates whether the member leads to the next page.
    var leadsToNext: Bool { roles.contains(.next) }

    /// Returns `true` if the member is about the list at this place, and has the role.
    func isNear(_ role: PaginationRoles) -> Bool { isNear && !roles.isDisjoint(with: role) }

    /// Returns `true` if the other sign is a member of the same object.
    func isBeside(_ other: PaginationSign) -> Bool { place == other.place }
}

extension PaginationSign {
    var isHeader: Bool { if case .header = source { true } else { false } }
    var isLink: Bool { if case .link = source { true } else { false } }
    var isBesideList: Bool { if case .besideList = source { true } else { false } }

    /// A Boolean value that indicates whether the text is neither a word nor an identifier of a thing.
    var isOpaque: Bool {
        guard let text, text.count >= 6, !text.contains(where: { "-_:. /".contains($0) })
        else { return false }
        // `Gate2A` and `R2024a` are names.
        let rest = text.count < 8 ? text.dropFirst() : text[...]
        let end = text.count < 8 ? rest.drop { !$0.isNumber } : rest
        return rest.contains(where: \.isUppercase) && end.contains(where: \.isLowercase)
            && text.contains(where: \.isNumber)
    }

    /// A Boolean value that indicates whether the value has no meaning: base64, digits in hexadecimal, or a large number.
    var isUnreadable: Bool {
        guard let text = textOrNumber, !isURL, !text.contains(" ") else { return false }
        if text.allSatisfy(\.isNumber) { return text.count > 9 }
        return isOpaque || value.isEncodedObject || isPaddedBase64
            || text.count >= 16 && text.contains(where: \.isNumber)
                && text.allSatisfy { $0.isHexDigit || $0 == "-" }
                && text.contains(where: \.isLetter)
    }

    private var isPaddedBase64: Bool {
        guard let text, text.count >= 8, text.hasSuffix("=") else { return false }
        let isLong = text.count >= 16
        return text.drop { $0.isLetter || $0.isNumber || "+/-_".contains($0) }.allSatisfy { $0 == "=" }
            && (isLong || text.contains(where: \.isUppercase) && text.contains(where: \.isLowercase))
    }

    /// A Boolean value that indicates whether the text is a UUID (RFC 9562), or has the length of an MD5, SHA-1 or SHA-256 digest.
    var isDigest: Bool {
        guard let text, text.allSatisfy({ $0.isHexDigit || $0 == "-" }) else { return false }
        let digits = text.count { $0 != "-" }
        return digits == text.utf8.count ? [32, 40, 64].contains(digits) : digits == 32
    }

    /// A Boolean value that indicates whether the text is a common word.
    var isWord: Bool { text?.allSatisfy { $0.isLetter && $0.isLowercase } ?? false }

    /// A Boolean value that indicates whether the text is the name of a state, such as `INTERMEDIATE`.
    var isEnumeration: Bool {
        name.hasSuffix("state") && text?.allSatisfy { $0.isUppercase || $0 == "_" } == true
    }

    /// A Boolean value that indicates whether the text is a title such as `Next page`, and not a date or a token.
    var isTitle: Bool {
        guard let text, text.contains(" "), text.allSatisfy({ $0.isLetter || $0 == " " })
        else { return false }
        // A cursor can be the name of an item.
        return !["cursor", "token", "marker", "continuation"].contains(where: name.hasSuffix)
    }

    var isObject: Bool { if case .other = value { true } else { false } }

    var isList: Bool { if case .list = value { true } else { false } }

    /// A Boolean value that indicates whether the name is that of a URL.
    var hasURLName: Bool { PaginationNames.urlEndings.contains(where: name.hasSuffix) }

    /// The text, if the value is a string that is not empty.
    var text: String? { if case .text(let text) = value { text } else { nil } }

    /// The integer value, also if it is written as a string.
    var integer: Int? { value.integer }

    /// The integer value, also if it is written as `1,007` or `7+`.
    var count: Int? {
        guard let text, text.utf8.count < 20, text.wholeMatch(of: #/\d{1,3}(,\d{3})*\+?|\d+\+/#) != nil
        else { return integer }
        return Int(text.filter(\.isNumber))
    }

    /// The Boolean value, also if it is written as a number or a string.
    var flag: Bool? {
        switch value {
        case .flag(let flag): flag
        case .integer(1): true
        case .integer(0): false
        case .text(let text): PaginationNames.flags[text.lowercased()]
        default: nil
        }
    }

    /// The text, or the digits of a whole number, also if it is larger than an `Int`.
    var textOrNumber: String? {
        switch value {
        case .text(let text): text
        case .integer(let number): "\(number)"
        case .digits(let digits) where digits.allSatisfy(\.isNumber): digits
        default: nil
        }
    }

    /// The meaning of a flag such as `has_more` or `last`: `true` if there are more items.
    var saysMore: Bool? {
        if roles.contains(.more), isNear || PaginationNames.flagContainers.contains(container) {
            // A number of items that follow.
            if case .integer(2...) = value, !hasURLName { return true }
            return flag ?? stateOfMore
        }
        guard isNear, roles.contains(.end) else { return nil }
        // `last` and `end` may be numbers of items, unlike `is_over`, `EOF_FLAG` and `nomore`.
        if case .integer = value, !name.hasPrefix("islast"), !name.hasPrefix("nomore") {
            let marks: Words = "is eof flag ind indicator"
            guard words.contains(where: marks.contains) else { return nil }
        }
        return flag.map { !$0 }
    }

    /// The meaning of a text such as `NO_MORE_RESULTS`, `MORE_RESULTS_AFTER_LIMIT` or `NOT_FINISHED` of a flag for more items.
    private var stateOfMore: Bool? {
        guard let text, text.contains(where: \.isLetter), text == text.uppercased() else { return nil }
        let name = MemberPath.normalized(text)
        if name.hasPrefix("nomore") || PaginationNames.finalStates.contains(name) { return false }
        return name.hasPrefix("more") || name == "notfinished" ? true : nil
    }

    /// `true` for a flag such as `finished` of something, which need not be the list, that goes on.
    var isUnfinished: Bool { roles.isSuperset(of: [.stateFlag, .end]) && flag == false && integer == nil }

    /// `true` for a flag such as `finished` that is set.
    var isFinished: Bool { roles.isSuperset(of: [.stateFlag, .end]) && flag == true && integer == nil }

    /// A Boolean value that indicates whether the text has digits or capital letters among its letters, like a token.
    var isMixed: Bool {
        guard let rest = text?.dropFirst(), rest.count > 2, looksLikeToken else { return false }
        return !rest.contains { ":./".contains($0) }
            && (rest.contains(where: \.isNumber)
                || rest.contains(where: \.isUppercase) && rest.contains(where: \.isLowercase))
    }

    var isEmpty: Bool { if case .empty = value { true } else { false } }

    /// A Boolean value that indicates whether the value can only be a token: letters and digits without a meaning.
    var isCertainToken: Bool {
        guard let text, looksLikeToken, text.count >= 8 else { return false }
        return text.contains(where: \.isNumber) && text.contains(where: \.isLetter)
            && !text.contains(":") && name != "token"
    }

    /// A Boolean value that indicates whether the value is a URL, absolute or relative, and not a token.
    var isURL: Bool {
        guard let text, let first = text.first else { return false }
        if "/?#".contains(first) || text.utf8.range(of: "://") != nil { return true }
        // `&page=2`
        if first == "&", text.utf8.contains(UInt8(ascii: "=")) { return true }
        guard !text.utf8.contains(UInt8(ascii: " ")) else { return false }
        if text.hasPrefix("./") || text.hasPrefix("../") { return true }
        guard let mark = text.utf8.firstIndex(of: UInt8(ascii: "?")) else { return false }
        return text.utf8[mark...].contains(UInt8(ascii: "="))
    }

    /// A Boolean value that indicates whether the value may be an opaque token: not a word, a sentence, a date or a time zone.
    var looksLikeToken: Bool {
        guard let text, !text.isEmpty, !text.contains(where: \.isWhitespace) else { return false }
        if text.hasPrefix("+") || text.hasPrefix("-"), text.contains(":") { return false }
        let parts = text.split(separator: "-", maxSplits: 2, omittingEmptySubsequences: false)
        if parts.count == 3, parts[0].count == 4, parts[1].count == 2, Int(parts[0]) != nil,
            Int(parts[1]) != nil
        {
            return false
        }
        return text.count >= 12 || !text.allSatisfy { $0.isLetter && $0.isLowercase }
    }
}

extension JSONLiteral {
    /// A Boolean value that indicates whether the value is a token such as `0` or `"-1"`, with which servers end a list.
    var isNothing: Bool {
        switch node {
        case .integer(let number): PaginationSign.Value.integer(number).isNothing
        case .string(let text): PaginationSign.Value.text(text).isNothing
        default: false
        }
    }
}

extension PaginationSign: CustomStringConvertible {
    /// The member or header field, for messages.
    var description: String { isHeader ? "the \(path) header field" : TerminalEscaping.quoted("\(path)") }
}

extension Envelope {
    /// Returns the members that can describe the pagination; those of the innermost object first.
    func paginationSigns(around path: MemberPath) -> [PaginationSign] {
        let list = path.names.last.map(MemberPath.normalized) ?? ""
        var reader = SignReader(list: list.count > 2 ? list : "")
        reader.read(ArraySlice(text).span.bytes, [], path.names[...])
        return reader.inner.isEmpty ? reader.signs : reader.inner + reader.signs
    }
}

extension HTTPHeaders {
    /// Returns the header fields that can describe the pagination, except `Link`.
    func paginationSigns() -> [PaginationSign] {
        var signs: [PaginationSign] = []
        for (field, value) in self where !PaginationNames.otherFields.contains(field) {
            let name = field.rawValue
            let words = PaginationNames.words(of: name)
            // To compile a regular expression for each field would take long.
            let isRatio =
                value.utf8.count < 100 && value.utf8.last.map { 0x30...0x39 ~= $0 } == true
                && (value.utf8.contains(UInt8(ascii: "/")) || value.utf8.range(of: " of ") != nil)
            let isPaginationField =
                words.contains { $0.hasPrefix("pagi") || $0.hasPrefix("pager") }
                || words.suffix(2) == ["page", "info"]
            if name.caseInsensitiveCompare("Content-Range") == .orderedSame {
                // items 0-24/230: the last number counts the whole list (RFC 9110, section 14.4).
                let numbers = value.split { !$0.isNumber }.compactMap { Int($0) }
                let isWhole = numbers.count > 2 || value.contains("*/")
                if let total = numbers.last, isWhole, !value.hasPrefix("bytes") {
                    signs.append(PaginationSign(["Content-Range"], "total", .integer(total)))
                }
            } else if isRatio, let match = value.wholeMatch(of: #/(?:\w+[ =])?\d+-\d+(?:/| of )(\d+)/#),
                let total = Int(match.1)
            {
                signs.append(PaginationSign([name], "total", .integer(total)))
            } else if isPaginationField, value.first == "{" {
                signs += Envelope(text: Array(value.utf8)).paginationSigns(around: .root).map {
                    PaginationSign([name] + $0.path.names.dropLast(), $0.key, $0.value)
                }
            } else if isPaginationField, Self.hasItems(value), !value.contains("://"), !value.contains("?") {
                // page=1; pages=3; total=7
                for item in QueryItems(percentEncoded: value.replacing(#/[;,] ?/#, with: "&")) {
                    guard let text = item.value else { continue }
                    let value = Int(text).map(PaginationSign.Value.integer) ?? .text(text)
                    signs.append(PaginationSign([name], item.name, value))
                }
            } else if let key = Self.statement(words, value) ?? PaginationNames.header(words)
                ?? Self.translated(words)
            {
                let number = Int(value).map(PaginationSign.Value.integer)
                let flag = Bool(value.lowercased()).map(PaginationSign.Value.flag)
                let value = value.isEmpty ? .empty : number ?? flag ?? .text(value)
                signs.append(PaginationSign([], name, value, name: key))
            } else if isRatio, PaginationNames.areAboutPart(words),
                value.wholeMatch(of: #/\d+(?:/| of )\d+/#) != nil
            {
                // `X-Batch: 1 of 3`
                signs.append(PaginationSign([], name, .text(value), name: ""))
            } else if value.contains("?"), let link = Link.links(in: value).first?.target ?? Self.url(value) {
                signs.append(PaginationSign([], name, .text(link), name: ""))
            } else if words.contains(where: { PaginationNames.continuing.contains($0) || $0 == "scroll" }) {
                let sign = PaginationSign([], name, .text(value), name: words.drop { $0 == "x" }.joined())
                if sign.isUnreadable { signs.append(sign) }
            }
        }
        // A limit alone is hardly that of a page.
        if !signs.contains(where: { $0.name == "offset" }) {
            signs.removeAll { $0.words.drop { $0 == "x" } == ["limit"] }
        }
        for link in Link.links(in: self)
        where !link.relations.contains(where: { $0 == "next" || PaginationNames.leadsToOtherPage($0) }) {
            signs.append(PaginationSign(["Link"], "", .text(link.target), name: ""))
        }
        // A target without angle brackets.
        if let value = self[.link], !value.contains("<"), let url = Self.url(value) {
            let end = url.firstIndex(of: ";") ?? url.endIndex
            let isNext = url[end...].contains(#/rel\s*=\s*["']?next\b/#)
            let (place, key) = isNext ? ([], "Link") : (["Link"], "")
            let target = PaginationSign.Value.text(String(url[..<end]))
            signs.append(PaginationSign(place, key, target, name: isNext ? "next" : ""))
        }
        return signs
    }

    /// Returns `true` for `page=1; pages=3`, but not for a token in base64, which can end with the same mark.
    private static func hasItems(_ value: String) -> Bool {
        value.utf8.reversed().drop { $0 == UInt8(ascii: "=") }.contains(UInt8(ascii: "="))
    }

    private static func url(_ value: String) -> String? {
        value.hasPrefix("/") || value.hasPrefix("http") ? value : nil
    }

    /// Returns the name of a field in another language, such as `X-Gesamtanzahl`.
    private static func translated(_ words: [String]) -> String? {
        let name = words.drop { $0 == "x" }.joined(separator: "_")
        return PaginationNames.translated(name).flatMap {
            PaginationNames.header(PaginationNames.words(of: $0))
        }
    }

    /// Returns the name of a field such as `X-Incomplete-Results: true`.
    private static func statement(_ words: [String], _ value: String) -> String? {
        let name = words.drop { $0 == "x" }.joined()
        return Bool(value.lowercased()) == true && PaginationNames.saysIncomplete(name) ? name : nil
    }
}
