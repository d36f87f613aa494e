import Foundation
import RESTClientHTTP

/// The errors of a listing.
extension PageReader {
    /// Returns the error of the library for any error of a page.
    func mapped(_ error: any Error) -> any Error {
        switch error {
        case let failure as ListScanner.Failure:
            guard let answer else { return error }
            return truncated(RESTClientError(withNestedList(failure), in: answer))
        case let error as RESTClientError:
            var located = error.at(position.url)
            if case .pagination = located.kind { located.method = request.urlRequest.method }
            return withPosition(located)
        default: return error
        }
    }

    /// The response with the start of its body.
    private var answer: DataResponse? { response?.map { _ in bodyPrefix } }

    /// Returns the failure with a list of inner objects, such as `data.viewer.issues.nodes`, if it has none.
    private func withNestedList(_ failure: ListScanner.Failure) -> ListScanner.Failure {
        guard case .wrongShape(let path, let expected, let found, lists: []) = failure.reason,
            let list = ListScanner.nestedList(in: documentStart.span.bytes)
        else { return failure }
        var failure = failure
        failure.reason = .wrongShape(path: path, expected: expected, found: found, lists: [list])
        return failure
    }

    private func truncated(_ error: RESTClientError) -> RESTClientError {
        var error = error
        if bodyPrefix.count >= Self.maxBodyPrefix { error.isBodyTruncated = true }
        return error
    }

    /// Returns the error of an incomplete body with the position in the document.
    private func withPosition(_ error: RESTClientError) -> RESTClientError {
        guard case .incompleteBody = error.kind, case .inPage = phase else { return error }
        var error = error
        var cut = PageScanner()
        swap(&cut, &scanner)
        do { _ = try cut.finish() } catch let failure as ListScanner.Failure {
            if failure.reason == .incomplete { error.underlying = failure }
        } catch {}
        return error
    }

    /// Returns the error for an element of `batch`, before which `count` items have not been reported.
    func undecodable(_ failure: ElementBatch.UndecodableElement, after count: Int = 0) -> any Error {
        let path = listing.path.names.map { ".\($0)" }.joined()
        let index = index(after: count + failure.index)
        guard let answer else { return failure.underlying }
        return truncated(
            RESTClientError(
                failure.underlying, at: "$\(path)[\(index)]", of: Data(batch.element(failure.index)),
                in: answer, listing.decoder ?? request.options.decoder))
    }
}
