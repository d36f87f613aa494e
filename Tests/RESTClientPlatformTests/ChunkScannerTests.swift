// The engine for Linux, where URLSession is built on libcurl. Apple platforms need none.
#if canImport(FoundationNetworking)
import Foundation
import Testing

@testable import RESTClientPlatform

@Suite struct ChunkScannerTests {
    @Test(arguments: [
        ("3\r\ntea\r\n0\r\n\r\n", 3), ("1\r\nt\r\n2;a=\"b\"\r\nea\r\n0;c\r\n\r\n", 3), ("0\r\n\r\n", 0),
        ("3\ntea\n0\n\n", 3), ("9\r\n0\r\n\r\n3\r\n0\r\n0\r\nX: 1\r\nY: 2\r\n\r\n", 9),
        ("0000000000000003\r\ntea\r\n0\r\n\r\n", 3), ("3\r\ntea\r\n0\r\n\r\nmore\r\n", 3),
        ("", nil), ("3\r\ntea\r\n", nil), ("3\r\ntea\r\n0\r\n", nil), ("3\r\ntea\r\n0\r\nX: 1\r\n", nil),
        ("3\r\nteas\r\n0\r\n\r\n", nil), ("zz\r\n0\r\n\r\n", nil), ("\r\n\r\n0\r\n\r\n", nil),
        ("-3\r\n0\r\n\r\n", nil), ("FFFFFFFFFFFFFFFF\r\n0\r\n\r\n", nil),
        ("00000000000000003\r\ntea\r\n0\r\n\r\n", nil),
    ])
    func `the length of a body is known at its end, and that of an invalid one never`(
        text: String, length: Int64?
    ) {
        let bytes = Array(text.utf8)
        for size in [1, 2, 3, max(bytes.count, 1)] {
            var scanner = ChunkScanner()
            for start in stride(from: 0, to: bytes.count, by: size) {
                bytes[start..<min(start + size, bytes.count)].withUnsafeBytes { scanner.scan($0) }
            }
            #expect(scanner.length == length, "in parts of \(size)")
        }
    }
}
#endif
