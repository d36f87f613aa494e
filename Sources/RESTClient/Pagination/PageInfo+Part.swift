import RESTClientHTTP

extension PageInfo {
    /// A status 206 for a request that asked for all (RFC 9110, section 15.3.7), as servers page that count in ranges.
    func riddleOfPart() -> String? {
        guard isPart else { return nil }
        let range = headers["Content-Range"] ?? ""
        // items 25-49/50: the last place, and how many there are (RFC 9110, section 14.4).
        let numbers = range.split { !$0.isNumber && $0 != "*" }.suffix(3).compactMap { Int($0) }
        if numbers.count == 3, numbers[1] < .max, numbers[1] + 1 >= numbers[2] { return nil }
        let shown = range.isEmpty ? "" : ", \(TerminalEscaping.quoted(range, limit: 40))"
        return "the reply is a part of the list (206\(shown)), and does not say where the next one is; "
            + "name the pagination"
    }
}
