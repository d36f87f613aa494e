import RESTClient

/// A slow, recursive reader of a whole document, to compare the scanner with.
struct ReferenceReader {
    /// The result that must be equal, without the messages.
    struct Opinion: Equatable {
        var elements: [String] = []
        var envelope: String?
        var failure: String?
        var offset: Int64?
    }

    private struct Stop: Error {
        let failure: String
        let offset: Int
    }

    private let bytes: [UInt8]
    private let path: MemberPath
    private let maxItemBytes: Int
    private let maxDepth: Int
    private var index = 0
    private var root = 0
    private var elements: [String] = []
    /// Other lists, and whether they begin with an object.
    private var otherLists: [(path: MemberPath, hasObjects: Bool)] = []
    private var lists: [MemberPath] {
        (otherLists.filter(\.hasObjects) + otherLists.filter { !$0.hasObjects }).map(\.path)
    }
    private var wrongShape: (text: String, offset: Int)?
    /// The members next to each name of the path, as written.
    private var members: [[String]]

    static func opinion(
        on bytes: [UInt8], at path: MemberPath, maxItemBytes: Int = 16 << 20, maxDepth: Int = 512
    ) -> Opinion {
        var reader = Self(bytes, path, maxItemBytes, maxDepth)
        return reader.read()
    }

    private init(_ bytes: [UInt8], _ path: MemberPath, _ maxItemBytes: Int, _ maxDepth: Int) {
        self.bytes = bytes
        self.path = path
        self.maxItemBytes = maxItemBytes
        self.maxDepth = maxDepth
        members = Array(repeating: [], count: max(1, path.names.count))
    }

    private mutating func read() -> Opinion {
        do {
            try readDocument()
            if let wrongShape {
                return Opinion(
                    elements: elements, failure: "\(wrongShape.text) lists \(lists)",
                    offset: Int64(wrongShape.offset))
            }
            return Opinion(elements: elements, envelope: envelope)
        } catch let stop as Stop {
            var (failure, offset) = (stop.failure, stop.offset)
            let isBareWord = root < bytes.count && "-0123456789tfn".utf8.contains(bytes[root])
            if failure == "malformed", isBareWord { (failure, offset) = ("not JSON", root) }
            if failure == "not JSON" || failure == "malformed", offset < 4, isWide { failure = "malformed" }
            return Opinion(elements: elements, failure: failure, offset: Int64(offset))
        } catch {
            preconditionFailure("nothing else is thrown: \(error)")
        }
    }

    private var isWide: Bool {
        guard bytes.count >= 2 else { return false }
        let first = bytes.prefix(4)
        if first.starts(with: [0xFE, 0xFF]) || first.starts(with: [0xFF, 0xFE]) { return true }
        if first[0] == 0 { return first[1] != 0 || bytes.count >= 4 }
        return first[1] == 0
    }

    private var envelope: String {
        var text = ""
        for (level, members) in members.enumerated() {
            if level > 0 {
                if !self.members[level - 1].isEmpty { text += "," }
                text += "\"\(path.names[level - 1])\":"
            }
            text += "{" + members.joined(separator: ",")
        }
        return text + String(repeating: "}", count: members.count)
    }

    // MARK: The document

    private mutating func readDocument() throws {
        let mark: [UInt8] = bytes.first == 0xEF ? [0xEF, 0xBB, 0xBF] : []
        for byte in mark {
            guard index < bytes.count else { throw Stop(failure: "incomplete", offset: index) }
            guard bytes[index] == byte else { throw Stop(failure: "not JSON", offset: index) }
            index += 1
        }
        skipBlanks()
        guard index < bytes.count else { throw Stop(failure: "not JSON", offset: index) }
        root = index
        guard kind(of: bytes[index]) != nil else { throw Stop(failure: "not JSON", offset: index) }
        try readValue(way: path.names[...], depth: 0)
        skipBlanks()
        if index < bytes.count { throw Stop(failure: "malformed", offset: index) }
    }

    /// Reads a value. `way` contains the names that are still to be found, or is `nil` for a value next to the path.
    private mutating func readValue(way: ArraySlice<String>?, place: MemberPath? = .root, depth: Int) throws {
        skipBlanks()
        let byte = try peek()
        if let kind = kind(of: byte), let way {
            let isLast = way.isEmpty
            if !(isLast ? byte == UInt8(ascii: "[") : byte == UInt8(ascii: "{")) {
                let isRoot = way.count == path.names.count
                let place =
                    isRoot ? path : MemberPath(names: Array(path.names.prefix(path.names.count - way.count)))
                let expected = isLast || isRoot ? "a list" : "an object"
                let found = isRoot && kind == "a list" ? "a list as the whole document" : kind
                wrongShape = ("\(expected) at \(place), found \(found)", index)
            }
        }
        switch byte {
        case UInt8(ascii: "{"): try readObject(way: way, place: place, depth: depth + 1)
        case UInt8(ascii: "["): try readArray(way: way, place: place, depth: depth + 1)
        case UInt8(ascii: "\""): _ = try readString()
        case UInt8(ascii: "t"): try readLiteral("true")
        case UInt8(ascii: "f"): try readLiteral("false")
        case UInt8(ascii: "n"): try readLiteral("null")
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try readNumber()
        default: throw Stop(failure: "malformed", offset: index)
        }
    }

