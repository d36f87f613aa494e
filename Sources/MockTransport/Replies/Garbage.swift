import Foundation

extension Reply {
    /// A 200 whose body is not what anyone asked for; the same seed gives the same garbage.
    ///
    /// Cut JSON, a BOM, UTF-16, bytes that are not UTF-8, a page of HTML, nothing, deep nesting, duplicate keys,
    /// noise. Some of it a tolerant reader may accept. The header `X-Garbage` says what it is.
    ///
    /// ```swift
    /// @Test(arguments: 0..<100 as Range<UInt64>) func `garbage never crashes`(seed: UInt64) async { … }
    /// ```
    public static func garbage(seed: UInt64) -> Self {
        var random = SeededGenerator(seed: seed)
        let kind = Garbage.allCases.randomElement(using: &random) ?? .nothing
        return .data(kind.bytes(&random), as: kind == .page ? .html : .json)
            .header("X-Garbage", "seed \(seed), \(kind.rawValue)")
    }
}

enum Garbage: String, CaseIterable {
    case cut = "cut JSON"
    case byteOrderMark = "JSON behind a BOM"
    case utf16 = "JSON in UTF-16"
    case notUTF8 = "bytes that are not UTF-8"
    case page = "a page of HTML"
    case nothing = "an empty body"
    case deep = "deep nesting"
    case twice = "duplicate keys"
    case noise = "noise"

    func bytes(_ random: inout SeededGenerator) -> Data {
        let words = ["tea", "milk", "sugar", "pot", "cup"].shuffled(using: &random)
        let list = words.map { "\"\($0)\"" }.joined(separator: ",")
        let json = "{\"items\":[\(list)],\"total\":\(words.count)}"
        switch self {
        case .cut: return Data(json.utf8.prefix(Int.random(in: 1..<json.utf8.count, using: &random)))
        case .byteOrderMark: return Data([0xEF, 0xBB, 0xBF]) + Data(json.utf8)
        case .utf16: return json.data(using: .utf16) ?? Data()
        case .notUTF8:
            let sequences: [[UInt8]] = [
                [0xFF], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xE9],
            ]
            var bytes = Array(json.utf8)
            let place = Int.random(in: 11..<bytes.count - 12, using: &random)
            bytes.insert(contentsOf: sequences.randomElement(using: &random) ?? [0xFF], at: place)
            return Data(bytes)
        case .page:
            return Data(
                "<!doctype html><html><head><title>Sign in</title></head><body>\(words[0])</body></html>".utf8
            )
        case .nothing: return Data()
        case .deep:
            let depth = Int.random(in: 1_000...100_000, using: &random)
            return Data(("{\"items\":" + String(repeating: "[", count: depth)).utf8)
                + Data((String(repeating: "]", count: depth) + "}").utf8)
        case .twice: return Data("{\"items\":[\(list)],\"items\":\(words.count)}".utf8)
        case .noise:
            return Data(
                (0..<Int.random(in: 1...4_096, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                })
        }
    }
}
