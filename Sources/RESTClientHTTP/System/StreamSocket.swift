import Foundation

/// The operations of sockets whose constants and flags differ between C libraries.
package enum StreamSocket {
    /// Returns the descriptor of a new socket, or -1.
    package static func make(family: Int32 = AF_INET) -> Int32 {
        // The constant is an Int32, except in glibc, where it is a case of a C enumeration of the same size.
        let type = withUnsafeBytes(of: SOCK_STREAM) { $0.loadUnaligned(as: Int32.self) }
        return socket(family, type, 0)
    }

    // A connection that the peer has closed raises SIGPIPE when more is sent, which ends the process. BSD sockets have an
    // option against that, sockets of Linux a flag of each call. The size of the send queue is an option of BSD sockets
    // and a request to sockets of Linux.
    #if canImport(Darwin)
    /// Makes sending to a closed connection fail instead of raising a signal.
    package static func disableBrokenPipeSignal(_ descriptor: Int32) {
        var isOn: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &isOn, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Sends bytes without raising a signal, and returns their number, or -1.
    package static func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        sendBytes(descriptor, bytes, flags: 0)
    }

    /// The number of sent bytes that the peer has not acknowledged.
    package static func unacknowledgedBytes(_ descriptor: Int32) -> Int {
        var count: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_NWRITE, &count, &length)
        return Int(count)
    }
    #else
    package static func disableBrokenPipeSignal(_ descriptor: Int32) {}

    package static func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        sendBytes(descriptor, bytes, flags: Int32(MSG_NOSIGNAL))
    }

    package static func unacknowledgedBytes(_ descriptor: Int32) -> Int {
        var count: Int32 = 0
        return ioctl(descriptor, UInt(TIOCOUTQ), &count) == 0 ? Int(count) : 0
    }
    #endif
}

/// Calls the function of the C library, which the method with the same name hides.
private func sendBytes(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, flags: Int32) -> Int {
    send(descriptor, bytes.baseAddress, bytes.count, flags)
}
