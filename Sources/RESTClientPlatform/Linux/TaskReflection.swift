// What URLSession on Linux knows of a task and does not pass to its protocol (PLATFORM A7, A11). Apple platforms pass it in
// the request, so there is no other arm.
#if canImport(FoundationNetworking)
package import Foundation
package import FoundationNetworking
import RESTClientHTTP

/// The properties of a task that no public API returns, read by reflection.
///
/// If another toolchain stores them elsewhere, they are `nil`. All callers then fail a request or deliver its response
/// without them; none of them sends a request to the network.
extension URLSessionTask {
    /// The session of the task.
    package var owner: URLSession? { Self.member("session", of: self) as? URLSession }

    /// The body of an upload task, which never reaches a protocol (PLATFORM A11).
    package enum UploadBody {
        case data(Data)
        case file(URL)
        case stream(InputStream)
        /// A stream that the delegate of the session provides.
        case fromDelegate
        case empty
        /// The platform stores the body elsewhere.
        case unknown
    }

    package var uploadBody: UploadBody {
        guard let child = Self.child("knownBody", of: self) else { return .unknown }
        guard let body = Self.unwrapped(child) else { return .fromDelegate }
        guard let content = Mirror(reflecting: body).children.first else {
            return "\(body)" == "none" ? .empty : .unknown
        }
        switch content.value {
        case let data as DispatchData:
            return .data(data.regions.reduce(into: Data()) { $0.append(contentsOf: $1) })
        case let file as URL: return .file(file)
        case let stream as InputStream: return .stream(stream)
        default: return .unknown
        }
    }

    /// `true` if the platform keeps only the last chunk of the body: tasks with a completion handler and `data(for:)`.
    ///
    /// PLATFORM A7. It must be called on the work queue, which owns the registry.
    package var keepsOnlyLastChunk: Bool {
        guard owner?.delegate != nil, let behavior else { return true }
        return "\(behavior)" != "callDelegate"
    }

    /// The entry of the task in the registry of its session. It must be read on the work queue, which owns the registry.
    private var behavior: Any? {
        guard let session = owner, let registry = Self.member("taskRegistry", of: session),
            let behaviors = Self.member("behaviours", of: registry)
        else { return nil }
        for case let (key, behavior) as (Int, Any) in Mirror(reflecting: behaviors).children.map(\.value)
        where key == taskIdentifier { return behavior }
        return nil
    }

    fileprivate static func member(_ name: String, of object: Any) -> Any? {
        child(name, of: object).flatMap(unwrapped)
    }

    private static func child(_ name: String, of object: Any) -> Any? {
        for mirror in sequence(first: Mirror(reflecting: object), next: \.superclassMirror) {
            if let child = mirror.children.first(where: { $0.label == name }) { return child.value }
        }
        return nil
    }

    private static func unwrapped(_ value: Any) -> Any? {
        let mirror = Mirror(reflecting: value)
        return mirror.displayStyle == .optional ? mirror.children.first?.value : value
    }
}

extension URLSession {
    /// The queue on which the session calls its protocols, and they their clients (PLATFORM A8).
    package var workQueue: DispatchQueue? { URLSessionTask.member("workQueue", of: self) as? DispatchQueue }
}
#endif
