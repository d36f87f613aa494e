import Foundation
import Testing

@testable import RESTClient

@Suite struct ISO8601TextTests {
    private func date(_ text: String) -> Date? { ISO8601Text(ArraySlice(text.utf8).span.bytes)?.date }

    @Test func `dates are those of ISO8601FormatStyle`() throws {
        var random = SeededGenerator(seed: 17)
        for number in 0..<3_000 {
            let year = Int.random(in: 1600...2400, using: &random)
            let month = Int.random(in: 0...13, using: &random)
            let day = Int.random(in: number % 2 == 0 ? 0...32 : 28...31, using: &random)
            let text =
                String(
                    format: "%04d-%02d-%02dT%02d:%02d:%02dZ", year, month, day, number % 24, number % 60,
                    number / 7 % 60)
            // Other texts are left to the format style.
            if let date = date(text) {
                #expect(date == (try? Date.ISO8601FormatStyle().parse(text)), "\(text)")
            }
            if 1...12 ~= month, 1...28 ~= day { #expect(date(text) != nil, "\(text)") }
        }
    }

    @Test(arguments: [
        "2024-02-30T00:00:00Z", "2023-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2024-13-01T00:00:00Z",
        "2024-01-01T24:00:00Z", "2024-01-01T00:60:00Z", "2024-01-01T00:00:60Z", "2024-01-01 00:00:00Z",
        "2024-01-01T00:00:00z", "1599-12-31T00:00:00Z", "2024-1-01T000:00:00Z", "2024-01-01T00:00:00.0Z", "",
    ])
    func `other texts are left to the format style`(text: String) { #expect(date(text) == nil) }
}
