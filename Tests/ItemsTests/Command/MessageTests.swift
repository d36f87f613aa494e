import RESTClientTestingSupport
import Testing

@testable import items

/// Messages that need a shell or a connection. `Tests/ItemMessages.txt` and `Tests/ErrorMessages.txt` have
/// the others.
@Suite(.hangLimit) struct MessageTests {
    @Test(arguments: [
        ShellTest(
            "items --serve --port ${URL##*:}", exit: .failure, error: "port <*> is already in use",
            hint: "omit --port to use any free port"),
        ShellTest(
            "printf 'A: \\377' > h; items -H @h $URL/", exit: .usage,
            error: "h, line 1: a header field is not UTF-8"),
        ShellTest(
            "printf 'A: b\\r\\n\\r\\nC\\r\\n' > h; items -H @h $URL/", exit: .usage,
            error: "h, line 3: -H requires NAME:VALUE, such as 'Accept: text/csv'; the colon is missing"),
        ShellTest(
            "items --retry 0 $URL/reset", exit: .noConnection,
            error: "the connection was reset: GET $URL/reset (<*>)",
            hint: "try again later, and check that the port is that of the service"),
        ShellTest(
            "items --retry 0 http://localhost:1/", exit: .noConnection,
            error: "the connection was refused: GET http://localhost:1/ (<*>)",
            hint: "check the port, and that the server is running"),
        ShellTest(
            "items --retry 0 http://no-such-host.invalid/", exit: .noConnection,
            error: "the host was not found: GET http://no-such-host.invalid/ (<*>)",
            hint: "check the host name and the network connection"),
    ])
    func `an error has a message and a hint`(test: ShellTest) async throws { try await test.check() }
}
