import RESTClientHTTP

/// The identities of the items that were delivered, to recognize an item that is sent again because the list has moved.
///
/// An item is identified by the first of the usual members, such as `id`, that all items of the first page have with different
/// values, and by its type, because items of several types can have the same numbers. Without such a member, its bytes are
/// compared, and equal items are not the same one: they are all delivered. If at least three items, and half, of a page, or of its
/// first megabyte, have the identities of earlier ones with other contents, the member identifies nothing. A single such item was
/// edited, or the list is ambiguous.
///
/// The last half million to million identities are kept, in up to 50 MB. An item that is sent again later is delivered again.
struct DeliveredItems {
    private enum Key {
        case unknown, bytes
        case member(path: [ListScanner.Step], type: [ListScanner.Step]?)
    }

    /// The items of the current page, compared with the earlier ones.
    struct Page {
        /// A Boolean value that indicates whether the page was requested again.
        var isRequestedAgain = false
        /// The number of items so far.
        var count = 0
        /// The number of items that were delivered neither before this page nor in an earlier reading of the list.
        var new = 0
        /// The number of items that were on an earlier page since the list was last begun.
        var repeated = 0
        /// The index of the first item among those of all pages.
        fileprivate(set) var start = 0
        /// The earlier index of the first item, and the number of items from there that follow one another as before.
        fileprivate var runStart = -1
        fileprivate var runLength = 0
        /// The indices on the page of the items that are not delivered, and their marks.
        fileprivate var dropped: [(index: Int, mark: String)] = []

        /// The number of items with which the page begins, and the page before ends.
        var overlap: Int {
            let count = start - runStart
            return runStart >= 0 && count <= runLength ? count : 0
        }

        /// A Boolean value that indicates whether all items follow one another as in an earlier reading of the list.
        var isUnchanged: Bool { count > 1 && runLength == count }
    }

    private(set) var page = Page()
    /// The last batches, with at least the last two elements.
    private(set) var lastBatches: [ElementBatch] = []
    private var key = Key.unknown
    /// The elements of the first page, until a second one is read: all of them up to 1 MB, or the last two batches.
    private var kept: [ElementBatch] = []
    private var keptBytes = 0
    private var recent: [Int: Place] = [:]
    private var older: [Int: Place] = [:]

    /// The place at which an identity was seen last.
    private struct Place {
        /// The index among the items of all pages.
        let index: Int
        /// A hash of the ends of the item, which tells whether it has changed.
        let content: Int

        init(_ index: Int, _ element: RawSpan) {
            self.index = index
            var hash = Hasher()
            hash.combine(element.byteCount)
            element.withUnsafeBytes { bytes in
                hash.combine(bytes: .init(rebasing: bytes.prefix(64)))
                hash.combine(bytes: .init(rebasing: bytes.suffix(64)))
            }
            content = hash.finalize()
        }
    }

    /// A Boolean value that indicates whether a page was requested by a number, so that its items may have moved.
    private var isCounted = false
    /// The number of items of each page by the index of its first item.
    private var lengths: [Int: Int] = [:]
    /// The index of the first item since the list was last begun.
    private var firstIndex = 0
    private var hasDropped = false
    private var hasUnidentified = false
    /// `true` if the identities of items of the first page are not known: these would be new ones if it was read again.
    private var hasForgotten = false
    /// `true` if identities can be those of several items: contents changed, or a page has an item twice.
    private(set) var isAmbiguous = false

    private static let maxKeptBytes = 1 << 20
    private static let maxRecent = 500_000

    /// A Boolean value that indicates whether equal identities are those of the same item.
    var isIdentified: Bool { if case .member = key { true } else { false } }

    /// A Boolean value that indicates whether the items so far have different identifiers, such as `id`.
    private var haveIdentifiers: Bool {
        var key = key
        if case .unknown = key { key = Self.key(of: kept, at: .root) }
        guard case .member(let path, _) = key, case .member(let name)? = path.last else { return false }
        return Self.identifiers.contains(MemberPath.normalized(String(decoding: name, as: UTF8.self)))
    }

