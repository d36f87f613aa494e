import Foundation
import RESTClientTestSupport
import RESTClientTestingSupport
import Testing

@testable import items

@Suite(.hangLimit) struct ConnectionTests {
    private static let none = "Apple platforms have none of these options"

    @Test(arguments: [
        ShellTest("items --proxy $URL --limit 1 http://tea.example/teas", output: "Assam\n"),
        ShellTest(
            "http_proxy=http://127.0.0.1:1 items -x $URL --limit 1 http://tea.example/teas", output: "Assam\n"
        ),
        ShellTest("http_proxy=http://127.0.0.1:1 items --proxy '' --limit 1 $URL/teas", output: "Assam\n"),
        ShellTest(
            "items -x http://u:secret@127.0.0.1:1 --retry 0 http://tea.example/", exit: .noConnection,
            error: "the connection was refused: GET http://tea.example/ (<*>)",
            hint: "--proxy names the proxy 127.0.0.1; correct it, or set NO_PROXY=tea.example"),
        ShellTest(
            "items -x $URL --retry 0 http://tea.example/proxy", exit: .clientError,
            error: "HTTP 407 Proxy Authentication Required: GET http://tea.example/proxy",
            hint: "the proxy 127.0.0.1 needs a password; set --proxy=http://USER:PASSWORD@HOST"),
        ShellTest(
            "items -x ftp://u:secret@host $URL/teas", exit: .usage,
            error:
                "cannot send GET $URL/teas: --proxy: needs a URL such as http://HOST:PORT or socks5h://HOST:PORT"
        ),
        ShellTest(
            "umask 77; echo abc > t; items --token-file t -x http://proxy.example $URL/", exit: .usage,
            error: "cannot send a token over plain http to the proxy proxy.example",
            hint: "set NO_PROXY=127.0.0.1"),
    ]) func `a proxy is that of the option`(test: ShellTest) async throws {
        try await test.linuxOnly(Self.none).check()
    }

    @Test(arguments: [
        ShellTest(
            "PORT=${URL##*:}; items --resolve tea.example:$PORT:127.0.0.1 --limit 1 http://tea.example:$PORT/teas",
            output: "Assam\n"),
        ShellTest(
            "umask 77; echo abc > t; items --token-file t --resolve localhost:80:192.0.2.1 http://localhost/",
            exit: .usage, error: "cannot send a token to localhost over plain http", hint: "use https"),
        ShellTest("items -4 --limit 1 $URL/teas", output: "Assam\n"),
        ShellTest("items --ipv4 --http1.1 --connect-timeout 600 --limit 1 $URL/teas", output: "Assam\n"),
        ShellTest(
            "items -6 --retry 0 http://localhost:1/ 2>&- || items -m 600 --ipv6 --retry 0 http://localhost:1/ 2>&- || echo $?",
            output: "7\n"),
    ]) func `addresses are those of the options`(test: ShellTest) async throws {
        try await test.linuxOnly(Self.none).check()
    }

    @Test(.linuxOnly(Comment(rawValue: none))) func `a list is read from a Unix socket`() async throws {
        let directory = try TemporaryDirectory()
        let server = try RawServer.serving(at: .unix(path: "\(directory.path)/socket")) { connection in
            connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n[\"docker\"]")
        }
        try await ShellTest(
            "umask 77; echo abc > t; items --token-file t --unix-socket \(directory.path)/socket http://docker/containers/json",
            output: "docker\n"
        ).check()
        #expect(server.requests.first?.contains("Authorization: Bearer abc") == true)
    }

    @Test(arguments: [
        ShellTest(
            "touch a; items --cacert none $URL/; items --capath none $URL/; items --cert none:secret $URL/; items -E a --key none $URL/; items -E none $URL/",
            exit: .noInput,
            messages: ["cacert", "capath", "cert", "key", "cert"].map {
                "items: cannot read none: No such file or directory\n  hint: check the path of --\($0)\n"
            }.joined()),
        ShellTest(
            "items --pinnedpubkey sha256/abc= $URL/", exit: .usage,
            error: "cannot send GET $URL/: --pinnedpubkey: a key begins with sha256//"
        ).linuxOnly(none),
        ShellTest(
            "items --pinnedpubkey 'sha256//a=;sha256//b=' --limit 1 $URL/teas", output: "Assam\n"
        ).linuxOnly(none),
    ]) func `certificates are those of the options`(test: ShellTest) async throws {
        try await test.check()
    }
}
