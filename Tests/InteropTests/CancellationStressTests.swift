import Foundation
import RESTClient
import RESTClientTestSupport
import RESTClientTestingSupport
import Testing

/// Concurrent calls to real servers, cancelled at random moments. Runs in its own process, because it counts descriptors.
@Suite(
    .serialized, .running(.nginx),
    .enabled(if: Servers.stressCalls > 0, "set ITEMS_INTEROP_STRESS to the number of calls"))
struct CancellationStressTests {
    @Test(.hangLimit, arguments: [1, 2, 3, 4, 5] as [UInt64])
    func `calls that are cancelled at random end once and leave no descriptor open`(seed: UInt64) async throws
    {
        // The first calls open the descriptors that the platform keeps for the lifetime of the process.
        _ = try await run(seed: 0, calls: 64)
        let before = try descriptors()
        let counts = try await run(seed: seed, calls: Servers.stressCalls)
        #expect(counts.problems(for: Servers.stressCalls) == [])

        // The platform closes its sockets some time after the last call.
        let clock = ContinuousClock()
        let deadline = clock.now + .seconds(10)
        while try !newDescriptors(since: before).isEmpty, clock.now < deadline {
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(try newDescriptors(since: before) == [])
    }

    private func newDescriptors(since before: [String]) throws -> [String] {
        var known = before
        return try descriptors().filter { name in
            guard let index = known.firstIndex(of: name) else { return true }
            known.remove(at: index)
            return false
        }
    }

    private func run(seed: UInt64, calls: Int) async throws -> CancellationStress.Counts {
        let configuration = URLSessionConfiguration.ephemeral
        // Half of the concurrent calls wait for a connection, so that this phase is cancelled, too.
        configuration.httpMaximumConnectionsPerHost = 32
        let manager = SessionManager(configuration: configuration)
        let stress = CancellationStress(
            calls: calls, seed: seed, cancelWithin: .milliseconds(20),
            endpoints: [
                .init(try Servers.nginx("/quick"), .succeeds(bytes: 2)),
                .init(try Servers.nginx("/hop"), .succeeds(bytes: 2)),
                .init(try Servers.nginx("/body"), .succeeds(bytes: 65_536)),
                .init(try Servers.nginx("/unauthorized"), .fails),
                .init(try Servers.nginx("/slow"), .neverEnds),
                .init(try Servers.silent("/"), .neverEnds),
            ])
        let counts = await stress.run(with: manager)
        await manager.shutdown()
        return counts
    }

    /// The open sockets, files and pipes, without the descriptors of the platform's event loops.
    private func descriptors() throws -> [String] {
        let folder = "/proc/self/fd"
        return try FileManager.default.contentsOfDirectory(atPath: folder)
            .compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)") }
            .filter { !$0.hasPrefix("anon_inode:") }
            .sorted()
    }
}
