import RESTClientHTTP

/// The names of header fields about a list.
extension PaginationNames {
    /// Returns `true` for the words of a header field about a page or a part of the list, such as `X-Batch`.
    static func areAboutPart(_ words: [String]) -> Bool {
        words.contains { parts.contains($0) || $0.hasPrefix("pag") }
            && !words.contains(where: otherHeaders.contains)
    }

    /// Returns the normalized name of a header field about the list, without a prefix such as `X-Pagination-`.
    static func header(_ words: [String]) -> String? {
        var words = words
        // `XNextLink`
        if let first = words.first, first.hasPrefix("x"), first.count > 1 {
            words[0] = String(first.dropFirst())
        }
        // The time grows with the square of the number of words.
        if words.contains("nextjs") || words.count > 12 { return nil }
        for start in words.indices {
            let key = words[start...].joined()
            // `X-Rows-Available`
            if words.count == start + 2, !words.contains(where: otherHeaders.contains), table[key] == nil,
                words.last == "available" || words[start] == "total",
                composed(Array(words[start...]), list: "").contains(.total)
            {
                return "totalcount"
            }
            let isPagination = start > 0 && words[start - 1] == "pagination" && table[key] != nil
            guard
                headers.contains(key) || isNext(key) || isPagination
                    || start > 0 && (key == "after" || key == "continuation") || key == "cursor"
                    || key.hasPrefix("hasmore") || key.hasPrefix("hasnext")
                    || start > 0 && table[key]?.isSuperset(of: .more) == true
                    || start > 0 && ["islast", "eof", "endoflist"].contains(key)
                    || words.count > start + 1 && words[start] == "continuation"
                    || ["offset", "limit"].contains(key) && words[..<start].allSatisfy({ $0 == "x" })
            else { continue }
            // `Page-Items` is the page size.
            if key == "items", start > 0, words[start - 1] == "page" { return nil }
            // `Fiken-Api-Page-Count`, but not `X-Api-Count`
            if words[..<start].last == "api", ["pagecount", "resultcount", "totalcount"].contains(key) {
                return key
            }
            // The count of something else.
            if key == "count", start > 0, !countedWords.contains(words[start - 1]) { return nil }
            return words[..<start].contains(where: otherHeaders.contains) ? nil : key
        }
        return isListToken(words) && words != ["x", "token"] && !words.contains(where: otherHeaders.contains)
            ? words.suffix(2).joined() : nil
    }

    /// Header fields, without `X-`.
    private static let headers: Words = """
        page perpage total matched pagetotal totalpages totalcount totalobjects totalrecords totalitems pagecount
        resultcount recordcount rowcount hitcount
        continuationtoken hasmore lastpage currentpage totalpage pages records hits count items results
        found rows entries documents objects pageno pagenumber pagesize totalresults totalrows totalelements totalsize itemcount aftercursor endcursor
        itemsremaining remainingitems remainingcount rowsremaining resultsremaining recordsremaining itemsleft rowsleft
        """

    /// Words in the names of header fields that are not about the list.
    private static let otherHeaders: Words = """
        ratelimit rate limit quota cache retry request requests runtime time age rpm api throttle cost credits
        dns auth token session content upload served worker attempt attempts query queries db sql redirect redirects hop hops error
        errors warning warnings thread threads connection byte bytes shard node job render build view views visit visits bookmark
        """

    private static let countedWords = itemNouns.union("x total list page collection pagination")

    /// Header fields of most responses, which are not about a list.
    static let otherFields: Set<HTTPHeaders.Name> = [
        "Accept-Ranges", "Age", "Allow", "Cache-Control", "Connection", "Content-Encoding",
        "Content-Language", "Content-Length", "Content-Security-Policy", "Content-Type", "Date", "ETag",
        "Expires", "Keep-Alive",
        "Last-Modified", "Link", "Pragma", "Referrer-Policy", "Retry-After", "Server", "Set-Cookie",
        "Strict-Transport-Security", "Transfer-Encoding", "Vary", "Via", "X-Content-Type-Options",
        "X-Frame-Options", "X-Powered-By", "x-request-id", "X-XSS-Protection",
    ]
}