    private mutating func readObject(way: ArraySlice<String>?, place: MemberPath?, depth: Int) throws {
        guard depth <= maxDepth else { throw Stop(failure: "too deep", offset: index) }
        index += 1
        skipBlanks()
        var keys: [String] = []
        var isFound = false
        var isFirst = true
        while try isFirst ? peek() != UInt8(ascii: "}") : true {
            skipBlanks()
            guard try peek() == UInt8(ascii: "\"") else { throw Stop(failure: "malformed", offset: index) }
            let keyStart = index
            let key = try readString()
            keys.append(key)
            let isOnWay = way?.first.map { Array($0.utf8) == Array(key.utf8) } ?? false
            if isOnWay, isFound { throw Stop(failure: "malformed", offset: index - 1) }
            skipBlanks()
            try take(UInt8(ascii: ":"))
            skipBlanks()
            let valuePlace = place.map { MemberPath(names: $0.names + [key]) }
            if isOnWay {
                isFound = true
                try readValue(way: way?.dropFirst(), place: valuePlace, depth: depth)
            } else {
                try readValue(way: nil, place: valuePlace, depth: depth)
                if way != nil, !path.names.isEmpty, let level = place?.names.count, level < members.count {
                    members[level].append(String(decoding: bytes[keyStart..<index], as: UTF8.self))
                }
            }
            isFirst = false
            skipBlanks()
            if try peek() == UInt8(ascii: "}") { break }
            try take(UInt8(ascii: ","))
        }
        if let way, !way.isEmpty, !isFound, wrongShape == nil {
            let found = keys.isEmpty ? "an empty object" : keys.joined(separator: ", ")
            wrongShape = ("a list at \(path), found \(found)\(keys.isEmpty ? "" : " keys \(keys)")", index)
        }
        index += 1
    }

    private mutating func readArray(way: ArraySlice<String>?, place: MemberPath?, depth: Int) throws {
        guard depth <= maxDepth else { throw Stop(failure: "too deep", offset: index) }
        let isTheList = way?.isEmpty ?? false
        let isOther = !isTheList && place.map { isNearWay($0) } ?? false
        if isOther, let place { otherLists.append((place, false)) }
        index += 1
        skipBlanks()
        if isOther, !otherLists.isEmpty, index < bytes.count, bytes[index] == UInt8(ascii: "{") {
            otherLists[otherLists.count - 1].hasObjects = true
        }
        var isFirst = true
        while try isFirst ? peek() != UInt8(ascii: "]") : true {
            skipBlanks()
            let start = index
            do {
                try readValue(way: nil, place: nil, depth: depth)
            } catch let stop as Stop {
                if isTheList, stop.offset - start > maxItemBytes {
                    throw Stop(failure: "too large", offset: start + maxItemBytes)
                }
                throw stop
            }
            if isTheList {
                if index - start > maxItemBytes {
                    throw Stop(failure: "too large", offset: start + maxItemBytes)
                }
                // A number ends at the byte after it.
                if index == bytes.count, isDigit(bytes[index - 1]) {
                    throw Stop(failure: "incomplete", offset: index)
                }
                elements.append(String(decoding: bytes[start..<index], as: UTF8.self))
            }
            isFirst = false
            skipBlanks()
            if try peek() == UInt8(ascii: "]") { break }
            try take(UInt8(ascii: ","))
        }
        index += 1
    }

    /// Returns `true` if a list at `place` is suggested: on the path, or at most two names next to it.
    private func isNearWay(_ place: MemberPath) -> Bool {
        let common = zip(place.names, path.names).prefix { $0 == $1 }.count
        let limit = common == path.names.count && common > 0 ? common + 1 : common + 2
        return place.names.count <= limit
    }

    // MARK: Scalars

    private mutating func readLiteral(_ literal: String) throws {
        for byte in literal.utf8 { try take(byte) }
    }

