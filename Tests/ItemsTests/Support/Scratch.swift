import Foundation
import Testing

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A file without a name, to be written by what is under test and read back.
final class Scratch {
    let handle: FileHandle

    /// A file that holds `text`, to be read from its start.
    init(_ text: String = "") throws {
        var path = Array("\(FileManager.default.temporaryDirectory.path)/items-tests-XXXXXX".utf8CString)
        let descriptor = mkstemp(&path)
        try #require(descriptor >= 0)
        unlink(path)
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try handle.write(contentsOf: Data(text.utf8))
        try handle.seek(toOffset: 0)
    }

    var descriptor: Int32 { handle.fileDescriptor }

    /// All that is in it.
    func text() throws -> String {
        try handle.seek(toOffset: 0)
        return String(decoding: try handle.readToEnd() ?? Data(), as: UTF8.self)
    }
}
