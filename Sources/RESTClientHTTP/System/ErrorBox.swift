package import Foundation

/// An error for the author of a test, whose text is shown completely and with its line breaks inside other errors.
package protocol DiagnosticError: Error {}

/// An error inside an `NSError` that has the same domain, code and text.
///
/// URLSession on Apple platforms copies the members of an error that a protocol sends, and its Swift type is lost
/// (PLATFORM F4). A value in `userInfo` is copied with them.
package enum ErrorBox {
    private static let key = "RESTClientBoxedError"

    // A class, because all platforms store it in `userInfo` unchanged.
    private final class Content: Sendable {
        let error: any Error

        init(_ error: any Error) { self.error = error }
    }

    package static func boxed(_ error: any Error) -> NSError {
        let foundationError = error as NSError
        var userInfo = foundationError.userInfo
        userInfo[NSLocalizedDescriptionKey] = error.localizedDescription
        userInfo[key] = Content(error)
        return NSError(domain: foundationError.domain, code: foundationError.code, userInfo: userInfo)
    }

    /// Returns the error in the box, or `nil` if `error` is not a box.
    package static func content(of error: NSError) -> (any Error)? {
        (error.userInfo[key] as? Content)?.error
    }

    /// Returns the error in the box, or `error` itself if it is not a box.
    package static func unboxed(_ error: any Error) -> any Error { content(of: error as NSError) ?? error }
}

extension URLError {
    /// Creates an error as URLSession does for a failed request to `url`.
    package init(_ code: Code, _ text: String, _ url: URL) {
        let cause = NSError(
            domain: NSURLErrorDomain, code: code.rawValue, userInfo: [NSLocalizedDescriptionKey: text])
        self.init(
            code,
            userInfo: [
                NSLocalizedDescriptionKey: text, NSURLErrorFailingURLErrorKey: url,
                // The constant is deprecated, but URLSession sets the key.
                "NSErrorFailingURLStringKey": url.absoluteString, NSUnderlyingErrorKey: cause,
            ])
    }
}
