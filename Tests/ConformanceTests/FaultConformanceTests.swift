import RESTClientTestingSupport
import Foundation
import MockTransport
import RESTClient
import Testing

/// Compares each fault of an in-process mock with the same fault on a socket.
@Suite struct FaultConformanceTests {
    private static let phases: [Fault.Phase] = [.beforeHead, .afterHead, .inBody(after: 4), .atEnd]

    static let faults: [Fault] =
        [
            .emptyReply, .malformedHead, .malformedChunk, .invalidGzip, .truncatedGzip,
            .contentLength(offBy: 5),
            .contentLength(offBy: -5),
        ] + phases.flatMap { [.reset($0), .close($0), .stall($0)] }

    /// The faults before a connection exists; a loopback server can only reset the connection.
    static let connectionFaults: [Fault] = [.refused, .hostNotFound, .tlsFailure]

    /// The result of a request.
    struct Outcome: Equatable, Sendable {
        var status: HTTPStatus?
        var body = Data()
        var kind: RESTClientError.Kind?
    }

    @Test(arguments: faults)
    func `a fault on a socket has the same result as in the process`(fault: Fault) async throws {
        // On a busy machine, a reply may take longer than the short idle timeouts.
        for idle in [0.2, 2, 20, 200] {
            let inProcess = try await Self.outcome(of: fault, .inProcess, idle: .seconds(idle))
            let onSocket = try await Self.outcome(of: fault, .loopback, idle: .seconds(idle))
            if onSocket == inProcess { return }
            if idle == 200 { #expect(onSocket == inProcess) }
        }
    }

    @Test(arguments: connectionFaults)
    func `a connection fault on a socket is a reset`(fault: Fault) async throws {
        #expect(try await Self.outcome(of: fault, .loopback).kind == .connection(.reset))
    }

    @Test(arguments: zip(connectionFaults, [RESTClientError.ConnectionFailure.refused, .hostNotFound, .tls]))
    func `a connection fault in the process has its own error kind`(
        fault: Fault, connection: RESTClientError.ConnectionFailure
    ) async throws {
        #expect(try await Self.outcome(of: fault, .inProcess).kind == .connection(connection))
    }

    private static func outcome(
        of fault: Fault, _ kind: TestServer.Kind, idle: Duration = .seconds(200)
    ) async throws -> Outcome {
        let server = MockServer { Route(.any) { Reply.text("0123456789").fault(fault) } }
        let target = try await TestServer.start(kind, server)
        let manager = SessionManager(
            configuration: target.configuration,
            options: RequestOptions(timeouts: Timeouts(idle: idle)))
        var outcome = Outcome()
        do {
            let response = try await manager.request(target.url("/items")).stream()
            outcome.status = response.status
            for try await chunk in response.body { outcome.body += chunk }
        } catch let error as RESTClientError {
            outcome.kind = error.kind
        }
        return outcome
    }
}
