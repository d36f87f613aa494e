import Foundation

extension URL {
    /// A URL that a test spells out.
    init(literal text: StaticString) {
        guard let url = URL(string: "\(text)") else { preconditionFailure("\(text) is no URL") }
        self = url
    }
}
