import Foundation

/// The columns that were added to delimited values after their first rows had been written.
struct Widening {
    let header: [UInt8]
    /// The rows with fewer columns, from the first one.
    let rows: [(count: Int, columns: Int)]
    let columns: Int
    let format: CellWriter.Format

    /// Copies the bytes of a file with another header, and with empty cells at the end of the rows that have fewer columns.
    func copy(_ bytes: UnsafeRawBufferPointer, to target: Int32) throws {
        let lineBreak = Array((format == .csv ? "\r\n" : "\n").utf8)
        var output = Output(descriptor: target)
        try output.append(header)
        var start = endOfRow(in: bytes, from: 0)
        for (count, columns) in rows {
            for _ in 0..<count {
                let end = endOfRow(in: bytes, from: start)
                guard end - lineBreak.count >= start else { throw OutputError.failed(EIO) }
                try output.append(UnsafeRawBufferPointer(rebasing: bytes[start..<end - lineBreak.count]))
                for _ in columns..<self.columns { try output.append(format.separator) }
                try output.append(lineBreak)
                start = end
            }
        }
        try output.append(UnsafeRawBufferPointer(rebasing: bytes[start...]))
        try output.flush()
    }

    /// Returns the index after the row that starts at an index.
    private func endOfRow(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var isQuoted = false
        let end = bytes[start...].firstIndex { byte in
            if byte == UInt8(ascii: "\""), format == .csv { isQuoted.toggle() }
            return byte == UInt8(ascii: "\n") && !isQuoted
        }
        return end.map { $0 + 1 } ?? bytes.count
    }
}
