import Foundation
import RESTClient

extension FuzzTarget {
    private struct Scanned: Equatable {
        var elements: [[UInt8]] = []
        var strings: [String?] = []
        var envelope: String?
        var failure: String?

        init(_ pieces: [ArraySlice<UInt8>], at path: MemberPath) {
            var scanner = ListScanner(at: path, maxItemBytes: 200, maxDepth: 12)
            do {
                for piece in pieces {
                    // A copy, so that the address sanitizer detects reads beyond its end.
                    let piece = Array(piece)
                    try scanner.scan(ArraySlice(piece).span.bytes) { element in
                        elements.append(element.withUnsafeBytes { Array($0) })
                        strings.append(ListScanner.string(element))
                    }
                }
                let envelope = try scanner.finish()
                self.envelope = envelope.description
                _ = envelope.string("next")
                _ = envelope.integer("meta.total")
                _ = envelope.flag("more")
            } catch {
                failure = "\(error)"
            }
        }
    }

    /// Checks that the scanner returns the same for pieces as for the whole, and accepts only valid JSON.
    static let scanner = Self(name: "scanner") { input in
        let (whole, pieces) = input.inPieces()
        let path: MemberPath = (input.first ?? 0) & 0x80 == 0 ? "items" : .root
        let once = Scanned([whole], at: path)
        expect(once == Scanned(pieces, at: path), "pieces have another result than the whole")
        guard once.failure == nil else { return }
        expect(
            (try? JSONSerialization.jsonObject(with: Data(whole), options: .fragmentsAllowed)) != nil
                || whole.contains(UInt8(ascii: "\\")) || whole.contains { $0 >= 0x80 }
                || whole.contains { "0123456789".utf8.contains($0) },
            "accepted, but JSONSerialization rejects it")
        for (element, string) in zip(once.elements, once.strings) {
            expect(
                (string != nil) == (element.first == UInt8(ascii: "\"")),
                "a string for another type, or none for a string")
        }
    }
}
