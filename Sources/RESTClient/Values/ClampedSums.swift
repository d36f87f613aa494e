extension Int {
    /// Returns the sum, or the largest integer if the sum is too large.
    func addingClamped(_ other: Int) -> Int {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? .max : sum
    }

    /// Returns the difference, or the nearest integer if it is out of range.
    func subtractingClamped(_ other: Int) -> Int {
        let (difference, overflows) = subtractingReportingOverflow(other)
        return overflows ? (other < 0 ? .max : .min) : difference
    }
}
