import Foundation

extension URL {
    /// Creates a URL from a literal.
    init(literal text: StaticString) {
        guard let url = URL(string: "\(text)") else { preconditionFailure("\(text) is no URL") }
        self = url
    }
}
