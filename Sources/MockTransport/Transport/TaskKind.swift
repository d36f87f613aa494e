import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Who gets the bytes of a task.
enum TaskKind {
    /// Whether the platform would forget all but the last chunk: tasks with a completion handler, `data(for:)`.
    ///
    /// PLATFORM A7. Nothing public tells these tasks from those of a delegate, so we look: the session, and in its
    /// registry how the task behaves. Only called on the work queue, where the registry may be read.
    static func keepsLastChunkOnly(_ task: URLSessionTask) -> Bool {
        #if canImport(FoundationNetworking)
        guard let session = member("session", of: task) as? URLSession, session.delegate != nil,
            let registry = member("taskRegistry", of: session),
            let behaviours = member("behaviours", of: registry)
        else { return true }
        for case let (key, behaviour) as (Int, Any) in Mirror(reflecting: behaviours).children.map(\.value)
        where key == task.taskIdentifier {
            return "\(behaviour)" != "callDelegate"
        }
        return true
        #else
        return false
        #endif
    }

    private static func member(_ name: String, of object: Any) -> Any? {
        var mirror: Mirror? = Mirror(reflecting: object)
        while let current = mirror {
            if let child = current.children.first(where: { $0.label == name }) {
                let value = Mirror(reflecting: child.value)
                return value.displayStyle == .optional ? value.children.first?.value : child.value
            }
            mirror = current.superclassMirror
        }
        return nil
    }
}
