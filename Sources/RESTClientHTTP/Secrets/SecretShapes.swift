import Foundation

/// The credentials that their form identifies, wherever they stand.
enum SecretShapes {
    /// A credential begins with `start`, and has at least `count` bytes.
    private struct Shape {
        let start: [UInt8]
        let count: Int

        init(_ start: String, _ count: Int) { (self.start, self.count) = (Array(start.utf8), count) }
    }

    private static let shapes = [
        Shape("AKIA", 20), Shape("ASIA", 20), Shape("ghp_", 20), Shape("gho_", 20), Shape("ghu_", 20),
        Shape("ghs_", 20), Shape("ghr_", 20), Shape("github_pat_", 30), Shape("glpat-", 20),
        Shape("xoxa-", 12),
        Shape("xoxb-", 12), Shape("xoxc-", 12), Shape("xoxd-", 12), Shape("xoxe-", 12), Shape("xoxp-", 12),
        Shape("xoxr-", 12), Shape("xoxs-", 12),
        Shape("xapp-", 12), Shape("sk_live_", 16), Shape("sk_test_", 16), Shape("rk_live_", 16),
        Shape("rk_test_", 16), Shape("whsec_", 16), Shape("sk-", 24), Shape("AIza", 30), Shape("ya29.", 20),
        Shape("npm_", 30), Shape("hf_", 30), Shape("SG.", 40), Shape("shpat_", 30), Shape("dop_v1_", 40),
        Shape("pypi-", 40), Shape("glsa_", 30), Shape("hvs.", 24), Shape("lin_api_", 30),
    ]
    private static let firstBytes = Set(shapes.map { $0.start[0] })

    /// Returns the positions of the credentials in a text without white space.
    static func ranges(in text: String.UTF8View.SubSequence) -> [Range<String.Index>] {
        var ranges: [Range<String.Index>] = []
        var position = text.startIndex
        var isStart = true
        while position < text.endIndex {
            let rest = text[position...]
            let byte = text[position]
            if byte == UInt8(ascii: "e"), rest.starts(with: "eyJ".utf8) {
                // A JSON Web Token (RFC 7519): several parts in base64url, of which the first is a JSON object.
                let token = rest.prefix { isPart($0) || $0 == UInt8(ascii: "=") }
                if token.count >= 16, token.contains(UInt8(ascii: ".")) {
                    ranges.append(token.startIndex..<token.endIndex)
                }
                position = token.endIndex
                continue
            }
            if isStart, firstBytes.contains(byte),
                let shape = shapes.first(where: { rest.starts(with: $0.start) })
            {
                let token = rest.prefix(while: isPart)
                if token.count >= shape.count, token.contains(where: \.isASCIIDigit) {
                    ranges.append(token.startIndex..<token.endIndex)
                }
                position = token.endIndex
                continue
            }
            isStart = !isPart(byte) || byte == UInt8(ascii: ".")
            position = text.index(after: position)
        }
        return ranges
    }

    private static func isPart(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || "-_.".utf8.contains(byte)
    }

    static func isBase64(_ byte: UInt8) -> Bool {
        isPart(byte) && byte != UInt8(ascii: ".") || "+/=".utf8.contains(byte)
    }

    /// Returns the text that `text` is in base64 or base64url, or `nil` if it is something else.
    static func decoded(base64 text: Substring) -> String? {
        guard text.utf8.count >= 12, let data = data(base64: text),
            let decoded = String(validating: data, as: UTF8.self),
            !decoded.utf8.contains(where: { $0 < 0x09 })
        else { return nil }
        return decoded
    }

    /// Returns the data that `text` is in base64 or base64url.
    static func data(base64 text: Substring) -> Data? {
        text.utf8.allSatisfy(isBase64) ? Data(anyBase64: text) : nil
    }
}
