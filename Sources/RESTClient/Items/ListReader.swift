import Foundation
import HTTPCore

/// Reads the list out of a response.
struct ListReader: Sendable {
    let listing: ItemListing

    /// Hands out each element of the list; a span ends with its call.
    ///
    /// - Throws: `RESTClientError` unless the list is there and complete, or what `body` throws.
    func read(_ response: DataResponse, _ body: (RawSpan) throws -> Void) throws -> Envelope {
        guard !response.status.hasNoBody else {
            throw DecodingFailure(noContent).error(for: response)
        }
        do {
            var scanner = ListScanner(at: listing.path, maxItemBytes: listing.maxItemBytes)
            try scanner.scan(response.body.bytes, body)
            return try scanner.finish()
        } catch let failure as ListScanner.Failure {
            var error = DecodingFailure(failure).error(for: response)
            error.listing = RESTClientError.Progress(items: failure.items, pages: 0)
            throw error
        }
    }

    /// Decodes each element of the list.
    func decode<Item: Decodable>(_ response: DataResponse, as type: Item.Type) throws -> [Item] {
        var items: [Item] = []
        let decoder = JSONDecoder()
        _ = try read(response) { element in
            do {
                items.append(try ListScanner.decode(from: element, using: decoder))
            } catch {
                let path = listing.path.names.map { ".\($0)" }.joined()
                throw DecodingFailure(error, at: "$\(path)[\(items.count)]").error(for: response)
            }
        }
        return items
    }

    private let noContent = ListScanner.Failure(reason: .notJSON(found: ""), offset: 0, path: "$", items: 0)
}
