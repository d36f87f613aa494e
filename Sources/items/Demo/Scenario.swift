/// What the server of `--demo` answers.
enum Scenario: String, CaseIterable, Sendable {
    case ok, notNil, `nil`, concepts, html, hostile

    /// What there is to see.
    var summary: String {
        switch self {
        case .ok: "a list of teas"
        case .notNil: "three items, from the host notNil"
        case .nil: "no JSON at all, from the host nil"
        case .concepts: "JSON of another shape: the list is at \"concepts\""
        case .html: "a login page in place of JSON"
        case .hostile: "items that would drive the terminal"
        }
    }
}
