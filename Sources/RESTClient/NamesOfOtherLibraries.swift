public import Foundation
public import RESTClientHTTP

// What other libraries call differently. The message of the compiler has the call to use.

extension SessionManager {
    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, message: "use query: for the URL, or body: .json(…) or .form(…)")
    public func request(
        _ url: Any, method: HTTPMethod = .get, parameters: [String: Any]?, headers: HTTPHeaders = [:]
    ) -> DataRequest { unsent }

    /// A body without a method; the message of the compiler has the call to use.
    @available(*, unavailable, message: "a GET request has no body: add method: .post, .put or .patch")
    public func request(
        _ url: Any, query: QueryItems = [:], headers: HTTPHeaders = [:], body: some Encodable & Sendable
    ) -> DataRequest { unsent }

    /// A name of another library; the message of the compiler has the call to use.
    @available(
        *, unavailable, message: "a request sends itself: try await manager.request(url).decode(Item.self)"
    )
    public func send(_ request: Any) async throws -> DataResponse { try await unsent.response() }

    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, message: "a request sends itself: try await manager.request(url).response()")
    public func data(for request: Any) async throws -> DataResponse { try await unsent.response() }

    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, message: "a request sends itself: try await manager.request(url).response()")
    public func data(from url: URL) async throws -> DataResponse { try await unsent.response() }

    /// A name of another library; the message of the compiler has the call to use.
    @available(
        *, unavailable,
        message: "use request(url, method: .post, body: .file(file)), or body: data, and progress(_:)"
    )
    public func upload(
        _ body: Any, to url: Any, method: HTTPMethod = .post, headers: HTTPHeaders = [:]
    ) -> DataRequest { unsent }

    /// A name of another library; the message of the compiler has the call to use.
    @available(
        *, unavailable,
        message:
            "use request(url, method: .post, body: .multipart(.init(\"title\", \"Tea\"), .init(\"photo\", .file(file))))"
    )
    public func upload(
        multipartFormData: (FormOfOtherLibrary) -> Void, to url: Any, method: HTTPMethod = .post,
        headers: HTTPHeaders = [:]
    ) -> DataRequest { unsent }

    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, message: "use request(url).download(to: file)")
    public func download(
        _ url: Any, method: HTTPMethod = .get, headers: HTTPHeaders = [:], to file: Any? = nil
    ) -> DataRequest { unsent }

    private var unsent: DataRequest { request("") }
}

extension DataRequest {
    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, message: "responses are validated by default; see validation(_:)")
    public func validate() -> Self { self }

    /// A name of another library; the message of the compiler has the call to use.
    @available(
        *, unavailable, message: "200 to 299 is the default; use validation(Validation(status: 200..<300))"
    )
    public func validate(statusCode: some Sequence<Int>) -> Self { self }

    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, message: "use try await decode(Item.self)")
    public func serializingDecodable<T: Decodable>(
        _ type: T.Type = T.self
    ) -> ResponseOfOtherLibrary<T> { ResponseOfOtherLibrary() }

    /// A name of another library; the message of the compiler has the call to use.
    @available(
        *, unavailable, message: "use try await decode(Item.self), or decode(Item.self) { result in … }"
    )
    public func responseDecodable<T: Decodable>(
        of type: T.Type = T.self, completionHandler: @escaping (ResponseOfOtherLibrary<T>) -> Void
    ) -> Self { self }

    /// A name of another library; the message of the compiler has the call to use.
    @available(
        *, unavailable, message: "use try await decode(Item.self), or decode(Item.self) { result in … }"
    )
    public func responseJSON(
        completionHandler: @escaping (ResponseOfOtherLibrary<Any>) -> Void
    ) -> Self { self }

    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, message: "use try await data(), or data { result in … }")
    public func responseData(
        completionHandler: @escaping (ResponseOfOtherLibrary<Data>) -> Void
    ) -> Self { self }

    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, message: "use try await string(), or string { result in … }")
    public func responseString(
        completionHandler: @escaping (ResponseOfOtherLibrary<String>) -> Void
    ) -> Self { self }

    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, message: "use .interceptors(.basic(user: …, password: …))")
    public func authenticate(username: String, password: String) -> Self { self }

    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, renamed: "progress(_:)")
    public func downloadProgress(_ closure: @escaping (TransferProgress) -> Void) -> Self { self }

    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, renamed: "progress(_:)")
    public func uploadProgress(_ closure: @escaping (TransferProgress) -> Void) -> Self { self }
}

/// The response of another library, so that the compiler reports the call that receives it.
@available(*, unavailable, message: "use try await, or the completion handlers of DataRequest")
public struct ResponseOfOtherLibrary<Value> {
    /// The value.
    public var value: Value? { nil }
    /// The error.
    public var error: (any Error)? { nil }
    /// The result.
    public var result: Result<Value, any Error> { .failure(NoValue()) }
    /// The body.
    public var data: Data? { nil }
    /// The head.
    public var response: HTTPURLResponse? { nil }

    private struct NoValue: Error {}
}

/// The form of another library, so that the compiler reports the call that fills it.
@available(*, unavailable, message: "use body: .multipart(…)")
public struct FormOfOtherLibrary {
    /// Appends a part.
    public func append(
        _ value: Any, withName name: String, fileName: String? = nil, mimeType: String? = nil
    ) {}
}

extension RESTClientError {
    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, message: "use method and url, or response?.request")
    public var request: URLRequest? { response?.request }

    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, message: "use response?.status, or kind == .status(404)")
    public var statusCode: Int? { response?.status.rawValue }
}

extension PaginationRule where Self == PaginationConvention {
    /// A name of another library; the message of the compiler has the call to use.
    @available(*, unavailable, message: "use .token(at: \"next_cursor\", parameter: \"cursor\")")
    public static func cursor(_ path: MemberPath = "next_cursor", parameter: String = "cursor") -> Self {
        .token(at: path, parameter: parameter)
    }
}
