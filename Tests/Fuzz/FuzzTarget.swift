import Foundation

/// Something that reads what strangers write, and what must be true of whatever it makes of it.
///
/// A trap, a memory error, a hang and a broken expectation are findings.
struct FuzzTarget: Sendable {
    let name: String
    let test: @Sendable (_ input: [UInt8]) -> Void

    static let all = [
        scanner, link, retryAfter, multipart, requests, har, options, urls, netrc, text, pages,
    ]

    /// The one that the environment names.
    static let chosen: Self = {
        let name = ProcessInfo.processInfo.environment["FUZZ_TARGET"] ?? ""
        guard let target = all.first(where: { $0.name == name }) else {
            fatalError("FUZZ_TARGET is one of \(all.map(\.name).joined(separator: ", "))")
        }
        return target
    }()
}

/// Ends the run with a finding unless `condition` holds.
func expect(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { fatalError(message()) }
}

/// What libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    FuzzTarget.chosen.test(Array(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
}

extension [UInt8] {
    /// The whole as text.
    var text: String { String(decoding: self, as: UTF8.self) }

    /// Cuts that the first bytes choose, and the rest.
    func inPieces() -> (whole: ArraySlice<UInt8>, pieces: [ArraySlice<UInt8>]) {
        guard let size = first.map({ Int($0) % 7 + 1 }) else { return ([], []) }
        let whole = dropFirst()
        return (
            whole,
            stride(from: whole.startIndex, to: whole.endIndex, by: size).map {
                whole[$0..<Swift.min($0 + size, whole.endIndex)]
            }
        )
    }
}
