import Foundation

/// A parser of untrusted input, with the expectations for any input.
///
/// An input fails if it causes a trap, a memory error, a hang or a failed expectation.
struct FuzzTarget: Sendable {
    let name: String
    let test: @Sendable (_ input: [UInt8]) -> Void

    static let all = [
        scanner, link, retryAfter, multipart, requests, har, options, urls, netrc, text, secrets, pages,
        heads,
    ]

    /// The target named in `FUZZ_TARGET`.
    static let selected: Self = {
        let name = ProcessInfo.processInfo.environment["FUZZ_TARGET"] ?? ""
        guard let target = all.first(where: { $0.name == name }) else {
            fatalError("FUZZ_TARGET must be one of \(all.map(\.name).joined(separator: ", "))")
        }
        return target
    }()
}

/// Fails the current input unless `condition` is true.
func expect(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { fatalError(message()) }
}

/// The entry point that libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    FuzzTarget.selected.test(Array(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
}

extension [UInt8] {
    var text: String { String(decoding: self, as: UTF8.self) }

    /// Returns the bytes after the first one, whole and in pieces of the size that the first byte selects.
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
