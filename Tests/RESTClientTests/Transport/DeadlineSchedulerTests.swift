import RESTClientHTTP
import Testing

@testable import RESTClient

@Suite struct DeadlineSchedulerTests {
    @Test func `due elements are returned earliest first`() {
        var heap = DeadlineHeap<String>()
        for (number, due) in [(1, 30), (2, 10), (3, 20), (4, 40)] {
            heap.insert("\(due)", number: number, due: .seconds(due))
        }
        #expect(heap.earliest == .seconds(10))
        #expect(heap.removeDue(at: .seconds(30)).map(\.element) == ["10", "20", "30"])
        #expect(heap.earliest == .seconds(40))
    }

    @Test func `an element replaces one with the same number`() {
        var heap = DeadlineHeap<String>()
        heap.insert("early", number: 7, due: .seconds(1))
        heap.insert("late", number: 7, due: .seconds(9))
        #expect(heap.earliest == .seconds(9))
        #expect(heap.remove(7) == "late")
        #expect(heap.isEmpty)
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func `random inserts and removes agree with a sorted array`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var heap = DeadlineHeap<Int>()
        var model: [Int: Int] = [:]
        for _ in 0..<300 {
            let number = Int.random(in: 0..<40, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                #expect(heap.remove(number) == model.removeValue(forKey: number).map { _ in number })
            case 1:
                let now = Int.random(in: 0..<100, using: &random)
                let due = heap.removeDue(at: .seconds(now))
                let expected = model.filter { $0.value <= now }
                #expect(Set(due.map(\.number)) == Set(expected.keys))
                #expect(due.compactMap { model[$0.number] } == expected.values.sorted())
                for key in expected.keys { model[key] = nil }
            default:
                model[number] = Int.random(in: 0..<100, using: &random)
                heap.insert(number, number: number, due: .seconds(model[number] ?? 0))
            }
            #expect(heap.earliest == model.values.min().map { .seconds($0) })
        }
    }
}
