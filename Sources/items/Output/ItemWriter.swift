/// Prints items in one form.
protocol ItemWriter {
    /// Prints one item, given as valid JSON without white space around it.
    mutating func write(_ item: RawSpan, to output: inout Output) throws(OutputFailure)

    /// Prints one item that is known to be a string of printable ASCII without escapes.
    mutating func write(plain item: RawSpan, to output: inout Output) throws(OutputFailure)

    /// Prints what stands behind the last item of a complete list; not called for one that is not.
    mutating func end(_ output: inout Output) throws(OutputFailure)

    /// Leaves a list that is not complete: prints what was held back, and ends the line.
    mutating func abandon(_ output: inout Output) throws(OutputFailure)

    /// What to say in the end about what was not printed.
    var remarks: [Remark] { get }
}

extension ItemWriter {
    mutating func write(plain item: RawSpan, to output: inout Output) throws(OutputFailure) {
        try write(item, to: &output)
    }

    mutating func end(_ output: inout Output) throws(OutputFailure) {}

    mutating func abandon(_ output: inout Output) throws(OutputFailure) {}

    var remarks: [Remark] { [] }
}
