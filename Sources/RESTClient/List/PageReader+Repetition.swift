import Foundation
import RESTClientHTTP

/// Pages that repeat items, because the list has moved or does not end, and pages without a list.
extension PageReader {
    /// Removes the items at the beginning of the current page that are also at the end of the page before it. Returns `false`
    /// if the page is the same as the one before it, so that the list has ended.
    ///
    /// - Throws: `RESTClientError` if the list may go on after a page that is sent again.
    func removeRepetition() async throws -> Bool {
        guard let previousPage, previousPage.total > 0, position.skip == 0 else { return true }
        while scanner.fingerprint?.first == nil, failure == nil, let chunk = try await nextChunk() {
            try hold(chunk)
        }
        guard let first = scanner.fingerprint?.first, failure == nil else { return true }
        let tail = previousPage.tail()
        var hashes = held.flatMap { PageFingerprint.hashes(in: $0.elements) }
        for start in tail.indices where tail[start] == first {
            let repeated = tail[start...]
            while hashes.count < repeated.count, failure == nil, let chunk = try await nextChunk() {
                try hold(chunk)
                hashes += PageFingerprint.hashes(in: batch)
            }
            let count = min(repeated.count, hashes.count)
            guard failure == nil, hashes.prefix(count).elementsEqual(repeated.prefix(count)) else { continue }
            let isInserted = try await hasGrown(by: count)
            guard isInserted || isIdentified(hashes.prefix(count)) else { continue }
            guard isInserted || repeated.count < previousPage.total || hashes.count < previousPage.total
            else {
                return try await endAfterRepeatedPage()
            }
            drop(count)
            if !isInserted { repeatedItems += count }
            break
        }
        return true
    }

    private func hold(_ chunk: Data) throws {
        try scan(chunk)
        held.append((batch, chunk.count))
    }

    /// Returns `true` if the first held elements can be in a list only once: objects that differ, or have an identifier.
    private func isIdentified(_ hashes: ArraySlice<Int>) -> Bool {
        guard previousPage?.endsWithObject == true else { return false }
        guard Set(hashes).count == 1, let batch = held.first(where: { !$0.elements.isEmpty })?.elements else {
            return true
        }
        let identifiers: Set = ["id", "uuid", "guid", "key", "sha", "url", "href", "self", "slug"]
        return !identifiers.isDisjoint(with: Envelope(text: batch.element(0)).names)
    }

    /// Skips the first elements of the current page, which were delivered with the page before it.
    private func drop(_ count: Int) {
        position.skip = count
        var rest = count
        for index in held.indices { rest -= held[index].elements.removeFirst(rest) }
    }

    /// Returns `true` if the total of the current page is larger than that of the page before it by at least `count`.
    private func hasGrown(by count: Int) async throws -> Bool {
        guard let previousInfo,
            let (previous, total) = try await readAnalysis()?.counts(since: PageAnalysis(previousInfo))
        else { return false }
        return total.subtractingClamped(count) >= previous
    }

    /// Returns the signs of the current page, which is read to its end unless it is large.
    private func readAnalysis() async throws -> PageAnalysis? {
        while failure == nil, scanner.envelope == nil, pageBytes < 1 << 20, let chunk = try await nextChunk()
        {
            try hold(chunk)
        }
        return scanner.envelope.map { PageAnalysis(info($0, scanner.itemCount, nil)) }
    }

    /// Ends the list after a page that is the same as the one before it, unless it says that there are more items.
    private func endAfterRepeatedPage() async throws -> Bool {
        let analysis = try await readAnalysis()
        let isComplete =
            if let count = analysis?.count { count.value <= position.itemsBefore } else {
                completePages > 1 && analysis?.more?.flag != true
                    && analysis?.pageCount?.integer.map { $0 > completePages } != true
            }
        guard isComplete else { throw RESTClientError(pagination: .loop(Redaction.masked(position.url))) }
        end()
        return false
    }

    /// Returns the members of a document whose list is null, or missing because it is empty, or `nil` for another failure.
    ///
    /// Some servers leave out an empty list, or write it as null. A response with an error has no list, either.
    func membersOfEmptyList(_ failure: ListScanner.Failure) -> Envelope? {
        guard case .wrongShape(let path, expected: _, let found, lists: let lists) = failure.reason,
            pageBytes == bodyPrefix.count
        else { return nil }
        let members = Envelope(text: Array(bodyPrefix))
        let isFirst = position.number == 1
        switch found {
        case .null where path == listing.path || !isFirst: break
        case .keys(let keys):
            guard lists.isEmpty, !keys.isEmpty || !isFirst, !isFirst || isOnlyPaging(members) else {
                return nil
            }
            guard !members.names.contains(where: ["message", "msg", "detail", "title", "reason"].contains)
            else { return nil }
        default: return nil
        }
        let hasError = members.names.contains { name in
            ["error", "exception", "fault", "failure"].contains(where: name.hasPrefix)
        }
        return hasError && members.json("errors") != "[]" ? nil : members
    }

    /// Returns `true` if all members are about pages, and none says that there are items.
    private func isOnlyPaging(_ members: Envelope) -> Bool {
        let info = info(members, 0, nil)
        let analysis = PageAnalysis(info)
        if let total = analysis.total { return total.value == 0 }
        return analysis.signs.allSatisfy { sign in
            sign.isHeader || !sign.roles.isEmpty && (sign.isEmpty || sign.integer == 0 || sign.flag == false)
        }
    }
}

extension Envelope {
    /// The names of the members of the document.
    var keys: [String] {
        var keys: [String] = []
        let bytes = ArraySlice(text).span.bytes
        ListScanner.forEachMember(of: bytes) { key, _ in
            if let key = ListScanner.string(bytes.extracting(key)) { keys.append(key) }
        }
        return keys
    }

    /// The normalized names of the members of the document.
    fileprivate var names: [String] { keys.map(MemberPath.normalized) }
}
