import Foundation
import RESTClientHTTP
import MockTransport
import RESTClient
import Testing

/// A collection, a faulty server, a client and a consumer, generated from a seed.
private struct Scene {
    let seed: UInt64
    let collection: PagedCollection
    let listing: ItemListing
    let server: MockServer
    let client: MyRESTClient

    init(seed: UInt64) throws {
        self.seed = seed
        var random = SeededGenerator(seed: seed)
        let count = Int.random(in: 0...60, using: &random)
        let convention = try #require(PagedCollection.Convention.allCases.randomElement(using: &random))
        let collection = PagedCollection(
            convention: convention,
            items: (0..<count).map {
                "\($0)" + String(repeating: "é", count: Int.random(in: 0...9, using: &random))
            },
            pageSize: Int.random(in: 1...12, using: &random))
        self.collection = collection
        listing = ItemListing(maxConcurrentPages: Int.random(in: 1...6, using: &random))

        let faultRate = ([0, 0.05, 0.3] as [Double]).randomElement(using: &random) ?? 0
        let dice = LockedState(random)
        server = MockServer {
            Route(.any) { request in
                let reply = collection.reply(to: request)
                return dice.withLock { random in
                    guard Double.random(in: 0..<1, using: &random) < faultRate else { return reply }
                    let bytes = Int.random(in: 0...80, using: &random)
                    switch Int.random(in: 0...8, using: &random) {
                    case 0: return .status(503)
                    case 1: return .status(404)
                    case 2: return reply.fault(.refused)
                    case 3: return reply.fault(.reset(.inBody(after: bytes)))
                    case 4: return reply.fault(.close(.inBody(after: bytes)))
                    case 5: return .text("<!doctype html>", as: .html)
                    case 6:
                        // A cut body in complete framing, as with cut gzip.
                        let body = collection.body(collection.page(of: request))
                        return .text(String(body.prefix(min(bytes, body.count - 1))), as: .json)
                    case 7: return reply.fault(.emptyReply)
                    default: return reply.dribble(chunks: 7, over: .zero)
                    }
                }
            }
        }
        let isPatient = Bool.random(using: &random)
        let start = convention == .zeroBased ? "?page=0" : ""
        client = server.client(
            listing, path: PagedCollection.path + start,
            interceptors: isPatient ? [.retry(RetryPolicy(backoff: .constant(.zero), budget: nil))] : [])
    }

    /// Lists to the end, resuming after each error. The parts must be contiguous.
    func play() async throws {
        var items: [String] = []
        var token: ResumeToken?
        for _ in 0..<200 {
            let (more, error) = await client.items(as: String.self, from: token).collect()
            items += more
            #expect(items == Array(collection.items.prefix(items.count)), "seed \(seed): lost or doubled")
            guard let error else {
                #expect(items == collection.items, "seed \(seed): not complete")
                return
            }
            let failure = try #require(error as? RESTClientError, "seed \(seed)")
            #expect(failure.listingProgress?.itemCount == more.count, "seed \(seed)")
            let resume = try #require(failure.listingProgress?.resume, "seed \(seed): \(failure)")
            token = ResumeToken(rawValue: resume.rawValue)
        }
        Issue.record("seed \(seed): never complete")
    }
}

@Suite struct RandomListingTests {
    @Test func `random faults neither lose nor repeat items`() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<4 {
                group.addTask {
                    for seed in 0..<25 { try await Scene(seed: UInt64(worker * 1000 + seed)).play() }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func `getAvailableItems returns a complete list or throws`() async throws {
        var complete = 0
        for seed in 5000..<5080 {
            let scene = try Scene(seed: UInt64(seed))
            if let items = try? await scene.client.getAvailableItems(as: String.self) {
                #expect(items == scene.collection.items, "seed \(seed)")
                complete += 1
            }
        }
        #expect((8..<80).contains(complete))
    }
}
