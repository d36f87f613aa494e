import Foundation

/// A program that compresses files.
enum Compression: String {
    case gzip, zstd, bzip2, xz, brotli

    /// The program that has compressed data with this start, if it has first bytes of its own.
    init?(of start: some Collection<UInt8>) {
        guard let found = Self.marks.first(where: { start.starts(with: $0.1) }) else { return nil }
        self = found.0
    }

    /// The program that has compressed data with this start, in which bytes that are not UTF-8 were replaced.
    init?(ofText start: String) {
        let marks = Self.marks.map { ($0.0, String(decoding: $0.1, as: UTF8.self).utf8) }
        guard let found = marks.first(where: { start.utf8.starts(with: $0.1) }) else { return nil }
        self = found.0
    }

    private static let marks: [(Self, [UInt8])] = [
        (.gzip, [0x1F, 0x8B]), (.zstd, [0x28, 0xB5, 0x2F, 0xFD]), (.bzip2, Array("BZh".utf8)),
        (.xz, [0xFD, 0x37, 0x7A, 0x58, 0x5A]),
    ]

    /// The program that the name of a file stands for.
    init?(ofFile path: String) {
        let names = ["gz": Self.gzip, "zst": .zstd, "bz2": .bzip2, "xz": .xz, "br": .brotli]
        guard let found = names[URL(filePath: path).pathExtension.lowercased()] else { return nil }
        self = found
    }
}
