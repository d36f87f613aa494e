/// The Levenshtein distance of two texts: the number of letters to insert, remove or replace.
package enum EditDistance {
    package static func between(_ left: String, _ right: String) -> Int {
        let left = Array(left)
        let right = Array(right)
        var row = Array(0...right.count)
        for (i, letter) in left.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, other) in right.enumerated() {
                let replaced = diagonal + (letter == other ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(replaced, row[j] + 1, diagonal + 1)
            }
        }
        return row[right.count]
    }

    /// Returns a hint such as "one letter apart" if `found` looks like a misspelling of `expected`, otherwise `nil`.
    package static func hint(expected: String, found: String) -> String? {
        guard expected.count <= 200, found.count <= 200 else { return nil }
        let distance = between(expected, found)
        guard distance > 0, distance <= max(1, min(3, expected.count / 3)) else { return nil }
        return distance == 1 ? "one letter apart" : "\(distance) letters apart"
    }
}
