extension HTTPHeaders: CustomStringConvertible, CustomReflectable {
    /// One line `Name: value` for each field, with secrets masked.
    public var description: String { maskedLines.joined(separator: "\n") }

    /// A mirror with the lines of `description`, so that `dump` does not show secrets.
    public var customMirror: Mirror {
        Mirror(self, unlabeledChildren: maskedLines, displayStyle: .collection)
    }

    private var maskedLines: [String] {
        map { "\($0.name): \(Redaction.value($0.value, of: $0.name))" }
    }
}

extension QueryItems: CustomStringConvertible, CustomReflectable {
    /// The percent-encoded items, with the values of secret names masked.
    public var description: String { String(Redaction.text(ofURL: "?\(percentEncoded)").dropFirst()) }

    /// A mirror with `description`, so that `dump` does not show secrets.
    public var customMirror: Mirror { Mirror(self, children: ["items": description]) }
}