    /// A Boolean value that indicates whether all items have an identity, so that pages can be read again.
    var identifiesAll: Bool { isIdentified && !hasUnidentified && !hasForgotten }

    /// Begins the next page, or the same one if it is requested again.
    mutating func beginPage(again: Bool, of path: MemberPath, isCounted: Bool) {
        // The first page has no number when the list is read again.
        self.isCounted = self.isCounted || isCounted
        let last = page
        page = Page(isRequestedAgain: again)
        page.start = last.start + last.count
        if again {
            (page.new, page.repeated) = (last.new, last.repeated)
        } else if last.count > 0 {
            lengths[last.start] = last.count
        }
        guard case .unknown = key, !kept.isEmpty else { return }
        // Its first elements are sent again.
        if again { return (kept, keptBytes, hasForgotten) = ([], 0, false) }
        key = Self.key(of: kept, at: path)
        var index = page.start - kept.reduce(0) { $0 + $1.count }
        for batch in kept {
            batch.forEach { element in
                if let identity = Self.identity(of: element, key) { recent[identity] = Place(index, element) }
                index += 1
            }
        }
        kept = []
    }

    /// Begins to read the list from its first page again.
    mutating func beginAgain() {
        firstIndex = page.start + page.count
        lengths = [:]
    }

    /// Adds the elements of a batch, of which those before `skip`, and those that are known, are removed.
    mutating func receive(_ batch: inout ElementBatch, _ identities: [Int?], skip: Int) {
        guard !batch.isEmpty else { return }
        let first = page.count
        lastBatches.removeFirst(batch.count > 1 ? lastBatches.count : max(0, lastBatches.count - 1))
        lastBatches.append(batch)
        if case .unknown = key {
            kept.append(batch)
            keptBytes += batch.chunk.count
            if keptBytes > Self.maxKeptBytes, kept.count > 2 {
                kept = kept.suffix(2)
                hasForgotten = true
            }
            page.count += batch.count
            page.new += batch.count
            if first < skip { _ = batch.removeFirst(skip - first) }
            return
        }
        var removed: [Int] = []
        batch.forEach { element in
            let index = page.count
            let identity = identities[index - first]
            if identity == nil { hasUnidentified = true }
            let place = Place(page.start + index, element)
            let known = identity.flatMap { remember($0, at: place) }
            if let known, isIdentified, !isCounted || hasForgotten && index >= skip,
                known.content != place.content
            {
                isAmbiguous = true
            }
            page.count += 1
            let earlier = known?.index
            if let earlier, page.runLength == index, index == 0 || earlier == page.runStart + index {
                if index == 0 { page.runStart = earlier }
                page.runLength += 1
            }
            if index < skip { return removed.append(index - first) }
            guard let earlier, !isNew(earlier) else { return page.new += 1 }
            if earlier >= firstIndex { page.repeated += 1 }
            guard isIdentified else { return }
            removed.append(index - first)
            page.dropped.append(
                (index, ResumePoint.mark(of: batch.element(index - first), identified: haveIdentifiers)))
            hasDropped = true
        }
        batch.remove(removed)
    }

    /// Returns `true` if the next items of the page, except those before `skip`, have identities of items of earlier pages and may be
    /// others.
    func areDoubtful(_ identities: [Int?], skip: Int) -> Bool {
        // Once such items were removed, or the list is read again, they are the same ones.
        guard isIdentified, !hasDropped, firstIndex == 0 else { return false }
        return identities.dropFirst(max(0, skip - page.count)).contains { $0.flatMap(earlierPlace) != nil }
    }

