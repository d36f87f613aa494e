/// Where bytes go: the output, or memory, for what has to be measured first.
protocol ByteSink: ~Copyable {
    mutating func append(_ bytes: UnsafeRawBufferPointer) throws(OutputFailure)
    mutating func append(_ byte: UInt8) throws(OutputFailure)
}

extension Output: ByteSink {}

extension [UInt8]: ByteSink {
    mutating func append(_ bytes: UnsafeRawBufferPointer) { append(contentsOf: bytes) }
}
