import RESTClientHTTP
import Testing

@testable import items

@Suite struct ProgressTests {
    @Test(arguments: [
        (1_204_331, 25_000_000, Duration.milliseconds(410), "items: 1,204,331 items, 25 MB, 61 MB/s"),
        (0, 0, .seconds(1), "items: 0 items, 0 B, 0 B/s"),
        (1, 999, .seconds(1), "items: 1 item, 999 B, 999 B/s"),
        (2, 1_000, .seconds(2), "items: 2 items, 1.0 kB, 500 B/s"),
        (2, 999_600, .seconds(1), "items: 2 items, 1.0 MB, 1.0 MB/s"),
        (2, 3_250_000_000, .seconds(10), "items: 2 items, 3.3 GB, 325 MB/s"),
        (2, 9_960_000, .seconds(1), "items: 2 items, 10 MB, 10 MB/s"),
    ])
    func `it says how much there was, and how fast`(items: Int, bytes: Int, time: Duration, text: String) {
        #expect(ProgressLine(items: items, bytes: bytes, time: time).text() == text)
    }

    @Test(arguments: [
        (39, "items: 1,204,331 items, 25 MB, 61 MB/s"), (38, "items: 1,204,331 items, 25 MB"),
        (30, "items: 1,204,331 items, 25 MB"), (29, "items: 1,204,331 items"), (8, "items: "), (1, ""),
        (0, ""),
    ])
    func `it stays on one line of a narrow terminal`(columns: Int, text: String) {
        let line = ProgressLine(items: 1_204_331, bytes: 25_000_000, time: .milliseconds(410))
        #expect(line.text(fitting: columns) == text)
    }
}
