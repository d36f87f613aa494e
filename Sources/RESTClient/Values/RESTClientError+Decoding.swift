import Foundation
import RESTClientHTTP

extension RESTClientError {
    /// Creates the error of decoding the whole body of `response`.
    init(_ error: any Error, decoding response: DataResponse, _ decoder: any DataDecoder) {
        if decoder.mediaType?.isJSON == true, let failure = Self.syntaxFailure(in: response.body) {
            self.init(failure, in: response)
        } else {
            self.init(error, at: "$", of: response.body, in: response, decoder)
        }
    }

    /// Creates the error of decoding the value at `path` of `response`, whose text is valid JSON or has another format.
    init(
        _ error: any Error, at path: String, of text: Data, in response: DataResponse,
        _ decoder: any DataDecoder
    ) {
        let refused = RefusedJSON(text, decoder)
        let (keys, expected, found): ([any CodingKey], ExpectedJSON, FoundJSON) =
            switch error as? DecodingError {
            case .keyNotFound(let key, let context):
                (
                    context.codingPath + [key], .member,
                    refused?.keys(at: context.codingPath).map { .keys($0) } ?? .missing
                )
            case .valueNotFound(let type, let context): (context.codingPath, Self.expected(type), .null)
            case .typeMismatch(let type, let context):
                (context.codingPath, Self.expected(type), Self.found(in: context.debugDescription))
            case .dataCorrupted(let context):
                (context.codingPath, .validValue, .described(context.debugDescription))
            default: ([], .validValue, .invalidValue)
            }
        self.init(
            .wrongShape(path: path + Self.text(of: keys), expected: expected, found: found), response.request,
            response: response, underlying: error)
        attempts = response.attempts
        suggestedDecoding = refused.flatMap { DecodingSuggestion(for: error, in: $0) }
    }

    /// Creates the error of scanning the body of `response`.
    init(_ failure: ListScanner.Failure, in response: DataResponse) {
        let kind: Kind =
            switch failure.reason {
            case .notJSON(let found, let isHTML): .notJSON(found: found, isHTML: isHTML)
            case .malformed(let error): .malformedJSON(offset: failure.offset, path: failure.path, error)
            // Only a length or chunks show that the body is complete.
            case .incomplete
            where response.headers[.contentLength] == nil && response.headers[.transferEncoding] == nil:
                .incompleteBody(received: failure.offset, expected: nil)
            case .incomplete: .malformedJSON(offset: failure.offset, path: failure.path, .unexpectedEnd)
            case .itemTooLarge(let limit): .limit(.itemBytes(limit, path: failure.path))
            case .wrongShape(let path, let expected, let found, _):
                .wrongShape(path: "\(path)", expected: expected, found: found)
            }
        self.init(kind, response.request, response: response, underlying: failure)
        attempts = response.attempts
    }

    /// Returns the first syntax error in `body`. The platform's decoder does not report the position, and accepts some
    /// invalid documents (PLATFORM B).
    private static func syntaxFailure(in body: Data) -> ListScanner.Failure? {
        let first = body.first { !" \t\r\n".utf8.contains($0) }
        // Looking for a list at a path that does not exist checks the whole document.
        var scanner = ListScanner(at: first == UInt8(ascii: "[") ? .root : [""])
        do {
            try scanner.scan(body.bytes) { _ in }
            _ = try scanner.finish()
            return nil
        } catch let failure as ListScanner.Failure {
            if case .wrongShape = failure.reason { return nil }
            return failure
        } catch { return nil }
    }

    static func text(of path: [any CodingKey]) -> String {
        path.map { key in key.intValue.map { "[\($0)]" } ?? ".\(key.stringValue)" }.joined()
    }

    private static func expected(_ type: Any.Type) -> ExpectedJSON {
        switch type {
        case is String.Type: .string
        case is Bool.Type: .boolean
        case is any BinaryInteger.Type, is any BinaryFloatingPoint.Type: .number
        case is any DecodedAsList.Type: .list
        case is any DecodedAsObject.Type: .object
        default: .value(of: "\(type)")
        }
    }

    /// Returns the name of the value that the platform's decoder has found, from its English description.
    private static func found(in text: String) -> FoundJSON {
        guard let tail = text.range(of: "but found ").map({ text[$0.upperBound...].lowercased() }) else {
            return .otherValue
        }
        let words: [String: FoundJSON] = [
            "array": .list, "dictionary": .object, "number": .number, "string": .string, "bool": .boolean,
            "null": .null,
        ]
        return words.first {
            tail.hasPrefix($0.key) || tail.hasPrefix("a \($0.key)") || tail.hasPrefix("an \($0.key)")
        }?.value ?? .otherValue
    }
}

private protocol DecodedAsList {}
extension Array: DecodedAsList {}
extension Set: DecodedAsList {}
private protocol DecodedAsObject {}
extension Dictionary: DecodedAsObject {}
