package import Foundation

extension Data {
    /// Decodes base64 of both alphabets, with or without padding (RFC 4648, sections 4 and 5).
    package init?(anyBase64 text: some StringProtocol) {
        var bytes = text.utf8.map { byte -> UInt8 in
            switch byte {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: byte
            }
        }
        while bytes.last == UInt8(ascii: "=") { bytes.removeLast() }
        bytes += Array(repeating: UInt8(ascii: "="), count: (4 - bytes.count % 4) % 4)
        self.init(base64Encoded: Data(bytes))
    }
}
