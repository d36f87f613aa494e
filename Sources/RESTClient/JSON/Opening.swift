/// The first bytes of a document, kept to say what a text is that is no JSON.
struct Opening {
    private static let characters = 40
    /// Enough for so many characters of UTF-8.
    private static let bytes = 160

    /// The first four bytes as they came, which tell the encoding.
    private var first: [UInt8] = []
    /// The first bytes from the first that is no white space.
    private var text: [UInt8] = []

    var isFull: Bool { text.count == Self.bytes }

    mutating func add(_ bytes: RawSpan) {
        guard !isFull else { return }
        let missing = min(4 - first.count, bytes.byteCount)
        if missing > 0 { first.append(bytes.extracting(0..<missing)) }
        let start = text.isEmpty ? bytes.endOfBlanks(from: 0) : 0
        text.append(bytes.extracting(start..<min(bytes.byteCount, start + Self.bytes - text.count)))
    }

    /// Whether the text may be something else than JSON with this failure in it; `settle(_:)` says so in the end.
    func casts(doubtOn failure: ListScanner.Failure) -> Bool {
        switch failure.reason {
        case .notJSON: true
        case .malformed: first.contains(0)
        default: false
        }
    }

    /// `failure`, better told by what is here of the text.
    func settle(_ failure: ListScanner.Failure) -> ListScanner.Failure {
        var failure = failure
        if let encoding {
            failure.reason = .malformed(.encoding(encoding))
        } else if case .notJSON = failure.reason {
            failure.reason = .notJSON(found: found)
        }
        return failure
    }

    private var found: String {
        let hasMark = text.starts(with: [0xEF, 0xBB, 0xBF])
        let rest = text.dropFirst(hasMark ? 3 : 0).drop(while: Byte.isBlank)
        return String(String(decoding: rest, as: UTF8.self).prefix(Self.characters))
    }

    /// The encoding, where it is one of 16 or 32 bits: by its byte order mark, else by where the zeros of its first
    /// ASCII characters are.
    private var encoding: String? {
        guard first.count >= 2 else { return nil }
        let (a, b) = (first[0], first[1])
        let isWide = first.count == 4
        switch (a, b) {
        case (0xFF, 0xFE): return isWide && first[2] == 0 && first[3] == 0 ? "UTF-32LE" : "UTF-16LE"
        case (0xFE, 0xFF): return "UTF-16BE"
        case (0, 0): return isWide ? "UTF-32BE" : nil
        case (0, _): return "UTF-16BE"
        case (_, 0): return isWide && first[2] == 0 && first[3] == 0 ? "UTF-32LE" : "UTF-16LE"
        default: return nil
        }
    }
}
