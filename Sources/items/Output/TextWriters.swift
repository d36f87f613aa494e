import RESTClient

/// One item per line, or items that another byte ends.
struct LineWriter: ItemWriter {
    let usedParts = ElementMembers.Parts.text
    private let terminator: UInt8
    private let form: TextForm
    private var line: [UInt8] = []

    init(terminator: UInt8 = UInt8(ascii: "\n"), form: TextForm = .displayed) {
        (self.terminator, self.form) = (terminator, form)
    }

    @inline(__always) mutating func write(
        _ item: RawSpan, _ traits: ElementTraits, _ members: inout ElementMembers, to output: inout Output
    ) throws {
        try item.withUnsafeBytes { bytes in
            let isString = bytes.first == UInt8(ascii: "\"")
            if traits.contains(.plain) {
                let text = isString ? UnsafeRawBufferPointer(rebasing: bytes[1..<bytes.count - 1]) : bytes
                return try output.append(text, terminator)
            }
            let isKnown: Void? = try members.withText(of: item) { text in
                if form == .exact { return try output.append(exact: text, terminator) }
                guard form.quotes(text, traits) else { return try output.append(text, terminator) }
                try output.append(quoting: text)
                try output.append(terminator)
            }
            guard isKnown == nil else { return }
            if isString, form == .exact {
                let text = ListScanner.utf8(of: item) ?? []
                return try text.withUnsafeBytes { try output.append(exact: $0, terminator) }
            }
            if isString {
                try output.append(value: item, form, traits)
            } else {
                try output.append(json: item, traits, using: &line)
            }
            try output.append(terminator)
        }
    }
}

extension Output {
    /// Adds the text of an item and the null byte that ends it.
    mutating func append(exact text: UnsafeRawBufferPointer, _ terminator: UInt8) throws {
        guard !text.contains(terminator) else {
            let start = String(decoding: text, as: UTF8.self).quoted()
            throw CommandError(
                .outputFailed, "an item contains a null byte, which ends each item: \(start)",
                hint: "use --jsonl, which escapes it")
        }
        try append(text, terminator)
    }
}

struct CountWriter: ItemWriter {
    let usedParts = ElementMembers.Parts.none
    private var count = 0

    mutating func write(
        _ item: RawSpan, _ traits: ElementTraits, _ members: inout ElementMembers, to output: inout Output
    ) throws(OutputError) { count += 1 }

    mutating func finish(_ output: inout Output, isComplete: Bool) throws(OutputError) {
        if isComplete { try output.append("\(count)\n") }
    }
}
