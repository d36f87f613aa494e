import Foundation
import HTTPCore

/// Reads the list out of a response while it arrives.
struct ListReader: Sendable {
    let listing: ItemListing

    /// Hands out each element of the list as it arrives; a span ends with its call.
    ///
    /// - Throws: `RESTClientError` unless the list is there and complete, or what `body` throws.
    func read(_ response: StreamingResponse, _ body: (RawSpan) throws -> Void) async throws -> Envelope {
        try await scan(response) { scanner, chunk in
            try scanner.scan(chunk.bytes, body)
        }
    }

    /// Decodes each element of the list.
    func decode<Item: Decodable>(_ response: StreamingResponse, as type: Item.Type) async throws -> [Item] {
        var items: [Item] = []
        var batch = ElementBatch()
        let decoder = JSONDecoder()
        _ = try await scan(response) { scanner, chunk in
            try scanner.scan(chunk.bytes, into: &batch)
            do {
                items += try batch.decode(using: decoder)
            } catch let failure as ElementBatch.Undecodable {
                let path = listing.path.names.map { ".\($0)" }.joined()
                throw DecodingFailure(failure.underlying, at: "$\(path)[\(items.count + failure.index)]")
            }
            batch.removeAll()
        }
        return items
    }

    /// Pushes the body through a scanner, chunk by chunk.
    private func scan(
        _ response: StreamingResponse, _ push: (inout ListScanner, Data) throws -> Void
    ) async throws -> Envelope {
        var start = Data()
        do {
            guard !response.status.hasNoBody else { throw DecodingFailure(Self.noContent) }
            var scanner = ListScanner(at: listing.path, maxItemBytes: listing.maxItemBytes)
            for try await chunk in response.body {
                if start.count < Self.keptOfErrors { start += chunk.prefix(Self.keptOfErrors - start.count) }
                try push(&scanner, chunk)
            }
            return try scanner.finish()
        } catch let failure as DecodingFailure {
            throw failure.error(for: response.map { _ in start })
        } catch let failure as ListScanner.Failure {
            throw DecodingFailure(failure).error(for: response.map { _ in start })
        }
    }

    private static let keptOfErrors = 4096
    private static let noContent = ListScanner.Failure(
        reason: .notJSON(found: ""), offset: 0, path: "$", items: 0)
}