    /// Compares the bytes of all items from now on if half of the items of the page, at least three, have the identities of
    /// earlier ones, but other contents. The batches are those that follow what was received of the page.
    ///
    /// - Returns: `false` if fewer items have other contents, so that the rest of the page could show that they are others.
    mutating func judgeIdentities(of batches: [ElementBatch]) -> Bool {
        var changed = 0
        for batch in batches {
            batch.forEach { element in
                let earlier = Self.identity(of: element, key).flatMap(earlierPlace)
                if let earlier, earlier.content != Place(0, element).content { changed += 1 }
            }
        }
        // What the first page had before the items that are known is not compared.
        let count = batches.reduce(hasForgotten ? 0 : page.count) { $0 + $1.count }
        if changed > 2, changed * 2 >= count { key = .bytes }
        return changed == 0 || !isIdentified
    }

    /// Returns the place on an earlier page.
    private func earlierPlace(of identity: Int) -> Place? {
        lastPlace(of: identity).flatMap { $0.index < page.start ? $0 : nil }
    }

    private func lastPlace(of identity: Int) -> Place? { recent[identity] ?? older[identity] }

    /// Weighs the repeated items of a page that has been read: if they are not the end of the page before it, others may have been
    /// delivered twice whose identities are not known. The end of a page that was read again is not known.
    mutating func weighRepeatedItems() {
        guard hasForgotten, isIdentified, !page.isRequestedAgain else { return }
        if page.repeated > 0, page.overlap != page.repeated { isAmbiguous = true }
    }

    /// Returns `true` if an item is a new one although its identity was seen before, on this page: no page has an item twice.
    private mutating func isNew(_ earlier: Int) -> Bool {
        guard earlier >= page.start, isIdentified else { return false }
        isAmbiguous = hasDropped
        key = .bytes
        return true
    }

    /// A Boolean value that indicates whether the page is the same as an earlier one.
    var isRepeatedPage: Bool {
        page.count > 0 && page.repeated == page.count && page.runLength == page.count
            && lengths[page.runStart] == page.count
    }

    /// Keeps only the elements of `batch`, of a page that was requested again, that were not delivered. Returns the index in the
    /// listing at which its first element was delivered, or `nil` if that is a new one.
    mutating func keepNewElements(of batch: inout ElementBatch) -> Int? {
        var first: Int?
        var known: [Int] = []
        var index = 0
        batch.forEach { element in
            let identity = Self.identity(of: element, key)
            if let earlier = identity.flatMap(lastPlace) {
                known.append(index)
                if index == 0 { first = earlier.index }
            } else if let identity {
                _ = remember(identity, at: Place(page.start, element))
            }
            index += 1
        }
        batch.remove(known)
        return first
    }

    /// Returns the index on the page of the item after the first `count` delivered ones, which follow the first `skip` items.
    func index(after count: Int, skip: Int) -> Int {
        var index = skip + count
        for dropped in page.dropped where dropped.index <= index { index += 1 }
        return index
    }

    /// Returns the mark of `item`, the last delivered one, or of the dropped item at `index` after it.
    func mark(of item: [UInt8], at index: Int) -> String {
        let dropped = page.dropped.last { $0.index == index }
        return dropped?.mark ?? ResumePoint.mark(of: item, identified: haveIdentifiers)
    }

    /// The mark of the last item of the page, or `nil` if the page is empty.
    var markOfLastItem: String? {
        guard page.count > 0, let batch = lastBatches.last else { return nil }
        return ResumePoint.mark(of: batch.element(batch.count - 1), identified: haveIdentifiers)
    }

    /// Notes that an item was seen, and returns the place at which it was seen before.
    private mutating func remember(_ identity: Int, at place: Place) -> Place? {
        let earlier = lastPlace(of: identity)
        // A repeated item keeps its place.
        if isIdentified, let earlier, earlier.index >= firstIndex { return earlier }
        recent[identity] = place
        if recent.count >= Self.maxRecent { (older, recent) = (recent, [:]) }
        return earlier
    }

    // MARK: Identity

