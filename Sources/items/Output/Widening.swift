import Foundation

/// The columns that were added to delimited values after their first rows had been written.
struct Widening {
    /// The header with all columns, and its line break.
    let header: [UInt8]
    /// The rows with fewer columns, from the first one.
    let rows: [(count: Int, columns: Int)]
    /// The number of all columns.
    let columns: Int
    let format: CellWriter.Format

    /// Copies a file with another header, and with empty cells at the end of the rows that have fewer columns.
    func copy(from source: Int32, to target: Int32) throws {
        var output = Output(descriptor: target)
        try header.withUnsafeBytes { try output.append($0) }
        var buffer = [UInt8](repeating: 0, count: 256 << 10)
        var (offset, row, group) = (off_t(0), 0, 0)
        var (isHeader, isQuoted) = (true, false)
        while group < rows.count || isHeader {
            let count = pread(source, &buffer, buffer.count, offset)
            guard count > 0 else { throw OutputError.failed(count < 0 ? errno : EIO) }
            var start = 0
            for index in 0..<count {
                let byte = buffer[index]
                if byte == UInt8(ascii: "\""), format == .csv { isQuoted.toggle() }
                guard byte == UInt8(ascii: "\n"), !isQuoted else { continue }
                defer { start = index + 1 }
                if isHeader {
                    isHeader = false
                    continue
                }
                // The line break of CSV has two bytes, of which the first can be in the chunk before.
                let end = format == .csv ? max(start, index - 1) : index
                if start < end { try output.append(bytes: buffer[start..<end]) }
                for _ in rows[group].columns..<columns { try output.append(format.separator) }
                try output.append(format == .csv ? "\r\n" : "\n")
                row += 1
                if row == rows[group].count { (row, group) = (0, group + 1) }
                if group == rows.count {
                    offset += off_t(index + 1)
                    return try copyRest(from: source, at: offset, &buffer, to: &output)
                }
            }
            // A carriage return at the end belongs to the line break in the next chunk.
            let end = buffer[count - 1] == UInt8(ascii: "\r") && !isQuoted ? count - 1 : count
            if !isHeader, start < end { try output.append(bytes: buffer[start..<end]) }
            offset += off_t(count)
        }
        try copyRest(from: source, at: offset, &buffer, to: &output)
    }

    private func copyRest(
        from source: Int32, at start: off_t, _ buffer: inout [UInt8], to output: inout Output
    ) throws {
        var offset = start
        while true {
            let count = pread(source, &buffer, buffer.count, offset)
            if count < 0 { throw OutputError.failed(errno) }
            if count == 0 { return try output.flush() }
            try output.append(bytes: buffer[..<count])
            offset += off_t(count)
        }
    }
}

extension Output {
    fileprivate mutating func append(bytes: ArraySlice<UInt8>) throws(OutputError) {
        try bytes.span.bytes.withUnsafeBytes { (bytes) throws(OutputError) in try append(bytes) }
    }
}
