extension Redaction {
    /// JSON text with the values of secret-looking members masked, all else as it is written.
    ///
    /// Text that is not JSON comes back as it is, as far as it has no such members.
    package static func json(_ text: String) -> String {
        var scan = JSONScan(bytes: Array(text.utf8))
        scan.run()
        return String(decoding: scan.masked, as: UTF8.self)
    }

    private struct JSONScan {
        let bytes: [UInt8]
        var masked: [UInt8] = []
        private var position = 0

        init(bytes: [UInt8]) { self.bytes = bytes }

        mutating func run() {
            while position < bytes.count {
                guard bytes[position] == UInt8(ascii: "\"") else {
                    masked.append(bytes[position])
                    position += 1
                    continue
                }
                let string = position..<endOfString(from: position)
                masked += bytes[string]
                position = string.upperBound
                guard let value = startOfValue(behind: position), isSecretName(string) else { continue }
                masked += bytes[position..<value]
                masked += "\"\(Redaction.mask)\"".utf8
                position = endOfValue(from: value)
            }
        }

        private func isSecretName(_ string: Range<Int>) -> Bool {
            let written = String(decoding: bytes[string], as: UTF8.self)
            return Redaction.isSecret(written.contains("\\") ? unescaped(written) : written)
        }

        private func unescaped(_ literal: String) -> String {
            var plain = ""
            var rest = literal[...]
            while let character = rest.popFirst() {
                guard character == "\\", let kind = rest.popFirst() else {
                    plain.append(character)
                    continue
                }
                if kind == "u", let scalar = UInt32(rest.prefix(4), radix: 16).flatMap(Unicode.Scalar.init) {
                    plain.unicodeScalars.append(scalar)
                    rest = rest.dropFirst(4)
                } else {
                    plain.append(kind)
                }
            }
            return plain
        }

        /// Where a value begins, if a colon stands in front of it.
        private func startOfValue(behind end: Int) -> Int? {
            let colon = endOfSpace(from: end)
            guard colon < bytes.count, bytes[colon] == UInt8(ascii: ":") else { return nil }
            return endOfSpace(from: colon + 1)
        }

        private func endOfSpace(from start: Int) -> Int {
            bytes[start...].firstIndex { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } ?? bytes.count
        }

        private func endOfString(from start: Int) -> Int {
            var end = start + 1
            while end < bytes.count {
                switch bytes[end] {
                case UInt8(ascii: "\\"): end += 2
                case UInt8(ascii: "\""): return end + 1
                default: end += 1
                }
            }
            return bytes.count
        }

        /// Behind a string, a list, an object with all that is in it, or anything up to the next comma or bracket.
        private func endOfValue(from start: Int) -> Int {
            var end = start
            var depth = 0
            while end < bytes.count {
                switch bytes[end] {
                case UInt8(ascii: "\""): end = endOfString(from: end)
                case UInt8(ascii: "["), UInt8(ascii: "{"):
                    depth += 1
                    end += 1
                case UInt8(ascii: "]"), UInt8(ascii: "}"):
                    if depth == 0 { return end }
                    depth -= 1
                    end += 1
                case UInt8(ascii: ",") where depth == 0: return end
                default:
                    end += 1
                    continue
                }
                if depth == 0 { return end }
            }
            return end
        }
    }
}