    /// Returns the identities of the elements, or an empty list if it is not known yet what identifies them.
    func identities(of batch: ElementBatch) -> [Int?] {
        if case .unknown = key { return [] }
        var identities: [Int?] = []
        identities.reserveCapacity(batch.count)
        batch.forEach { identities.append(Self.identity(of: $0, key)) }
        return identities
    }

    /// Returns the identity of an element, or `nil` if it has none.
    private static func identity(of element: RawSpan, _ key: Key) -> Int? {
        var hash = Hasher()
        return identify(element, key) { hash.combine(bytes: $0) } ? hash.finalize() : nil
    }

    /// Returns the values of the members such as `id` that identify an element of any page, or `nil` if it has none.
    static func identity(ofSingle element: [UInt8]) -> [UInt8]? {
        let members = Envelope(text: element).keys
        let text = element[...]
        for path in paths(to: identifiers, in: members) {
            var identity: [UInt8] = []
            let key = Key.member(path: path, type: type(in: members))
            if identify(text.span.bytes, key, { identity += $0 }) { return identity }
        }
        return nil
    }

    /// Passes the bytes that identify an element to `use`. Returns `false` if it has no identity.
    @inline(__always) private static func identify(
        _ element: RawSpan, _ key: Key, _ use: (UnsafeRawBufferPointer) -> Void
    ) -> Bool {
        switch key {
        case .unknown, .bytes: element.withUnsafeBytes(use)
        case .member(let path, let type):
            guard let value = ListScanner.value(at: path, in: element),
                isIdentifier(element.byte(at: value.lowerBound))
            else { return false }
            element.extracting(value).withUnsafeBytes(use)
            if let type, let value = ListScanner.value(at: type, in: element) {
                element.extracting(value).withUnsafeBytes(use)
            }
        }
        return true
    }

    /// Returns `true` for the first byte of a string or a number, but not of null, an object or a list.
    private static func isIdentifier(_ first: UInt8?) -> Bool {
        first.map {
            $0 == Byte.quote || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || $0 == UInt8(ascii: "-")
        } ?? false
    }

    /// Returns what identifies the elements of a page.
    private static func key(of batches: [ElementBatch], at list: MemberPath) -> Key {
        guard let first = batches.first(where: { !$0.isEmpty })?.element(0) else { return .unknown }
        let members = Envelope(text: first).keys
        let type = type(in: members)
        let listName = MemberPath.normalized(list.names.last ?? "")
        let own = [listName, String(listName.dropLast())].filter { !$0.isEmpty }.map { $0 + "id" }
        // A single item cannot show whether a value is that of one item only.
        let isSingle = batches.reduce(0) { $0 + $1.count } == 1
        for path in paths(to: isSingle ? identifiers : identifiers + own + others, in: members) {
            let key = Key.member(path: path, type: type)
            var identities: Set<Int> = []
            var count = 0
            for batch in batches {
                batch.forEach { element in
                    count += 1
                    if let identity = identity(of: element, key) { identities.insert(identity) }
                }
            }
            if identities.count == count { return key }
        }
        return .bytes
    }

    /// Returns the paths of the members with the normalized `names`, in this order, and that of an edge of a GraphQL connection.
    private static func paths(to names: [String], in members: [String]) -> [[ListScanner.Step]] {
        let paths = names.compactMap { name in
            members.first { MemberPath.normalized($0) == name }.map { [step($0)] }
        }
        return members.contains("node") ? paths + [[step("node"), step("id")]] : paths
    }

    private static func type(in members: [String]) -> [ListScanner.Step]? {
        members.first { typeNames.contains(MemberPath.normalized($0)) }.map { [step($0)] }
    }

    private static func step(_ name: String) -> ListScanner.Step { .member(Array(name.utf8)) }

    /// The normalized names of members that identify an item, and of those that can.
    private static let identifiers = ["id", "uuid", "guid", "nodeid"]
    private static let others = ["key", "sha", "url", "href", "self", "slug"]
    private static let typeNames: Set = ["type", "kind", "object", "typename", "resourcetype"]
}
