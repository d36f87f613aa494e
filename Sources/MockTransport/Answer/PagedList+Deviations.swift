extension PagedList {
    /// The response for a page.
    package struct Response: Sendable {
        package var status: HTTPStatus = 200
        package var headers: [(name: HTTPHeaders.Name, value: String)] = []
        package var body: String
    }

    /// The ways in which a simulated server deviates from the convention.
    package struct Deviations: Sendable {
        /// The index of the first item of each page, and the number of items, if the sizes of the pages differ.
        package var bounds: [Int]?
        /// Returns the index of the page that a page names as the next one, or `nil` if it names none.
        package var next: (@Sendable (_ page: Int) -> Int?)?
        /// Returns the origin in the link to the next page, if it is another one.
        package var origin: (@Sendable (_ page: Int) -> String?)?
        /// The separator of the items.
        package var separator = ","
        /// A Boolean value that indicates whether the list is the last member of the body.
        package var isListLast = false
        /// Returns the total to report on a page that ends after `done` of `total` items or pages.
        package var reported: @Sendable (_ total: Int, _ done: Int) -> Int = { total, _ in total }

        package init() {}
    }
}
