import Foundation

/// Bytes on their way to a socket. Great pieces are kept as they are, small ones are put together.
struct Outbox {
    private static let small = 16 << 10

    private var pieces: [Data] = []
    private var first = 0
    /// How much of the first piece is out.
    private var offset = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    mutating func append(_ data: Data) {
        guard !data.isEmpty else { return }
        count += data.count
        if data.count <= Self.small, first < pieces.count, pieces[pieces.count - 1].count <= Self.small {
            pieces[pieces.count - 1].append(data)
        } else {
            pieces.append(data)
        }
    }

    mutating func removeAll() { self = Outbox() }

    enum Progress { case empty, full, broken }

    /// Sends until all is out or the socket takes no more.
    mutating func send(to socket: Socket) -> Progress {
        while first < pieces.count {
            let outcome = pieces[first].withUnsafeBytes { bytes in
                socket.send(UnsafeRawBufferPointer(rebasing: bytes[offset...]))
            }
            switch outcome {
            case .wouldBlock: return .full
            case .broken: return .broken
            case .bytes(let sent):
                offset += sent
                count -= sent
                guard offset == pieces[first].count else { continue }
                pieces[first] = Data()
                first += 1
                offset = 0
            }
        }
        pieces.removeAll(keepingCapacity: true)
        first = 0
        return .empty
    }
}