    private mutating func readNumber() throws {
        if try peek() == UInt8(ascii: "-") { index += 1 }
        if try peek() == UInt8(ascii: "0") {
            index += 1
            if index < bytes.count, isDigit(bytes[index]) { throw Stop(failure: "malformed", offset: index) }
        } else {
            try readDigits()
        }
        if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
            index += 1
            try readDigits()
        }
        if index < bytes.count, bytes[index] | 0x20 == UInt8(ascii: "e") {
            index += 1
            if try [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(peek()) { index += 1 }
            try readDigits()
        }
    }

    private mutating func readDigits() throws {
        guard isDigit(try peek()) else { throw Stop(failure: "malformed", offset: index) }
        while index < bytes.count, isDigit(bytes[index]) { index += 1 }
    }

    private mutating func readString() throws -> String {
        var scalars = String.UnicodeScalarView()
        index += 1
        while true {
            let byte = try peek()
            switch byte {
            case UInt8(ascii: "\""):
                index += 1
                return String(scalars)
            case UInt8(ascii: "\\"):
                index += 1
                scalars.append(try readEscape())
            case ..<0x20: throw Stop(failure: "malformed", offset: index)
            default: scalars.append(try readScalar())
            }
        }
    }

    private mutating func readEscape() throws -> Unicode.Scalar {
        let byte = try peek()
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            let unit = try readHexDigits()
            if let scalar = Unicode.Scalar(unit) { return scalar }
            guard unit < 0xDC00 else { throw Stop(failure: "malformed", offset: index - 1) }
            try take(UInt8(ascii: "\\"))
            try take(UInt8(ascii: "u"))
            let low = try readHexDigits()
            guard 0xDC00...0xDFFF ~= low,
                let scalar = Unicode.Scalar((unit - 0xD800) * 0x400 + low - 0xDC00 + 0x10000)
            else { throw Stop(failure: "malformed", offset: index - 1) }
            return scalar
        default: throw Stop(failure: "malformed", offset: index - 1)
        }
    }

    private mutating func readHexDigits() throws -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = Character(Unicode.Scalar(try peek())).hexDigitValue, bytes[index] < 0x80 else {
                throw Stop(failure: "malformed", offset: index)
            }
            unit = unit * 16 + UInt32(digit)
            index += 1
        }
        return unit
    }

    /// Reads a scalar by the definition of UTF-8: the bits, then the excluded values.
    private mutating func readScalar() throws -> Unicode.Scalar {
        let first = try peek()
        let length = [0xC0: 2, 0xE0: 3].first { first & ($0.key == 0xC0 ? 0xE0 : 0xF0) == $0.key }?.value
        let count = first < 0x80 ? 1 : length ?? (first & 0xF8 == 0xF0 ? 4 : 0)
        if count == 0 { throw Stop(failure: "malformed", offset: index) }
        if count == 1 {
            index += 1
            return Unicode.Scalar(first)
        }
        var value = UInt32(first) & (0x7F >> UInt32(count))
        // This is not a first byte.
        if value == 0 && count == 2 || first == 0xC1 || value > 4 && count == 4 {
            throw Stop(failure: "malformed", offset: index)
        }
        index += 1
        for position in 1..<count {
            let byte = try peek()
            value = value << 6 | UInt32(byte & 0x3F)
            let rest = UInt32(6 * (count - 1 - position))
            let least: UInt32 = [2: 0x80, 3: 0x800, 4: 0x10000][count] ?? 0
            let (low, high) = (value << rest, value << rest | (1 << rest - 1))
            let isPossible = high >= least && low <= 0x10FFFF && !(low >= 0xD800 && high <= 0xDFFF)
            guard byte & 0xC0 == 0x80, isPossible else { throw Stop(failure: "malformed", offset: index) }
            index += 1
        }
        guard let scalar = Unicode.Scalar(value) else { throw Stop(failure: "malformed", offset: index - 1) }
        return scalar
    }

    // MARK: Bytes

    private func peek() throws -> UInt8 {
        guard index < bytes.count else { throw Stop(failure: "incomplete", offset: index) }
        return bytes[index]
    }

    private mutating func take(_ byte: UInt8) throws {
        guard try peek() == byte else { throw Stop(failure: "malformed", offset: index) }
        index += 1
    }

    private mutating func skipBlanks() {
        while index < bytes.count, " \n\r\t".utf8.contains(bytes[index]) { index += 1 }
    }

    private func isDigit(_ byte: UInt8) -> Bool { "0123456789".utf8.contains(byte) }

    private func kind(of byte: UInt8) -> String? {
        switch Character(Unicode.Scalar(byte)) {
        case "{": "an object"
        case "[": "a list"
        case "\"": "a string"
        case "t", "f": "a boolean"
        case "n": "null"
        case "-", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9": "a number"
        default: nil
        }
    }
}
