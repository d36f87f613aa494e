import RESTClientTestSupport
import Foundation
import MockTransport
import RESTClient
import Testing

/// Every fault in the process against the same fault on a socket, through `SessionManager`.
@Suite struct FaultConformanceTests {
    private static let moments: [Fault.Phase] = [.beforeHead, .afterHead, .inBody(after: 4), .atEnd]

    static let faults: [Fault] =
        [
            .emptyReply, .malformedHead, .malformedChunk, .invalidGzip, .truncatedGzip, .contentLength(offBy: 5),
            .contentLength(offBy: -5),
        ] + moments.flatMap { [.reset($0), .close($0), .stall($0)] }

    /// What breaks before there is a connection; a socket that is there can but reset.
    static let before: [Fault] = [.refused, .hostNotFound, .tlsFailure]

    /// How a call ended.
    struct Outcome: Equatable, Sendable {
        var status: HTTPStatus?
        var body = Data()
        var kind: RESTClientError.Kind?
    }

    @Test(arguments: faults) func `a fault is the same on a socket`(fault: Fault) async throws {
        // A busy machine may take longer to answer than a short idle timeout lets it.
        for idle in [1, 10, 60] {
            let inProcess = try await Self.outcome(of: fault, .inProcess, idle: .seconds(idle))
            let onSocket = try await Self.outcome(of: fault, .loopback, idle: .seconds(idle))
            if onSocket == inProcess { return }
            if idle == 60 { #expect(onSocket == inProcess) }
        }
    }

    @Test(arguments: before) func `what fails before a connection is a reset on a socket`(
        fault: Fault
    ) async throws {
        #expect(try await Self.outcome(of: fault, .loopback).kind == .connection(.reset))
    }

    @Test(arguments: zip(before, [RESTClientError.Connection.refused, .hostNotFound, .tls]))
    func `in the process it says what it is`(
        fault: Fault, connection: RESTClientError.Connection
    ) async throws {
        #expect(try await Self.outcome(of: fault, .inProcess).kind == .connection(connection))
    }

    private static func outcome(
        of fault: Fault, _ kind: Target.Kind, idle: Duration = .seconds(60)
    ) async throws -> Outcome {
        let server = MockServer { Route(.any) { Reply.text("0123456789").fault(fault) } }
        let target = try await Target.made(kind, server)
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
