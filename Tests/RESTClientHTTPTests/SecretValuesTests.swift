import Foundation
import RESTClientHTTP
import Testing

@Suite struct SecretValuesTests {
    @Test(arguments: [
        (["secret1"], "a secret1, secret12", "a ***, ***2"),
        // The longest value at a place counts.
        (["secret1", "secret12"], "secret12 secret1 secret13", "*** *** ***3"),
        // Values that overlap are masked together, and those side by side one by one.
        (["abcdef1", "ef1xyz9"], "-abcdef1xyz9-", "-***-"),
        (["abcdef1", "xyz9876"], "abcdef1xyz9876", "******"),
        (["a b/c\"d1"], #"a b/c"d1 a%20b%2Fc%22d1 a b/c\"d1 a b\/c\"d1 a+b/c"d1"#, "*** *** *** *** ***"),
        (
            ["é<b>'\"/ 1"],
            #"é<b>'\"\/ 1 \u00e9<b>'\"/ 1 é\u003cb\u003e'\"/ 1 é&lt;b&gt;&#39;&quot;/ 1 %c3%a9%3cb%3e%27%22%2f+1"#,
            "*** *** *** *** ***"
        ),
        // An accent belongs to no escape.
        (["a/\u{301}<\u{301}b c"], "a\\/\u{301}<\u{301}b c a/\u{301}&lt;\u{301}b c", "*** ***"),
        (["short"], "short", "short"),
    ])
    func `values are masked in all their encodings`(values: [String], text: String, masked: String) {
        #expect(SecretValues(Set(values), includingWords: true).masked(message: text) == masked)
    }

    @Test(arguments: [127, 128, 129, 254, 255, 256, 257, 1_000, 4_000])
    func `a long value is masked as one, and so are its parts`(count: Int) {
        var random = SeededGenerator(seed: UInt64(count))
        let value = String(
            decoding: (0..<count).map { _ in UInt8.random(in: 0x61...0x7A, using: &random) }, as: UTF8.self)
        let secrets = SecretValues([value], includingWords: true)
        #expect(secrets.masked(message: "a \(value)-\(value)\(value) b") == "a ***-****** b")
        let parts = secrets.masked(message: "\(value.prefix(count - 1)) \(value.dropFirst())")
        let limit = SecretValues.maxPatternLength
        #expect(count <= limit ? parts.count == 2 * count - 1 : parts.count < 4 * limit)
    }

    @Test func `a long value that the text almost repeats at each byte is masked quickly`() {
        // Comparing the whole value at each byte would take a minute.
        let text = String(repeating: "a", count: 20_000)
        let secrets = SecretValues(["\(text)b"], includingWords: true)
        #expect(secrets.masked(message: "\(text)c \(text)b") == "***c ***")
    }

    @Test(arguments: 1...50) func `the same bytes are masked as by a search for each value`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        func word(_ count: Int) -> [UInt8] {
            (0..<count).map { _ in UInt8.random(in: 0x61...0x62, using: &random) }
        }
        let values = (0..<Int.random(in: 1...12, using: &random)).map { _ in
            word(Int.random(in: 6...12, using: &random))
        }
        let text = word(200)
        var ranges: [Range<Int>] = []
        for start in text.indices {
            let length = values.filter { text[start...].starts(with: $0) }.map(\.count).max() ?? 0
            guard length > 0 else { continue }
            if let last = ranges.last, start < last.upperBound {
                ranges[ranges.count - 1] = last.lowerBound..<max(last.upperBound, start + length)
            } else {
                ranges.append(start..<start + length)
            }
        }
        var expected: [UInt8] = []
        var end = 0
        for range in ranges {
            expected += text[end..<range.lowerBound] + Array("***".utf8)
            end = range.upperBound
        }
        expected += text[end...]
        let secrets = SecretValues(
            Set(values.map { String(decoding: $0, as: UTF8.self) }), includingWords: true)
        #expect(secrets.masked(Data(text)) == Data(expected))
    }
}
