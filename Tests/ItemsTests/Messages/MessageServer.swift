import Foundation
import MockTransport
import RESTClientHTTP

/// The server and the files of the table of messages.
enum MessageServer {
    static func make() -> MockServer { MockServer { routes } }

    @RouteBuilder private static var all: [Route] {
        lists
        statuses
        failures
        retries
        redirects
        conventions
        incomplete
        unfollowed
        contradicting
        Route(.any) { Reply.json(["items": ["a"]]) }
    }

    /// The routes of all servers, because it takes long to parse their patterns.
    private static let routes = all

    static func json(_ text: String) -> Reply { .data(Data(text.utf8), as: .json) }

    @RouteBuilder private static var lists: [Route] {
        Route("/people") { json(#"{"items": [{"name": "Ada", "home": {"city": "x"}}, {"name": "Bo"}]}"#) }
        Route("/map") { json(#"{"users": {"a": {"key": 1}}}"#) }
        Route("/inner") { json(#"{"data": [{"itms": []}]}"#) }
        Route("/inner-text") { json(#"{"data": [{"items": "x"}]}"#) }
        Route("/plain") { json(#"{"u": {"b": 2}}"#) }
        Route("/quote") { json(#"{"a\"b": 1}"#) }
        Route("/unsafe") { json(#"{"\u001b[2J": [1]}"#) }
        Route("/array") { json("[1]") }
        Route("/extra") {
            // The columns of a table are known after 1,000 rows.
            json("{\"items\": [\(String(repeating: "{\"a\": 1},", count: 1_000)){\"b\": 1}]}")
        }
        Route("/large") { json("{\"items\": [\"\(String(repeating: "x", count: 2_000))\"]}") }
        Route("/pages") { request in
            let page = Int(request.query["page"] ?? "1") ?? 1
            return .json(["items": ["item \(page)"], "page": .value(page), "total_pages": 3])
        }
        Route("/broken", .query("page", "2")) { Reply.status(404) }
        Route("/broken") { json(#"{"items": ["a", "b"], "page": 1, "total_pages": 2}"#) }
        Route("/slices", .query("offset", "2")) { json(#"{"items": ["c", x]}"#) }
        Route("/slices", .query("offset", "4")) { Reply.status(404) }
        Route("/slices") { json(#"{"items": ["a", "b"], "total": 5}"#) }
        Route("/cursor", .query("after", "x")) { json(#"{"items": ["b", "c", "d", y]}"#) }
        Route("/cursor") { json(#"{"items": ["a"], "next": "/cursor?after=x"}"#) }
        Route("/token", .query("token", "abc")) { Reply.status(404) }
        Route("/token") { json(#"{"items": ["a"], "next": "/token?token=abc"}"#) }
    }

    @RouteBuilder private static var statuses: [Route] {
        Route("/status/304") { Reply.status(304) }
        Route("/status/:code<Int>") { request in
            .status(HTTPStatus(rawValue: request["code", as: Int.self] ?? 0))
        }
        Route("/wait") { Reply.status(429).header(.retryAfter, "1000000000") }
        Route("/redirect") { Reply.redirect(to: "http://a.example/redirect") }
        Route("/signed-out") { Reply.redirect(to: "/login") }
        Route("/login") { Reply.text("<!doctype html><title>Welcome</title>", as: .html) }
    }

    @RouteBuilder private static var failures: [Route] {
        Route("/empty") { json("") }
        Route("/deep") { json("{\"items\": " + String(repeating: "[", count: 600)) }
        Route("/refused") { json(#"{"items": ["a"]}"#).fault(.refused) }
        Route("/connection") {
            Reply.error(URLError(.unknown, userInfo: [NSLocalizedDescriptionKey: "Failed sending data"]))
        }
        Route("/gzip") { Reply.data(Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0]), as: .json) }
        Route("/zstd") { Reply.data(Data([0x28, 0xB5, 0x2F, 0xFD, 4]), as: .json) }
        Route("/length") { json(#"{"items": ["a"]}"#).header(.contentLength, "-5") }
    }

    private static let files: [String: Data] = [
        "list": #"{"items": ["a"]}"#, "empty": "", "comma": #"{"items": ["a",]}"#,
        "cut": #"{"items": ["a"#,
        "page.html": "<html>", "text": "GARBAGE", "other": #"{"teas": ["a"]}"#, "token": "t0ken\n",
        "two-tokens": "a b", "headers": "A: b\n", "wrong": "not a position\n",
        "large": String(repeating: "x", count: 1_100_000), "line": "{\"items\": [\"a\"]}",
        "position": position(of: "other"),
        "inside": position(of: "pages", skip: "1;last=ae113ced241f4e06"),
        "after": position(of: "pages", skip: "3;last=0"),
        "longer": position(
            of: "pages", output: #","output":{"file":{"device":1,"inode":1},"offset":1200}"#),
        "other-output": position(
            of: "pages",
            output: #","output":{"file":{"device":1,"inode":1},"offset":1200,"partial":".items-x"}"#),
        "open-quote": "machine a.example\nlogin \"me\n",
        "saved": position(of: "pages"),
    ].mapValues { Data($0.utf8) }

    private static func position(of list: String, skip: String = "0", output: String = "") -> String {
        """
        # items: position of an incomplete list; run the same command to resume
        {"items":1,"list":"http://a.example/\(list)"\(output),"token":"1;page=2;items=1;skip=\(skip);url=http://a.example/\(list)?page=2"}

        """
    }

    /// Creates a folder with the files that a command line names.
    static func folder(for command: String) throws -> TemporaryDirectory {
        let folder = try TemporaryDirectory()
        for (name, data) in files where name == "list" || command.contains(name) {
            try data.write(to: URL(filePath: "\(folder.path)/\(name)"))
            try FileManager.default.setAttributes(
                [.posixPermissions: name == "list" ? 0o644 : 0o600], ofItemAtPath: "\(folder.path)/\(name)")
        }
        for (name, start) in [
            ("list.gz", [0x1F, 0x8B]), ("list.zst", [0x28, 0xB5, 0x2F, 0xFD]),
            ("utf-16", Array(#"{"items": []}"#.utf8).flatMap { [$0, 0] }),
            ("latin-1", Array(#"{"items": ["caf"#.utf8) + [0xE9, 0x22, 0x5D, 0x7D]),
            ("bytes", Array(#"{"items": [""#.utf8) + [0xFF, 0x22, 0x5D, 0x7D]),
        ] as [(String, [UInt8])] where command.contains(name) {
            try Data(start).write(to: URL(filePath: "\(folder.path)/\(name)"))
        }
        return folder
    }
}
