/// Where bytes go: the output, or memory, for what has to be measured first.
protocol ByteSink: ~Copyable {
    mutating func append(_ bytes: UnsafeRawBufferPointer) throws(OutputFailure)
    mutating func append(_ byte: UInt8) throws(OutputFailure)
}

extension Output: ByteSink {}

extension [UInt8]: ByteSink {
    mutating func append(_ bytes: UnsafeRawBufferPointer) { append(contentsOf: bytes) }
}

extension ByteSink where Self: ~Copyable {
    mutating func append(ascii text: StaticString) throws(OutputFailure) {
        try append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
}
