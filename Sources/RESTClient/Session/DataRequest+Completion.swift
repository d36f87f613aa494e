import Foundation

/// Results for callers without async: each calls back once, off the main thread; cancel through the task.
extension DataRequest {
    /// The response with its whole body.
    @discardableResult public func response(
        completion: @escaping @Sendable (Result<DataResponse, any Error>) -> Void
    ) -> Task<Void, Never> {
        Task { completion(await Result(catching: { try await response() })) }
    }

    /// The body decoded from JSON.
    @discardableResult public func decode<T: Decodable & Sendable>(
        _ type: T.Type = T.self, completion: @escaping @Sendable (Result<T, any Error>) -> Void
    ) -> Task<Void, Never> {
        Task { completion(await Result(catching: { try await decode(type) })) }
    }
}

extension Result where Failure == any Error {
    init(catching body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
