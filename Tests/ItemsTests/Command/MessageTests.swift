import RESTClientTestingSupport
import Testing

@testable import items

/// Messages about real connections. `Tests/ErrorMessages.txt` has the others.
@Suite(.hangLimit) struct MessageTests {
    @Test(arguments: [
        ShellTest(
            "items --retry 0 $URL/reset", exit: .noConnection,
            messages:
                "items: the connection was reset: GET $URL/reset (<*>)\n  hint: try again later, and check that the port is that of the service\n"
        ),
        ShellTest(
            "items --retry 0 http://localhost:1/", exit: .noConnection,
            messages:
                "items: the connection was refused: GET http://localhost:1/ (<*>)\n  hint: check the port, and that the server is running\n"
        ),
        ShellTest(
            "items --retry 0 http://no-such-host.invalid/", exit: .noConnection,
            messages:
                "items: the host was not found: GET http://no-such-host.invalid/ (<*>)\n  hint: check the host name and the network connection\n"
        ),
    ])
    func `an error has a message and a hint`(test: ShellTest) async throws { try await test.check() }
}
