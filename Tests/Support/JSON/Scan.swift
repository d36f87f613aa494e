package import RESTClient

/// The result of scanning a document, for comparisons.
package struct Scan: Equatable {
    package var elements: [String] = []
    package var envelope: String?
    package var failure: ListScanner.Failure?

    /// Scans `text` in chunks of a size.
    package init(
        _ text: String, at path: MemberPath = "items", pieces size: Int = .max,
        maxItemBytes: Int = 16 << 20, maxDepth: Int = 512
    ) {
        self.init(
            Array(text.utf8), at: path,
            cuts: size == .max ? [] : Array(stride(from: size, to: text.utf8.count, by: size)),
            maxItemBytes: maxItemBytes, maxDepth: maxDepth)
    }

    /// Scans `bytes` in the chunks between `cuts`, which ascend, and calls `inspect` with each element and its members.
    ///
    /// Without `inspect`, members are not looked for, which is another way of the scanner.
    package init(
        _ bytes: [UInt8], at path: MemberPath = "items", cuts: [Int] = [],
        maxItemBytes: Int = 16 << 20, maxDepth: Int = 512,
        inspect: ((RawSpan, ElementTraits, inout ElementMembers) -> Void)? = nil
    ) {
        var scanner = ListScanner(at: path, maxItemBytes: maxItemBytes, maxDepth: maxDepth)
        do {
            var start = 0
            for end in cuts + [bytes.count] {
                // A separate copy, so that the address sanitizer detects reads outside of it.
                let piece = Array(bytes[start..<end])
                let chunk = ArraySlice(piece).span.bytes
                func add(_ element: RawSpan) {
                    elements.append(element.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
                }
                if let inspect {
                    try scanner.scanParts(of: chunk) { element, traits, members in
                        add(element)
                        inspect(element, traits, &members)
                    }
                } else {
                    try scanner.scan(chunk, add)
                }
                start = end
            }
            envelope = try scanner.finish().description
        } catch let failure as ListScanner.Failure {
            self.failure = failure
        } catch {
            preconditionFailure("a scanner throws nothing else: \(error)")
        }
    }

    package var reason: ListScanner.Failure.Reason? { failure?.reason }
}
