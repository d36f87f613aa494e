import Foundation
import RESTClient
import Testing

/// `JSON_DOCUMENTS=100000 swift test --filter Differential` compares 100,000 documents.
@Suite struct ListScannerDifferentialTests {
    static let shards = 8
    static let documents = ProcessInfo.processInfo.environment["JSON_DOCUMENTS"].flatMap { Int($0) } ?? 2_400

    @Test(arguments: 0..<shards)
    func `the scanner agrees with the reference reader on random documents`(shard: Int) {
        var seen: [String: Int] = [:]
        for number in 0..<Self.documents / Self.shards {
            let seed = UInt64(shard) << 32 | UInt64(number)
            var random = RandomDocuments(seed: seed)
            let path = random.path()
            var document = random.document(for: path)
            if number % 3 > 0 { document = random.mutated(document) }
            let maxItemBytes = number % 5 == 0 ? 24 : 1 << 20
            let maxDepth = number % 7 == 0 ? 4 : 512

            let opinion = ReferenceReader.opinion(
                on: document, at: path, maxItemBytes: maxItemBytes, maxDepth: maxDepth)
            let whole = Scan(document, at: path, maxItemBytes: maxItemBytes, maxDepth: maxDepth)
            let pieces = Scan(
                document, at: path, cuts: random.cuts(of: document.count), maxItemBytes: maxItemBytes,
                maxDepth: maxDepth, findsMembers: true)
            let members = Scan(
                document, at: path, maxItemBytes: maxItemBytes, maxDepth: maxDepth, findsMembers: true)

            let text = String(decoding: document, as: UTF8.self)
            #expect(members.traits == whole.traits, "seed \(seed), path \(path): \(text)")
            guard whole.opinion == opinion, pieces == whole, members == whole else {
                #expect(whole.opinion == opinion, "seed \(seed), path \(path): \(text)")
                #expect(pieces == whole, "seed \(seed), path \(path): \(text)")
                #expect(members == whole, "seed \(seed), path \(path): \(text)")
                return
            }
            seen[opinion.failure.map { String($0.prefix(8)) } ?? "complete", default: 0] += 1
        }
        // All kinds of documents must occur.
        #expect(seen.values.filter { $0 > Self.documents / 1_000 / Self.shards }.count >= 6, "\(seen)")
    }
}

extension Scan {
    fileprivate var opinion: ReferenceReader.Opinion {
        let text: String? = reason.map { reason in
            switch reason {
            case .notJSON: "not JSON"
            case .malformed(.tooDeep): "too deep"
            case .malformed: "malformed"
            case .wrongShape(let path, let expected, .keys(let keys), let lists) where !keys.isEmpty:
                "\(expected) at \(path), found \(keys.joined(separator: ", ")) keys \(keys) lists \(lists)"
            case .wrongShape(let path, let expected, let found, let lists):
                "\(expected) at \(path), found \(found) lists \(lists)"
            case .incomplete: "incomplete"
            case .itemTooLarge: "too large"
            }
        }
        return .init(elements: elements, envelope: envelope, failure: text, offset: failure?.offset)
    }
}
