extension Redaction {
    /// JSON text with the values of secret-looking members masked, all else as it is written.
    ///
    /// Text that is not JSON comes back as it is, as far as it has no such members.
    package static func json(_ text: String) -> String {
        var scan = JSONScan(bytes: Array(text.utf8))
        scan.run()
        return String(decoding: scan.masked, as: UTF8.self)
    }

    /// The same for JSON that will be read again: every value stays of its kind, and what only might be a secret, such
    /// as a `code` or a `key`, is masked where it also looks like one.
    ///
    /// - Parameter found: Told each text that is masked.
    package static func readableJSON(_ text: String, found: (String) -> Void) -> String {
        var scan = JSONScan(bytes: Array(text.utf8), keepsShape: true)
        scan.run()
        scan.found.forEach(found)
        return String(decoding: scan.masked, as: UTF8.self)
    }

    private struct JSONScan {
        let bytes: [UInt8]
        /// Whether only texts and numbers are masked, and stay texts and numbers.
        let keepsShape: Bool
        var masked: [UInt8] = []
        var found: [String] = []
        private var position = 0

        init(bytes: [UInt8], keepsShape: Bool = false) {
            self.bytes = bytes
            self.keepsShape = keepsShape
        }

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
                guard let value = startOfValue(behind: position) else { continue }
                let name = text(string)
                guard Redaction.isSecret(name) else { continue }
                masked += bytes[position..<value]
                position = value
                if keepsShape {
                    maskTexts(of: name)
                } else {
                    masked += "\"\(Redaction.mask)\"".utf8
                    position = endOfValue(from: value)
                }
            }
        }

        /// Masks the texts of the value that begins here, however deep they stand in it, and a number where a secret
        /// may be one.
        private mutating func maskTexts(of name: String) {
            let mayBeOther = Redaction.mayBeOther(name)
            // What is in a list or an object has names of its own, which say more than this one.
            if mayBeOther, position < bytes.count, bytes[position] != UInt8(ascii: "\"") { return }
            let end = endOfValue(from: position)
            if position < end, bytes[position] == UInt8(ascii: "-") || (48...57).contains(bytes[position]) {
                masked += Redaction.mayBeNumber(name) ? Array("0".utf8) : Array(bytes[position..<end])
                position = end
                return
            }
            while position < end {
                guard bytes[position] == UInt8(ascii: "\"") else {
                    masked.append(bytes[position])
                    position += 1
                    continue
                }
                let string = position..<min(endOfString(from: position), end)
                position = string.upperBound
                let text = text(string)
                if startOfValue(behind: position) != nil || mayBeOther && !Redaction.looksSecret(text) {
                    masked += bytes[string]
                } else {
                    masked += "\"\(Redaction.mask)\"".utf8
                    found.append(text)
                }
            }
        }

        /// What a string says.
        private func text(_ string: Range<Int>) -> String {
            var bytes = bytes[string].dropFirst()
            if bytes.last == UInt8(ascii: "\"") { bytes = bytes.dropLast() }
            let written = String(decoding: bytes, as: UTF8.self)
            return written.contains("\\") ? unescaped(written) : written
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
