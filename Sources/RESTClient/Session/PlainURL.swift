import Foundation

extension URL {
    /// Whether it is as nearly all are, so that there is nothing to refuse or to change: `http` or `https`, a host of
    /// letters, digits, dots and hyphens, perhaps a port, and no fragment.
    ///
    /// To take a URL apart with `URLComponents` is most of what it costs to check a small request.
    var isPlain: Bool {
        guard baseURL == nil else { return false }
        var text = absoluteString
        return text.withUTF8 { Self.isPlain($0[...]) }
    }

    private static func isPlain(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        guard let scheme = ["http://", "https://"].first(where: { text.starts(with: $0.utf8) }) else {
            return false
        }
        let rest = text.dropFirst(scheme.utf8.count)
        let host = rest.prefix { isHostByte($0) }
        guard !host.isEmpty else { return false }
        var path = rest[host.endIndex...]
        if path.first == UInt8(ascii: ":") {
            let port = path.dropFirst().prefix { isDigit($0) }
            let number = port.prefix(6).reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
            guard (1...65_535).contains(number), port.count < 6 else { return false }
            path = path[port.endIndex...]
        }
        return path.isEmpty || path.first == UInt8(ascii: "/") && !path.contains(UInt8(ascii: "#"))
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "."),
            UInt8(ascii: "-"):
            true
        default: isDigit(byte)
        }
    }
}
