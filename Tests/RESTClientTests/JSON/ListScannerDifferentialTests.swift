import Foundation
import RESTClientTestSupport
import Testing

/// `make differential` compares 100,000 documents, in release mode; `JSON_DOCUMENTS=N swift test --filter Differential`
/// compares N of them.
@Suite struct ListScannerDifferentialTests {
    static let shards: UInt64 = 4
    static let documents =
        ProcessInfo.processInfo.environment["JSON_DOCUMENTS"].flatMap { UInt64($0) } ?? 400

    @Test(arguments: 0..<shards)
    func `the scanner agrees with the reference reader on random documents`(shard: UInt64) {
        var seen: [String: UInt64] = [:]
        for seed in stride(from: shard, to: Self.documents, by: Int(Self.shards)) {
            let comparison = ScannerComparison(seed: seed)
            guard comparison.difference == nil else {
                #expect(comparison.difference == nil)
                return
            }
            seen[comparison.kind, default: 0] += 1
        }
        // All kinds of documents must occur.
        let least = Self.documents / 1_000 / Self.shards
        #expect(seen.values.filter { $0 > least }.count >= ScannerComparison.kinds, "\(seen)")
    }
}
