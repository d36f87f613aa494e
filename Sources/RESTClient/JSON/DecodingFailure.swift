import Foundation
import RESTClientHTTP

/// What a failed decode or scan means, in the words of `RESTClientError`.
struct DecodingFailure: Error {
    let kind: RESTClientError.Kind
    var shape: RESTClientError.Shape?
    let underlying: any Error

    /// What a decoder says about a whole body.
    init(_ error: any Error, in body: Data) {
        if let fault = Self.syntaxFault(in: body) {
            self.init(fault)
        } else {
            self.init(error, at: "$")
        }
    }

    /// What a decoder says about the value at `path`, which is known to be valid JSON.
    init(_ error: any Error, at path: String) {
        let refused = RESTClientError.Kind.wrongShape(
            path: path, expected: "a valid value", found: "one that is refused")
        underlying = error
        kind =
            switch error as? DecodingError {
            case .keyNotFound(let key, let context):
                .wrongShape(
                    path: path + Self.text(of: context.codingPath + [key]), expected: "a member",
                    found: "none")
            case .valueNotFound(let type, let context):
                .wrongShape(
                    path: path + Self.text(of: context.codingPath), expected: Self.words(for: type),
                    found: "null")
            case .typeMismatch(let type, let context):
                .wrongShape(
                    path: path + Self.text(of: context.codingPath), expected: Self.words(for: type),
                    found: Self.found(in: context.debugDescription))
            case .dataCorrupted(let context):
                .wrongShape(
                    path: path + Self.text(of: context.codingPath), expected: "a valid value",
                    found: context.debugDescription)
            case nil: refused
            @unknown default: refused
            }
    }

    /// What the scanner says about a document.
    init(_ failure: ListScanner.Failure) {
        underlying = failure
        switch failure.reason {
        case .notJSON(let found): kind = .notJSON(found: found)
        case .malformed(let reason):
            kind = .malformedJSON(offset: failure.offset, "\(reason) (\(failure.path))")
        case .tooDeep(let limit):
            kind = .malformedJSON(
                offset: failure.offset, "more than \(limit) levels of nesting (\(failure.path))")
        case .incomplete: kind = .incompleteBody(received: failure.offset, expected: nil)
        case .itemTooLarge(let limit): kind = .limit("\(failure.path) is larger than \(limit) bytes")
        case .wrongShape(let path, let expected, let found, let keys, let lists):
            kind = .wrongShape(path: "\(path)", expected: expected, found: found)
            shape = RESTClientError.Shape(keys: keys, lists: lists)
        }
    }

    /// The error of a request that was answered by `response`.
    func error(for response: DataResponse) -> RESTClientError {
        var error = RESTClientError(kind, response.request, response: response, underlying: underlying)
        error.attempts = response.attempts
        error.shape = shape
        return error
    }

    /// The first place where `body` is not JSON: the decoder does not say where, and takes what is none (PLATFORM B).
    private static func syntaxFault(in body: Data) -> ListScanner.Failure? {
        let opening = body.first { !" \t\r\n".utf8.contains($0) }
        // Looking for a list that is nowhere checks the document.
        var scanner = ListScanner(at: opening == UInt8(ascii: "[") ? .root : [""])
        do {
            try scanner.scan(body.bytes) { _ in }
            _ = try scanner.finish()
            return nil
        } catch let failure as ListScanner.Failure {
            if case .wrongShape = failure.reason { return nil }
            return failure
        } catch {
            return nil
        }
    }

    private static func text(of path: [any CodingKey]) -> String {
        path.map { key in key.intValue.map { "[\($0)]" } ?? ".\(key.stringValue)" }.joined()
    }

    private static func words(for type: Any.Type) -> String {
        switch type {
        case is String.Type: "a string"
        case is Bool.Type: "a boolean"
        case is any BinaryInteger.Type, is any BinaryFloatingPoint.Type: "a number"
        case is any DecodedAsList.Type: "a list"
        case is any DecodedAsObject.Type: "an object"
        default: "a value for \(type)"
        }
    }

    /// The decoder's own word for what it found, as ours.
    private static func found(in text: String) -> String {
        guard let tail = text.range(of: "but found ").map({ text[$0.upperBound...].lowercased() }) else {
            return "another kind of value"
        }
        let words = [
            "array": "a list", "dictionary": "an object", "number": "a number", "string": "a string",
            "bool": "a boolean", "null": "null",
        ]
        return words.first {
            tail.hasPrefix($0.key) || tail.hasPrefix("a \($0.key)") || tail.hasPrefix("an \($0.key)")
        }?
        .value ?? "another kind of value"
    }
}

private protocol DecodedAsList {}
extension Array: DecodedAsList {}
extension Set: DecodedAsList {}
private protocol DecodedAsObject {}
extension Dictionary: DecodedAsObject {}
