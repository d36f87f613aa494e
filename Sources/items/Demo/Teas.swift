import RESTClientHTTP
import MockTransport

/// The list that most scenarios are about.
enum Teas {
    private static let names = [
        "Assam", "Darjeeling", "Dragon Well", "Genmaicha", "Lapsang Souchong", "Sencha",
    ]
    private static let pageSize = 2

    /// All at once.
    static let all = Reply.json(["items": names])

    /// The page that `request` asks for; its head says where the next one is (RFC 8288).
    static let page: @Sendable (ReceivedRequest) -> Reply = { request in
        let number = request.query["page"].map { Int($0) ?? 0 } ?? 1
        let pages = (names.count + pageSize - 1) / pageSize
        guard (1...pages).contains(number) else { return .text("There are \(pages) pages.\n", status: 404) }
        let page = Reply.json(["items": Array(names.dropFirst((number - 1) * pageSize).prefix(pageSize))])
        return number < pages ? page.header(.link, "<?page=\(number + 1)>; rel=\"next\"") : page
    }
}
