import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What goes onto the wire: a request, a body too large for it, and who hears how it goes.
struct Order: Sendable {
    var request: URLRequest
    var file: BodyFile?
    var progress: ProgressReporter?
}
