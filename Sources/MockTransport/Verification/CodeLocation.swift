/// Where in the code something was written: a route, a server.
public struct CodeLocation: Sendable, CustomStringConvertible {
    /// The module and the file, as `#fileID` gives them.
    public let fileID: StaticString
    /// The path of the file, as `#filePath` gives it.
    public let file: StaticString
    /// The line, from 1.
    public let line: UInt
    /// The column, from 1.
    public let column: UInt

    /// The file's name and the line: `ItemsTests.swift:12`.
    public var description: String {
        let name = "\(fileID)".split(separator: "/").last.map(String.init) ?? "\(fileID)"
        return "\(name):\(line)"
    }
}
