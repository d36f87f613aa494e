import Foundation

/// Compares the responses of the real servers with recorded ones.
final class RecordingCheck: Sendable {
    private let masking: HAR.Masking
    private let ask: @Sendable (ReceivedRequest) async -> HAR.Entry?
    private let state = LockedState<[MockServerError]>([])

    init(_ masking: HAR.Masking, ask: @escaping @Sendable (ReceivedRequest) async -> HAR.Entry?) {
        (self.masking, self.ask) = (masking, ask)
    }

    var failures: [MockServerError] { state.withLock { $0 } }

    /// Sends a request to its real server, and notes differences between the response and the recorded one.
    func compare(_ recorded: HAR.Entry, with request: ReceivedRequest) async {
        let live = await ask(request)
        let differences = Self.differences(recorded.response, live?.response)
        guard !differences.isEmpty else { return }
        let kind = MockServerError.Kind.changedRecording(request, differences: differences)
        state.withLock { $0.append(MockServerError(kind, masking)) }
    }

    private static func differences(_ recorded: HAR.Response, _ live: HAR.Response?) -> [String] {
        guard let live, live.failure == nil || recorded.failure != nil else {
            return ["the request failed: \(live?.failure?.text ?? "there was no response")"]
        }
        guard recorded.status == live.status else {
            return ["the status was \(recorded.status.rawValue), and is \(live.status.rawValue)"]
        }
        let shapes = [recorded, live].map { response in
            (try? JSONLiteral(parsing: response.body)).map { shape($0, at: "$") }
        }
        guard let old = shapes[0], let new = shapes[1] else {
            return shapes[0] == nil ? [] : ["the body was JSON, and is not"]
        }
        return Set(old.keys).union(new.keys).sorted().compactMap { path in
            // What is in an array that is empty, or below a member that is missing, is not known.
            let parent = path.lastIndex { ".[".contains($0) }.map { String(path[..<$0]) } ?? ""
            switch (old[path], new[path]) {
            case (nil, _?): return old[parent]?.contains("object") == true ? "\(path) is new" : nil
            case (_?, nil): return new[parent]?.contains("object") == true ? "\(path) is missing" : nil
            case (let old?, let new?):
                let isSame = old.isEmpty || new.isEmpty || !old.isDisjoint(with: new)
                return isSame ? nil : "\(path) was \(list(old)), and is \(list(new))"
            default: return nil
            }
        }
    }

    private static func list(_ kinds: Set<String>) -> String { kinds.sorted().joined(separator: " or ") }

    /// Returns the kinds of all values by their paths, of which the elements of an array have the same. `null` has no kind.
    private static func shape(_ value: JSONLiteral, at path: String) -> [String: Set<String>] {
        func merged(_ parts: [[String: Set<String>]], _ kind: String) -> [String: Set<String>] {
            parts.reduce(into: [path: [kind]]) { $0.merge($1) { $0.union($1) } }
        }
        switch value.node {
        case .object(let members):
            return merged(members.map { shape($0.value, at: "\(path).\($0.key)") }, "object")
        case .array(let elements): return merged(elements.map { shape($0, at: "\(path)[]") }, "array")
        case .string: return [path: ["string"]]
        case .integer, .number: return [path: ["number"]]
        case .bool: return [path: ["Boolean"]]
        case .null, .invalid: return [path: []]
        }
    }
}
