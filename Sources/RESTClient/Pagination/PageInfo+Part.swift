import RESTClientHTTP

extension PageInfo {
    /// A status 206 for a request that asked for all (RFC 9110, section 15.3.7), as servers page that count in ranges.
    func riddleOfPart() -> RESTClientError.PaginationFailure? {
        guard isPart else { return nil }
        let range = headers["Content-Range"] ?? ""
        // items 25-49/50: the last place, and how many there are (RFC 9110, section 14.4).
        let numbers = range.split { !$0.isNumber && $0 != "*" }.suffix(3).compactMap { Int($0) }
        if numbers.count == 3, numbers[1] < .max, numbers[1] + 1 >= numbers[2] { return nil }
        return .partialContent(range: range)
    }
}
