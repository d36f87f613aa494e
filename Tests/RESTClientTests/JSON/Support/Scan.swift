import RESTClient

/// The result of scanning a document, for comparisons.
struct Scan: Equatable {
    var elements: [String] = []
    var envelope: String?
    var failure: ListScanner.Failure?

    /// Scans `text` in chunks of a size.
    init(
        _ text: String, at path: MemberPath = "items", pieces size: Int = .max,
        maxItemBytes: Int = 16 << 20, maxDepth: Int = 512
    ) {
        self.init(
            Array(text.utf8), at: path,
            cuts: size == .max ? [] : Array(stride(from: size, to: text.utf8.count, by: size)),
            maxItemBytes: maxItemBytes, maxDepth: maxDepth)
    }

    /// Scans `bytes` in the chunks between `cuts`, which ascend.
    init(
        _ bytes: [UInt8], at path: MemberPath = "items", cuts: [Int] = [],
        maxItemBytes: Int = 16 << 20, maxDepth: Int = 512
    ) {
        var scanner = ListScanner(at: path, maxItemBytes: maxItemBytes, maxDepth: maxDepth)
        do {
            var start = 0
            for end in cuts + [bytes.count] {
                // A separate copy, so that the address sanitizer detects reads outside of it.
                let piece = Array(bytes[start..<end])
                try scanner.scan(ArraySlice(piece).span.bytes) { element in
                    elements.append(element.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
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

    var reason: ListScanner.Failure.Reason? { failure?.reason }
}
