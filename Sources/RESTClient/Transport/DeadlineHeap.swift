/// Deadlines by due time, each known by a number: a binary heap that finds and removes in logarithmic time.
struct DeadlineHeap<Element> {
    private struct Entry {
        var due: Duration
        let number: Int
        let element: Element
    }

    private var entries: [Entry] = []
    private var positions: [Int: Int] = [:]

    var isEmpty: Bool { entries.isEmpty }

    /// The earliest due time.
    var earliest: Duration? { entries.first?.due }

    /// Adds `element`, known as `number` from now on; a number that is already there is replaced.
    mutating func insert(_ element: Element, number: Int, due: Duration) {
        remove(number)
        entries.append(Entry(due: due, number: number, element: element))
        positions[number] = entries.count - 1
        siftUp(from: entries.count - 1)
    }

    /// Removes the element known as `number`, if it is there.
    @discardableResult mutating func remove(_ number: Int) -> Element? {
        guard let position = positions.removeValue(forKey: number) else { return nil }
        let removed = entries[position].element
        let last = entries.removeLast()
        if position < entries.count {
            entries[position] = last
            positions[last.number] = position
            siftUp(from: position)
            siftDown(from: position)
        }
        return removed
    }

    /// Removes and returns every element due at `now` or before, the earliest first.
    mutating func removeDue(at now: Duration) -> [(number: Int, element: Element)] {
        var due: [(number: Int, element: Element)] = []
        while let first = entries.first, first.due <= now {
            remove(first.number)
            due.append((first.number, first.element))
        }
        return due
    }

    private mutating func siftUp(from start: Int) {
        var child = start
        while child > 0 {
            let parent = (child - 1) / 2
            guard entries[child].due < entries[parent].due else { return }
            swap(child, parent)
            child = parent
        }
    }

    private mutating func siftDown(from start: Int) {
        var parent = start
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < entries.count && entries[child].due < entries[least].due {
                least = child
            }
            guard least != parent else { return }
            swap(parent, least)
            parent = least
        }
    }

    private mutating func swap(_ first: Int, _ second: Int) {
        entries.swapAt(first, second)
        positions[entries[first].number] = first
        positions[entries[second].number] = second
    }
}
