import Foundation
import RESTClient
import RESTClientTestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Many calls to real servers, cancelled at random moments. Alone in its process, for it counts descriptors.
@Suite(.serialized, .running(.nginx), .enabled(if: Servers.stormCalls > 0, "set ITEMS_INTEROP_STORM"))
struct StormTests {
    @Test(.timeLimit(.minutes(5)), arguments: [1, 2, 3, 4, 5] as [UInt64])
    func `every call ends once, whenever it is cancelled`(seed: UInt64) async throws {
        // What the platform opens once and for all is open behind a first few calls.
        _ = try await storm(seed: 0, calls: 64)
        let before = try descriptors()
        let tally = try await storm(seed: seed, calls: Servers.stormCalls)
        #expect(tally.complaints(of: Servers.stormCalls) == [])

        // The platform closes its sockets when it gets to it.
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

    private func storm(seed: UInt64, calls: Int) async throws -> Storm.Tally {
        let configuration = URLSessionConfiguration.ephemeral
        // Half of what is in flight waits for a connection: that is a phase, too.
        configuration.httpMaximumConnectionsPerHost = 32
        let manager = SessionManager(configuration: configuration)
        let storm = Storm(
            calls: calls, seed: seed, cancelsWithin: .milliseconds(20),
            targets: [
                Storm.Target(try Servers.nginx("/quick"), .answers(bytes: 2)),
                Storm.Target(try Servers.nginx("/hop"), .answers(bytes: 2)),
                Storm.Target(try Servers.nginx("/body"), .answers(bytes: 65_536)),
                Storm.Target(try Servers.nginx("/unauthorized"), .fails),
                Storm.Target(try Servers.nginx("/slow"), .never),
                Storm.Target(try Servers.silent("/"), .never),
            ])
        let tally = await storm.run(over: manager)
        await manager.shutdown()
        return tally
    }

    /// What is open: sockets, files, pipes; not what the platform keeps for its own event loops.
    private func descriptors() throws -> [String] {
        let folder = "/proc/self/fd"
        return try FileManager.default.contentsOfDirectory(atPath: folder)
            .compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)") }
            .filter { !$0.hasPrefix("anon_inode:") }
            .sorted()
    }
}
