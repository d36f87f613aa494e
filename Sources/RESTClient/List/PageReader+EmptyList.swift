import Foundation
import RESTClientHTTP

/// Pages without a list, or with another one.
extension PageReader {
    /// Returns the members of a document whose list is null, or missing because it is empty, or `nil` for another
    /// failure. A response with an error has no list, either.
    func membersOfEmptyList(_ failure: ListScanner.Failure) -> Envelope? {
        if let response, pageBytes == 0, isEmptyList(response.status) { return "{}" }
        guard case .wrongShape(let path, expected: _, let found, lists: let lists) = failure.reason,
            pageBytes == bodyPrefix.count
        else { return nil }
        let members = Envelope(text: Array(documentStart))
        let analysis = PageAnalysis(info(members, 0, nil))
        let isFirst = position.number == 1
        switch found {
        // A document that is null is not a page of an object.
        case .null where failure.path == "$":
            guard firstInfo?.envelope.keys.isEmpty ?? true else { return nil }
        case .null where path == listing.path || !isFirst: break
        // `{"items": "", "totalCount": 0}` for a list at `items.item`
        case .null where analysis.total?.value == 0: break
        case .string where analysis.total?.value == 0 && members.string(path) == "": break
        case .keys(let keys):
            guard
                lists.allSatisfy({
                    analysis.total?.value == 0
                        ? !mayHaveItems($0) : ["link", "links"].contains($0.names.last)
                }),
                isFirst
                    ? keys.isEmpty && hasGivenPath
                        || isOnlyPaging(analysis) && (!keys.isEmpty || analysis.total != nil)
                        // `"kind": "compute#instanceList"`
                        || members.string("kind")?.hasSuffix("List") == true
                    : canBeLastPage(members, keys)
            else { return nil }
            let texts = ["message", "msg", "detail", "title", "reason"]
            guard !members.keys.map(MemberPath.normalized).contains(where: texts.contains) else { return nil }
        default: return nil
        }
        let hasError = analysis.signs.contains { sign in
            sign.path.names.count == 1 && !sign.isHeader && !sign.isEmpty && sign.flag != false
                && ["error", "exception", "fault", "failure"].contains(where: sign.name.hasPrefix)
        }
        return hasError ? nil : members
    }

    /// Returns `true` if a first page with this status, and without a body, is an empty list.
    func isEmptyList(_ status: HTTPStatus) -> Bool { status == 204 && position.number == 1 && hasGivenPath }

    /// `true` if the path of the list is not the default, which is only a guess. Then a first page without content, and an object
    /// without members, is that of a server that leaves out what is empty, as Google's do (AIP-158).
    private var hasGivenPath: Bool {
        listing.layout != .pathOrDocument && listing.path != ItemListing().path
    }

    /// Returns `true` for a list with elements that can be the items, although a total of 0 stands beside it.
    private func mayHaveItems(_ list: MemberPath) -> Bool {
        guard !ParseContext.describesResponse(list) else { return false }
        let text = Array(documentStart)[...]
        let document = text.span.bytes
        guard let range = ListScanner.value(at: list, in: document) else { return false }
        return document.byte(at: document.endOfWhitespace(from: range.lowerBound + 1)) != Byte.closeBracket
    }

    /// The start of the document, without a prefix such as a byte order mark.
    var documentStart: ArraySlice<UInt8> { PathParser.document(in: Array(bodyPrefix)) }

    /// Returns the reason if the document is metadata and the list: `[{"page": 1, "pages": 3}, ["tea"]]`.
    func listBesideMetadata(_ itemCount: Int) -> String? {
        // Only if the document is the list: the one at `[1]` can have two items as well.
        guard itemCount == 2, !bodyPrefix.isEmpty, listing.path == .root || listing.layout == .pathOrDocument
        else { return nil }
        let prefix = Array(documentStart)[...]
        let start = prefix.span.bytes
        guard let first = ListScanner.value(at: [.element(0)], in: start),
            start.byte(at: first.lowerBound) == Byte.openBrace
        else { return nil }
        let comma = start.endOfWhitespace(from: first.upperBound)
        let second = start.endOfWhitespace(from: comma + 1)
        guard second < start.byteCount, start.byte(at: second) == Byte.openBracket else { return nil }
        let metadata = Envelope(text: Array(prefix[first]))
        let roles: PaginationRoles = [.total, .pageCount, .pageNumber, .more, .next, .token]
        let sign = metadata.paginationSigns(around: .root).first { $0.isNear(roles) && !$0.isEmpty }
        return sign.map { "the items are at [1], beside [0].\($0.path): \(metadata.json($0.path) ?? "")" }
    }

    /// Returns `true` if a page without the list has another member of the first page around the list. A page without any member
    /// is one of a server that leaves out what is empty, as Google's do (AIP-158), or whose pages have no other members.
    private func canBeLastPage(_ page: Envelope, _ keys: [String]) -> Bool {
        // `{"response": {}}` after a page that was full.
        if keys.isEmpty, !page.keys.isEmpty, isAfterFullPage { return true }
        guard let first = firstInfo?.envelope else { return true }
        let (old, new) = (first.members(around: listing.path), page.members(around: listing.path))
        if page.keys.isEmpty {
            return old.isEmpty
                || old.contains { MemberPath.normalized($0.names.last ?? "") == "nextpagetoken" }
        }
        return !old.isDisjoint(with: new)
    }

    /// Returns the failure if a page without items is a gap in a list whose pages have numbers. A server that
    /// hides items can send such a page, but not without its list.
    func gap(_ analysis: PageAnalysis, _ missingList: ListScanner.Failure?) -> (any Error)? {
        let page = analysis.page
        guard page.itemCount == 0, let next = queue?.first, Self.isCounted(next.request.url, after: page.url)
        else { return nil }
        if let missingList { return missingList }
        guard !moves.hasShortPages, previousInfo.map(isShort) != true,
            let count = analysis.pageCount?.integer, page.number < count
        else { return nil }
        return RESTClientError(pagination: .emptyNumberedPage(page.number, count: count))
    }

    /// Returns `true` if a page has fewer items than the first one.
    func isShort(_ page: PageInfo) -> Bool { page.itemCount < firstInfo?.itemCount ?? 0 }

    /// Returns `true` if all members are about pages, and none says that there are items, except on the next page.
    private func isOnlyPaging(_ analysis: PageAnalysis) -> Bool {
        if let total = analysis.total ?? analysis.number(.evidentCount) { return total.value == 0 }
        return analysis.signs.allSatisfy { sign in
            sign.isHeader || sign.isObject && sign.roles.contains(.container)
                || sign.leadsToNext && sign.text != nil
                || !sign.roles.isEmpty && (sign.isEmpty || sign.integer == 0 || sign.flag == false)
        }
    }
}

extension Envelope {
    /// Returns the paths of the members beside the list at `path`, and beside the objects around it.
    fileprivate func members(around path: MemberPath) -> Set<MemberPath> {
        Set(
            path.names.indices.flatMap { index -> [MemberPath] in
                let object = MemberPath(names: Array(path.names.prefix(index)))
                let text = index == 0 ? self : json(object).map { Envelope(text: Array($0.utf8)) }
                return (text?.keys ?? []).filter { $0 != path.names[index] }.map(object.appending)
            })
    }
}
