import Foundation
import RESTClientHTTP

/// A list of another size or shape in the convention of an API.
package struct ListVariant: Sendable {
    package let name: String
    package let list: TemplateList

    private init(_ name: String, _ list: TemplateList) { (self.name, self.list) = (name, list) }

    /// A list as the API has it, or another variant of a recorded API, whose recording is listed as well: each has another
    /// one, because all of them take a minute in debug mode.
    package static func some(of api: APITemplate) -> [ListVariant] {
        let all = all(of: api)
        guard api.recording != nil else { return [all[0]] }
        return [all[1 + api.name.utf8.reduce(0) { $0 &+ Int($1) } % (all.count - 1)]]
    }

    /// The variants of a list of 7 items on pages of 3. The imitations of APIs vary only in size.
    package static func all(of api: APITemplate) -> [ListVariant] {
        let whole = TemplateList(api)
        func list(
            _ count: Int, _ size: Int, _ change: (inout TemplateList) -> Void = { _ in }
        ) -> TemplateList {
            var list = whole.first(count, size: size)
            change(&list)
            return list
        }
        var variants = [
            ListVariant("as it is", list(7, 3)), ListVariant("full last page", list(6, 3)),
            ListVariant("page size 1", list(4, 1)), ListVariant("empty list", list(0, 3)),
            ListVariant("one page", list(2, 3)), ListVariant("one full page", list(3, 3)),
        ]
        guard api.recording != nil else { return variants }
        variants += [
            ListVariant("strings", list(7, 3) { $0.setItems($0.ids.map { .value($0) }) }),
            ListVariant(
                "objects without id",
                list(7, 3) {
                    $0.setItems($0.items.indices.map { ["title": .value("Tea \($0)"), "tags": ["a", "b"]] })
                }),
            ListVariant("reversed members", list(7, 3) { $0.order = .reversed }),
            ListVariant("list first", list(6, 3) { $0.order = .listFirst }),
            ListVariant("list last", list(7, 3) { $0.order = .listLast }),
        ]
        for style in MemberNameStyle.allCases {
            for count in [6, 7] {
                variants.append(
                    ListVariant("\(style), \(count) items", list(count, 3) { $0.rename = style.rename }))
            }
        }
        return variants
    }
}

extension ListVariant {
    /// Lists all pages, and returns what is wrong with the result, or `nil`.
    package func failure() async -> String? {
        let listing = await list.list()
        let requests = listing.requests.map { $0.query(percentEncoded: false) ?? "" }
        return failure(of: listing).map { "\($0) \(requests)" }
    }

    private func failure(of listing: TemplateListing) -> String? {
        let expected = list.items.map { "\($0)" }
        if listing.items.count > Set(listing.items).count { return "an item twice" }
        let isFrugal = listing.requests.count <= max(1, list.pageCount) + 1
        guard let error = listing.error else {
            if listing.items != expected, list.api.visible != "no" {
                return "ended early, \(listing.items.count) of \(expected.count)"
            }
            return isFrugal ? nil : "\(listing.requests.count) requests"
        }
        if expected.count == listing.items.count { return "error although complete: \(error)" }
        if list.api.visible == "yes" { return "error: \(error)" }
        return isFrugal ? nil : "\(listing.requests.count) requests"
    }
}

/// The styles in which servers write the names of members.
private enum MemberNameStyle: CaseIterable {
    case camel, snake, kebab, pascal

    var rename: @Sendable (String) -> String {
        { name in
            // Prefixes such as `@odata.` and `_` are not part of the name.
            let prefix = name.prefix { !$0.isLetter }
            guard !prefix.contains("@"), !name.contains(where: ":.".contains),
                name.contains(where: \.isLetter)
            else { return name }
            let words = Self.words(of: name.dropFirst(prefix.count))
            let capitalized = words.map { $0.prefix(1).uppercased() + $0.dropFirst() }
            switch self {
            case .camel: return prefix + words[0] + capitalized.dropFirst().joined()
            case .snake: return prefix + words.joined(separator: "_")
            case .kebab: return prefix + words.joined(separator: "-")
            case .pascal: return prefix + capitalized.joined()
            }
        }
    }

    private static func words(of name: some StringProtocol) -> [String] {
        var words: [String] = [""]
        var wasLower = false
        for character in name {
            if "_-. ".contains(character) || character.isUppercase && wasLower { words.append("") }
            if !"_-. ".contains(character) { words[words.count - 1] += character.lowercased() }
            wasLower = character.isLowercase || character.isNumber
        }
        return words.filter { !$0.isEmpty }
    }
}
