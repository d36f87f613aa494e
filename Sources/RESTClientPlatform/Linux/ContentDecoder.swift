// Part of the engine for Linux, where URLSession is built on libcurl. Apple platforms need none.
#if canImport(FoundationNetworking)
import Foundation
import RESTClientHTTP

/// Decodes the body of a response in steps, by its `Content-Encoding` (RFC 9110, section 8.4).
///
/// The decoders of libcurl are not used: they accept a compressed body that ends early, and decode up to 64 MB for a reader
/// that waits (PLATFORM A32). The libraries are those that libcurl has loaded.
final class ContentDecoder {
    /// The value of `Accept-Encoding`, or `nil` if no library is found.
    static let acceptEncoding: String? = {
        let codings = (Zlib.shared == nil ? [] : ["gzip", "deflate"]) + (Brotli.shared == nil ? [] : ["br"])
        return codings.isEmpty ? nil : codings.joined(separator: ", ")
    }()

    /// More codings of one body are refused, as by libcurl: each can multiply its size by a thousand.
    private static let maxCodings = 5

    private let coding: String
    private let decompressor: any Decompressor
    /// Decodes what this one returns.
    private let next: ContentDecoder?
    private let output = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
    /// The number of bytes in `output` that were not delivered.
    private var pending = 0
    /// The number of bytes that were decoded in a call that returned `false`. The next call skips them.
    private var decodedCount = 0
    private var hasEnded = false
    /// The number of bytes that were decoded.
    private var producedCount = 0
    /// The amount that one coding may decode for each byte of the next, and that of all of them together to begin with.
    private static let maxRatio = 1_000
    private static let maxUnusedBytes = 64 << 20

    private init(_ coding: String, _ decompressor: any Decompressor, next: ContentDecoder?) {
        (self.coding, self.decompressor, self.next) = (coding, decompressor, next)
    }

    deinit { output.deallocate() }

    /// Returns the decoder of a body, or `nil` if it is not encoded.
    static func decoder(for head: ReceivedHead) throws(TransferFailure) -> ContentDecoder? {
        let codings = head.fields.filter { $0.name.lowercased() == "content-encoding" }
            .flatMap { $0.value.split(separator: ",") }
            .map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
            .filter { !["", "identity"].contains($0) }
        guard codings.count <= maxCodings else {
            throw TransferFailure(.cannotDecodeRawData, "the body has more than \(maxCodings) codings")
        }
        // The coding that was applied last is removed first.
        var decoder: ContentDecoder?
        for coding in codings {
            guard let decompressor = decompressor(of: coding) else {
                throw TransferFailure(
                    .cannotDecodeRawData, "the Content-Encoding \(coding.prefix(40)) is not supported")
            }
            decoder = ContentDecoder(coding, decompressor, next: decoder)
        }
        return decoder
    }

    private static func decompressor(of coding: String) -> (any Decompressor)? {
        switch coding {
        case "gzip", "x-gzip", "deflate": Zlib.shared.map { Inflater($0, isGzip: coding != "deflate") }
        case "br": Brotli.shared.flatMap { BrotliDecoder($0) }
        default: nil
        }
    }

    /// Decodes bytes and delivers the result in pieces. Returns `false` if a piece was refused: the call is then repeated
    /// with the same bytes.
    func decode(
        _ bytes: UnsafeRawBufferPointer, deliver: (UnsafeRawBufferPointer) -> Bool
    ) throws(TransferFailure) -> Bool {
        let known = min(decodedCount, bytes.count)
        var input = UnsafeRawBufferPointer(rebasing: bytes[known...])
        let newCount = input.count
        while true {
            if pending > 0 {
                let piece = UnsafeRawBufferPointer(rebasing: output[..<pending])
                let isDelivered =
                    if let next { try next.decode(piece, deliver: deliver) } else { deliver(piece) }
                guard isDelivered else {
                    decodedCount += newCount - input.count
                    return false
                }
            }
            // A full buffer can have been too small.
            let isFull = pending == output.count
            pending = 0
            // Some programs pad a file with zeros.
            if hasEnded { input = Self.withoutZeros(input) }
            guard !input.isEmpty || isFull && !hasEnded else { break }
            guard !hasEnded || decompressor.restart() else { throw failure }
            let remaining = input.count
            let count: Int?
            (count, hasEnded) = decompressor.decompress(&input, into: output)
            guard let count, count > 0 || hasEnded || input.count < remaining || isFull else {
                throw failure
            }
            pending = count
            producedCount += count
            // Several codings multiply, and may decode very much to nothing.
            if let next, producedCount > Self.maxUnusedBytes + Self.maxRatio * next.producedCount {
                throw failure
            }
        }
        decodedCount -= known
        return true
    }

    /// Removes the zeros at the start, of which there can be megabytes.
    private static func withoutZeros(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        if let start = bytes.baseAddress, bytes.first == 0, memcmp(start, start + 1, bytes.count - 1) == 0 {
            return UnsafeRawBufferPointer(rebasing: bytes[bytes.count...])
        }
        return UnsafeRawBufferPointer(rebasing: bytes.drop { $0 == 0 })
    }

    private var failure: TransferFailure {
        TransferFailure(.cannotDecodeRawData, "the body is not valid for its Content-Encoding \(coding)")
    }

    /// Throws an error if the body ended early.
    func finish() throws(TransferFailure) {
        guard hasEnded else {
            throw TransferFailure(
                .cannotDecodeRawData, "the body in the Content-Encoding \(coding) ended early")
        }
        try next?.finish()
    }
}

