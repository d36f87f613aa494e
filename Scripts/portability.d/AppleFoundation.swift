// swift-format-ignore-file
// Foundation as it is on Apple platforms: with URLSession, the run loop functions of CoreFoundation, and constants that
// are unavailable on Linux. Nothing here runs. The bridged types are those to which they are converted by `as`.
@_exported public import Foundation
@_exported public import FoundationNetworking

// The module of glibc has them with its own mode_t.
public let S_IFMT: mode_t = 0, S_IFIFO: mode_t = 0, S_IFDIR: mode_t = 0, S_IFREG: mode_t = 0, S_IFLNK: mode_t = 0, S_IFSOCK: mode_t = 0

public let NSURLAuthenticationMethodServerTrust = ""
public let NSURLAuthenticationMethodClientCertificate = ""

public typealias CFTypeRef = Any
public typealias CFString = String
public typealias CFArray = [String]
public final class CFRunLoop {}

public struct CFRunLoopMode {
    public let rawValue: CFString
    public init(rawValue: CFString) { self.rawValue = rawValue }
    public static var defaultMode: CFRunLoopMode { CFRunLoopMode(rawValue: "") }
    public static var commonModes: CFRunLoopMode { CFRunLoopMode(rawValue: "") }
}

@available(*, noasync) public func CFRunLoopGetCurrent() -> CFRunLoop! { nil }
public func CFRunLoopGetMain() -> CFRunLoop! { nil }
public func CFRunLoopCopyCurrentMode(_ loop: CFRunLoop!) -> CFRunLoopMode! { nil }
public func CFRunLoopPerformBlock(_ loop: CFRunLoop!, _ mode: CFTypeRef!, _ block: (() -> Void)!) {}
public func CFRunLoopWakeUp(_ loop: CFRunLoop!) {}
public func CFRunLoopStop(_ loop: CFRunLoop!) {}

// A macro that Swift does not import; the module Darwin has it in Swift.
public let TIOCGWINSZ: UInt = 0x4008_7468
