import Foundation
import Synchronization
import MockTransport

extension MockServer {
    /// Creates a server for the scenarios, used in the process by `--demo` and on a socket by `--serve`.
    ///
    /// - Parameter log: Called for each request with its reply.
    static func demo(
        _ scenarios: [Scenario], log: @escaping @Sendable (ReceivedRequest, Reply) -> Void = { _, _ in }
    ) -> MockServer {
        MockServer {
            for scenario in scenarios {
                let requests = Atomic(0)
                for pattern in scenario.patterns {
                    Route(.url(pattern)) { request in
                        let earlier = requests.wrappingAdd(1, ordering: .relaxed).oldValue
                        let reply = scenario.reply(request, earlier)
                        log(request, reply)
                        return reply
                    }
                }
            }
            Route(.any) { request in
                let reply = Reply.text(
                    "Not found. Available paths:\n" + scenarios.map { "\($0.path)\n" }.joined(), status: 404)
                log(request, reply)
                return reply
            }
        }
    }
}

/// The list that most scenarios serve.
enum Teas {
    private static let names = [
        "Assam", "Darjeeling", "Dragon Well", "Genmaicha", "Lapsang Souchong", "Sencha",
    ]
    private static let pageSize = 2

    /// All items on one page.
    static let all = Reply.json(["items": names])

    /// The requested page. Its `Link` header names the next page (RFC 8288).
    static func page(_ request: ReceivedRequest) -> Reply {
        let number = request.query["page"].map { Int($0) ?? 0 } ?? 1
        let pages = (names.count + pageSize - 1) / pageSize
        guard (1...pages).contains(number) else { return .text("There are \(pages) pages.\n", status: 404) }
        let page = Reply.json(["items": Array(names.dropFirst((number - 1) * pageSize).prefix(pageSize))])
        return number < pages ? page.header(.link, "<?page=\(number + 1)>; rel=\"next\"") : page
    }
}

/// Items that would control a terminal, or look like several lines to a script, if printed unescaped.
enum HostileItems {
    static let json = #"""
        {"items": [
            "harmless",
            "\u001b[2Jclears the screen",
            "\u001b]0;renames the window\u0007",
            "\u001b]52;c;c3RvbGVu\u0007",
            "two\nlines",
            "overwritten\rby this",
            "\u009b31mred in eight bits",
            "invoice\u202efdp.exe",
            "\u007f",
            "\"already quoted\"",
            "-rf",
            "",
            {"kind": "object",
             "note": "\u001b[1m"},
            null
        ]}
        """#
}
