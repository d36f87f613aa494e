extension Int {
    /// Returns the number of pages with `size` items each, which is above 0, that contain this number of items.
    package func pages(of size: Int) -> Int { self / size + (self % size > 0 ? 1 : 0) }
}
