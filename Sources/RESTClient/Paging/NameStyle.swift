import RESTClientHTTP

/// The style in which a name is written, such as `nextPage` or `next_page`.
struct NameStyle: Equatable {
    /// The text between words, or `nil` if their first letters are capital.
    var separator: String?
    var isCapitalized: Bool
    /// The characters before the name, such as `$` or `_`.
    var prefix = ""

    static let others = [nil, "_", "-"].map { NameStyle(separator: $0, isCapitalized: false) }

    /// Returns this style with the first letter and the prefix of those of a request.
    func adapted(to request: NameStyle) -> NameStyle {
        var style = self
        style.isCapitalized = request.isCapitalized
        style.separator = request.separator ?? style.separator
        style.prefix = request.prefix
        return style
    }

    func text(_ words: [String]) -> String {
        let words = words.enumerated().map { index, word in
            let isUpper = index == 0 || separator != nil ? isCapitalized : true
            return isUpper ? word.prefix(1).uppercased() + word.dropFirst() : word
        }
        return prefix + words.joined(separator: separator ?? "")
    }
}

extension NameStyle {
    init(of name: some StringProtocol) {
        let prefix = String(name.prefix { !$0.isLetter })
        let name = name.dropFirst(prefix.count)
        let separator: String? = name.contains("_") ? "_" : name.contains("-") ? "-" : nil
        self.init(separator: separator, isCapitalized: name.first?.isUppercase == true, prefix: prefix)
    }
}

/// The names of query items in the request.
extension PageAnalysis {
    /// The query item of the request that sets the page size.
    var sizeQuery: String? {
        query.first { item in
            guard item.value.number != nil else { return false }
            if QueryItems.roles(of: item.name).contains(.sizeQuery) { return true }
            return ["limit", "size"].contains(Names.words(of: item.name).last)
        }?.name ?? query.sizeNamedOffset
    }

    /// The group that the page size is in: `page[` in `page[size]`, `pagination.` in `pagination.limit`.
    var sizeGroup: String? {
        guard let size = sizeQuery,
            let end = size.last == "]" ? size.lastIndex(of: "[") : size.lastIndex(of: ".")
        else { return nil }
        return String(size[...end])
    }

    /// The style of the names in the request, or `nil` if it has none.
    var requestStyle: NameStyle? { (sizeQuery ?? query.first?.name).map { NameStyle(of: $0) } }

    /// The names that the query item for the page number may have, the most likely first.
    var pageNames: [String] {
        let member = number(.pageNumber)?.sign
        // `@pageNumber` is an attribute of XML.
        let key = member?.isHeader == true ? nil : member.map { String($0.key.drop { $0 == "@" }) }
        guard let size = sizeQuery else { return ["page"] + [key].compactMap { $0 == "page" ? nil : $0 } }
        let style = NameStyle(of: size)
        if let group = sizeGroup {
            guard group.last == "[" else { return ["\(group)page"] }
            if group == "page[" { return ["page[number]", "page"] }
            let words = key.map { Names.words(of: $0) } ?? ["page"]
            let camel = NameStyle(separator: nil, isCapitalized: false)
            return ["\(group)\(camel.text(words))]", "\(group)page]"]
        }
        if size == "ps" { return ["p", "page"] }
        if size == "numOfRows" { return ["pageNo", "page"] }
        var names = [style.text(["page"])]
        if let key {
            let words = Names.words(of: key)
            // `page_number` for `current_page_number`
            if words.count > 2, words[0] == "current" { names.append(style.text(Array(words[1...]))) }
            names.append(NameStyle(of: key).adapted(to: style).text(words))
        }
        if QueryItems.normalized(size) == "pagesize" {
            names += [style.text(["page", "number"]), style.text(["page", "num"])]
        }
        return names.uniqued
    }

    /// The names that the query item for the offset may have, the most likely first.
    var offsetNames: [String] {
        let member = (offset() ?? number { $0.name == "position" })?.sign
        let own = member.flatMap { $0.isHeader ? nil : String($0.key.split(separator: ":").last ?? "") }
        if more?.sign.name == "exceededtransferlimit" { return ["resultOffset", "offset"] }
        guard let size = sizeQuery else { return [own, "offset", "skip"].compactMap { $0 }.uniqued }
        let style = NameStyle(of: size)
        if let group = sizeGroup {
            return [own, "offset"].compactMap { $0 }.map { "\(group)\($0)\(group.last == "[" ? "]" : "")" }
                .uniqued
        }
        let words = own.map { Names.words(of: $0) }
        let key = own.flatMap { own in words.map { NameStyle(of: own).adapted(to: style).text($0) } }
        // `_offset` for `result_offset`
        let short = words.flatMap { words in
            words.count > 1 && words[0] == "result" ? style.text(Array(words.dropFirst())) : nil
        }
        let name = QueryItems.normalized(size)
        let named: [String] =
            switch name {
            case "rows": ["start"]
            case "maxrows": [style.text(["start", "row"])]
            case "maxresults": words?.first == "first" ? ["firstResult"] : ["startIndex"]
            case "size": ["from"]
            case "top", "take": [style.text(["skip"])]
            case "maxresultcount": [style.text(["skip", "count"])]
            case "max": ["first", "offset"]
            case "retmax": ["retstart"]
            case "resultrecordcount": ["resultOffset"]
            case "count", "num", "n": ["offset", "startIndex"]
            default:
                size.hasPrefix("$") || size.hasPrefix("_")
                    ? [style.text(["skip"])]
                    : name.hasSuffix("limit")
                        ? [size.replacingSuffix("limit", with: "offset")]
                        : name.hasSuffix("size") && !name.hasSuffix("pagesize")
                            ? [size.replacingSuffix("size", with: "start"), "offset"] : ["offset"]
            }
        let raw = own.map { NameStyle(of: $0).separator == nil && style.separator == "_" ? [$0] : [] } ?? []
        return ([short, key].compactMap { $0 } + raw + named + ["offset", style.text(["skip"]), "start"])
            .uniqued
    }
}

extension String {
    /// `sysparm_offset` for `sysparm_limit`.
    fileprivate func replacingSuffix(_ suffix: String, with other: String) -> String {
        let isCapitalized = dropLast(suffix.count - 1).last?.isUppercase == true
        return dropLast(suffix.count)
            + (isCapitalized ? other.prefix(1).uppercased() + other.dropFirst() : other)
    }
}

extension [String] {
    fileprivate var uniqued: [String] { reduce(into: []) { if !$0.contains($1) { $0.append($1) } } }
}