private protocol Decompressor: AnyObject {
    /// Removes bytes from the input, and writes to the output. Returns the number of bytes that it wrote, which is `nil` if the
    /// input is invalid, and whether the stream has ended.
    func decompress(
        _ input: inout UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) -> (count: Int?, hasEnded: Bool)
    /// Prepares for another stream after the end of the first. Returns `false` if none may follow.
    func restart() -> Bool
}

/// The functions of zlib.
private struct Zlib: Sendable {
    /// `z_stream`. The library keeps its address.
    struct Stream {
        var input: UnsafeRawPointer?
        var inputCount: UInt32 = 0
        var totalInput: UInt = 0
        var output: UnsafeMutableRawPointer?
        var outputCount: UInt32 = 0
        var totalOutput: UInt = 0
        var message: UnsafeRawPointer?
        var state: UnsafeRawPointer?
        var allocation: (UnsafeRawPointer?, UnsafeRawPointer?, UnsafeRawPointer?) = (nil, nil, nil)
        var kind: Int32 = 0
        var checksum: UInt = 0
        var reserved: UInt = 0
    }

    static let shared = try? Zlib()

    let begin: @convention(c) (UnsafeMutableRawPointer, Int32, UnsafePointer<CChar>, Int32) -> Int32
    let inflate: @convention(c) (UnsafeMutableRawPointer, Int32) -> Int32
    let reset: @convention(c) (UnsafeMutableRawPointer) -> Int32
    let end: @convention(c) (UnsafeMutableRawPointer) -> Int32

    private init() throws {
        begin = try LibCurl.function("inflateInit2_")
        inflate = try LibCurl.function("inflate")
        reset = try LibCurl.function("inflateReset")
        end = try LibCurl.function("inflateEnd")
    }
}

private final class Inflater: Decompressor {
    private let zlib: Zlib
    private let isGzip: Bool
    private let stream = UnsafeMutablePointer<Zlib.Stream>.allocate(capacity: 1)
    private var hasBegun = false

    init(_ zlib: Zlib, isGzip: Bool) {
        (self.zlib, self.isGzip) = (zlib, isGzip)
        stream.initialize(to: Zlib.Stream())
    }

    deinit {
        if hasBegun { _ = zlib.end(stream) }
        stream.deallocate()
    }

    func decompress(
        _ input: inout UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) -> (count: Int?, hasEnded: Bool) {
        if !hasBegun, let first = input.first {
            // Many servers send `deflate` without the header of zlib, which has the method 8 and a window of up to 2^15 bytes.
            let hasHeader = first & 0x0F == 8 && first >> 4 <= 7
            let window: Int32 = isGzip ? 15 + 16 : hasHeader ? 15 : -15
            hasBegun = zlib.begin(stream, window, "1", Int32(MemoryLayout<Zlib.Stream>.size)) == 0
            guard hasBegun else { return (nil, false) }
        }
        (stream.pointee.input, stream.pointee.inputCount) = (input.baseAddress, UInt32(clamping: input.count))
        (stream.pointee.output, stream.pointee.outputCount) = (
            output.baseAddress, UInt32(clamping: output.count)
        )
        let result = zlib.inflate(stream, 0)
        input = UnsafeRawBufferPointer(rebasing: input.suffix(Int(stream.pointee.inputCount)))
        let count = output.count - Int(stream.pointee.outputCount)
        // Z_OK, Z_STREAM_END, and Z_BUF_ERROR: nothing can be done without more bytes.
        return ([0, 1, -5].contains(result) ? count : nil, result == 1)
    }

    func restart() -> Bool { isGzip && zlib.reset(stream) == 0 }
}

/// The functions of Brotli.
private struct Brotli: Sendable {
    static let shared = try? Brotli()

    let create: @convention(c) (UnsafeRawPointer?, UnsafeRawPointer?, UnsafeRawPointer?) -> OpaquePointer?
    let decompress:
        @convention(c) (
            OpaquePointer, UnsafeMutablePointer<Int>, UnsafeMutablePointer<UnsafeRawPointer?>,
            UnsafeMutablePointer<Int>, UnsafeMutablePointer<UnsafeMutableRawPointer?>, UnsafeRawPointer?
        ) -> Int32
    let destroy: @convention(c) (OpaquePointer) -> Void

    private init() throws {
        create = try LibCurl.function("BrotliDecoderCreateInstance")
        decompress = try LibCurl.function("BrotliDecoderDecompressStream")
        destroy = try LibCurl.function("BrotliDecoderDestroyInstance")
    }
}

private final class BrotliDecoder: Decompressor {
    private let brotli: Brotli
    private let instance: OpaquePointer

    init?(_ brotli: Brotli) {
        guard let instance = brotli.create(nil, nil, nil) else { return nil }
        (self.brotli, self.instance) = (brotli, instance)
    }

    deinit { brotli.destroy(instance) }

    func decompress(
        _ input: inout UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) -> (count: Int?, hasEnded: Bool) {
        var (inputCount, start, outputCount, end) = (
            input.count, input.baseAddress, output.count, output.baseAddress
        )
        let result = brotli.decompress(instance, &inputCount, &start, &outputCount, &end, nil)
        input = UnsafeRawBufferPointer(rebasing: input.suffix(inputCount))
        // 0 is an error, 1 the end.
        return (result == 0 ? nil : output.count - outputCount, result == 1)
    }

    func restart() -> Bool { false }
}
#endif
