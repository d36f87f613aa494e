import Foundation

/// The calls of Linux's epoll. Swift's modules of the C libraries do not contain them.
struct Epoll: Sendable {
    private typealias Create = @Sendable @convention(c) (CInt) -> CInt
    private typealias Control = @Sendable @convention(c) (CInt, CInt, CInt, UnsafeRawPointer?) -> CInt
    private typealias Wait = @Sendable @convention(c) (CInt, UnsafeMutableRawPointer?, CInt, CInt) -> CInt

    /// The events of a socket.
    struct Event {
        fileprivate let flags: UInt32

        /// `true` if receiving does not block. A hang-up or an error is received as well.
        var isReadable: Bool { flags & ~Epoll.output != 0 }
        /// `true` if sending does not block. A hang-up or an error ends it.
        var isWritable: Bool { flags & ~Epoll.input != 0 }
    }

    // The constants of <sys/epoll.h>.
    private static let input: UInt32 = 0x001
    private static let output: UInt32 = 0x004
    private static let oneShot: UInt32 = 1 << 30
    private static let (add, delete, modify): (CInt, CInt, CInt) = (1, 2, 3)

    // The size of `struct epoll_event`, and the position of its data. The structure is packed on x86_64 only.
    #if arch(x86_64)
    private static let (eventSize, dataOffset) = (12, 4)
    #else
    private static let (eventSize, dataOffset) = (16, 8)
    #endif

    /// The number of events that a call returns.
    private static let batchSize = 64

    private let create: Create
    private let control: Control
    private let wait: Wait

    /// The calls of the system, or `nil` if the C library does not have them or is linked statically.
    static let system: Epoll? = {
        guard let create = dlsym(nil, "epoll_create1"), let control = dlsym(nil, "epoll_ctl"),
            let wait = dlsym(nil, "epoll_wait")
        else { return nil }
        return Epoll(
            create: unsafeBitCast(create, to: Create.self), control: unsafeBitCast(control, to: Control.self),
            wait: unsafeBitCast(wait, to: Wait.self))
    }()

    func makeDescriptor() throws -> Int32 {
        // EPOLL_CLOEXEC has the value of O_CLOEXEC.
        let descriptor = create(O_CLOEXEC)
        guard descriptor >= 0 else { throw POSIXError.last }
        return descriptor
    }

    /// Starts to watch a socket for input.
    func add(_ socket: Int32, number: UInt64, to descriptor: Int32) throws {
        guard call(Self.add, socket, number, Self.input, descriptor) == 0 else { throw POSIXError.last }
    }

    func change(_ socket: Int32, number: UInt64, isReading: Bool, isWriting: Bool, in descriptor: Int32) {
        let events = (isReading ? Self.input : 0) | (isWriting ? Self.output : 0)
        // A hang-up is reported even if no event is asked for, then only once. Changing needs no memory, unlike removing
        // and adding again.
        _ = call(Self.modify, socket, number, events == 0 ? Self.oneShot : events, descriptor)
    }

    func remove(_ socket: Int32, from descriptor: Int32) { _ = call(Self.delete, socket, 0, 0, descriptor) }

    /// Calls `report` with the numbers and events of sockets that are ready, and returns how many these are.
    func events(of descriptor: Int32, _ report: (_ number: UInt64, Event) -> Void) -> Int {
        withUnsafeTemporaryAllocation(byteCount: Self.batchSize * Self.eventSize, alignment: 8) { buffer in
            let count = Int(wait(descriptor, buffer.baseAddress, CInt(Self.batchSize), 0))
            for start in stride(from: 0, to: count * Self.eventSize, by: Self.eventSize) {
                let flags = buffer.loadUnaligned(fromByteOffset: start, as: UInt32.self)
                let number = buffer.loadUnaligned(fromByteOffset: start + Self.dataOffset, as: UInt64.self)
                report(number, Event(flags: flags))
            }
            return count
        }
    }

    private func call(
        _ operation: CInt, _ socket: Int32, _ number: UInt64, _ events: UInt32, _ descriptor: Int32
    ) -> CInt {
        withUnsafeTemporaryAllocation(byteCount: Self.eventSize, alignment: 8) { event in
            event.storeBytes(of: events, as: UInt32.self)
            event.storeBytes(of: number, toByteOffset: Self.dataOffset, as: UInt64.self)
            return control(descriptor, operation, socket, event.baseAddress)
        }
    }
}
