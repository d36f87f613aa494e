import Foundation
import MockTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A server inside the process that answers as its scenario says, and knows no network.
struct Demo {
    /// What to list.
    let url: String
    private let server: MockServer

    init(_ scenario: Scenario) {
        url = scenario.url
        let reply = scenario.reply
        server = MockServer { Route(.any) { reply } }
    }

    /// A configuration whose requests the server answers, as long as it lives.
    var configuration: URLSessionConfiguration { server.configuration }
}

extension Scenario {
    /// What `--demo=list` prints.
    static var list: String {
        allCases.map { scenario in
            let name = scenario.rawValue
            return name + String(repeating: " ", count: 10 - name.count) + scenario.summary + "\n"
        }.joined()
    }

    fileprivate var url: String {
        switch self {
        case .notNil, .nil, .concepts: "http://\(rawValue)"
        default: "https://demo.example/items"
        }
    }

    fileprivate var reply: Reply {
        switch self {
        case .ok:
            .json([
                "items": ["Assam", "Darjeeling", "Dragon Well", "Genmaicha", "Lapsang Souchong", "Sencha"]
            ])
        case .notNil: .json(["items": ["a", "b", "c"]])
        case .nil: .text("GARBAGE")
        case .concepts: .json(["concepts": ["a", "b"], "total": 2])
        case .html: .text("<!doctype html>\n<title>Sign in</title>\n", as: .html)
        case .hostile: .data(Data(Self.hostileItems.utf8), as: .json)
        }
    }

    /// Each item does harm to a terminal that is shown it raw, or to a script that takes lines for items.
    private static let hostileItems = #"""
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
