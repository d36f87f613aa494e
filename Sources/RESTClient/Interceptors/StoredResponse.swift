import Foundation
import RESTClientHTTP

/// A response with validators, and the URL and fields of its request that selected it.
struct StoredResponse: Codable, Sendable {
    private var fields: [[String]]
    private var body = Data()
    /// The URL of the request, with secrets masked.
    private let url: String
    /// The hashes of the values of the request fields that select the response, by name in lower case.
    private let selection: [String: UInt64]
    /// The hash of the credentials of the request.
    private let credentials: UInt64

    /// Creates a response without a body; returns `nil` if it must not be stored, or has no validator.
    init?(_ headers: HTTPHeaders, to request: URLRequest) {
        let names = Self.words(headers["Vary"])
        guard headers[.eTag] != nil || headers[.lastModified] != nil, !names.contains("*"),
            !Self.words(headers["Cache-Control"]).contains("no-store"),
            !Self.words(request.value(forHTTPHeaderField: "Cache-Control")).contains("no-store")
        else { return nil }
        fields = headers.filter { $0.name != "Set-Cookie" }.map { [$0.name.rawValue, $0.value] }
        url = Self.url(of: request)
        selection = Self.selection(["accept"] + names, request)
        credentials = Self.credentials(of: request).utf8.stableHash
    }

    var headers: HTTPHeaders {
        var headers = HTTPHeaders()
        for field in fields where field.count == 2 { headers.add(HTTPHeaders.Name(field[0]), field[1]) }
        return headers
    }

    var byteCount: Int { body.count + url.utf8.count + fields.joined().reduce(0) { $0 + $1.utf8.count } }

    /// Returns `true` if `request` has the same URL, credentials and selecting fields. Another request can have the same key, because
    /// collisions can be constructed.
    func matches(_ request: URLRequest) -> Bool {
        Self.url(of: request) == url && Self.credentials(of: request).utf8.stableHash == credentials
            && Self.selection(Array(selection.keys), request) == selection
    }

    func with(_ body: Data) -> Self {
        var copy = self
        copy.body = body
        return copy
    }

    /// Returns the response with the fields of a 304 (RFC 9111, section 3.2), except for those that describe its body.
    func updated(by headers: HTTPHeaders) -> Self {
        let excluded: Set<HTTPHeaders.Name> = [
            "Content-Length", "Content-Encoding", "Content-Type", "Set-Cookie",
        ]
        let newer = headers.filter { !excluded.contains($0.name) }
        let names = Set(newer.map(\.name))
        var copy = self
        copy.fields = fields.filter { !names.contains(HTTPHeaders.Name($0.first ?? "")) }
        copy.fields += newer.map { [$0.name.rawValue, $0.value] }
        return copy
    }

    func response(to request: URLRequest, _ delivery: RequestContext.Delivery) -> Response<ResponseBody> {
        let body: ResponseBody =
            switch delivery {
            case .buffered: .data(self.body)
            case .streamed: .stream(ByteStream(self.body))
            }
        return Response(to: request, status: 200, headers: headers, body: body)
    }

    // MARK: Keys

    /// Returns the key of the response to `request`: a hash of its URL, `Accept` and credentials.
    static func key(of request: URLRequest) -> String? {
        guard let url = request.url else { return nil }
        let parts = [url.absoluteString, request[.accept] ?? "", credentials(of: request)]
        return String(parts.joined(separator: "\n").utf8.stableHash, radix: 16)
    }

    /// Returns all that the package treats as a secret: fields with a secret name or with a secret in their value, and
    /// the URL if it contains one. They may select a response even if `Vary` does not name them.
    static func credentials(of request: URLRequest) -> String {
        // The request as it is sent: user info is moved to a field, and a fragment is removed.
        let request = (try? request.checked()) ?? request
        let fields = HTTPHeaders(request.allHTTPHeaderFields ?? [:])
            .filter { Redaction.value($0.value, of: $0.name) != $0.value }
            .map { "\($0.name.rawValue.lowercased()): \($0.value)" }.sorted()
        let url = request.url.flatMap { Redaction.url($0) == $0.absoluteString ? nil : $0.absoluteString }
        return (fields + [url ?? ""]).joined(separator: "\n")
    }

    private static func url(of request: URLRequest) -> String { request.url.map(Redaction.url) ?? "" }

    private static func selection(_ names: [String], _ request: URLRequest) -> [String: UInt64] {
        let pairs = names.map { ($0, (request.value(forHTTPHeaderField: $0) ?? "").utf8.stableHash) }
        return Dictionary(pairs) { first, _ in first }
    }

    private static func words(_ value: String?) -> [String] {
        (value ?? "").lowercased().split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    }
}

/// A store of responses by key, which removes those that were not set for the longest time. A response that was used is
/// set again, with the fields of the 304.
protocol ResponseStore: Sendable {
    subscript(key: String) -> StoredResponse? { get nonmutating set }
    func removeAll()
}

final class MemoryResponseStore: ResponseStore {
    private struct State {
        var responses: [String: (response: StoredResponse, use: Int)] = [:]
        var byteCount = 0
        var uses = 0
    }

    private let maxBytes: Int
    private let state = LockedState(State())

    init(maxBytes: Int) { self.maxBytes = maxBytes }

    subscript(key: String) -> StoredResponse? {
        get { state.withLock { $0.responses[key]?.response } }
        set {
            state.withLock { state in
                state.byteCount -= state.responses.removeValue(forKey: key)?.response.byteCount ?? 0
                guard let newValue, newValue.byteCount <= maxBytes else { return }
                state.uses += 1
                state.responses[key] = (newValue, state.uses)
                state.byteCount += newValue.byteCount
                while state.byteCount > maxBytes,
                    let oldest = state.responses.min(by: { $0.value.use < $1.value.use })
                {
                    state.byteCount -= oldest.value.response.byteCount
                    state.responses[oldest.key] = nil
                }
            }
        }
    }

    func removeAll() { state.withLock { $0 = State() } }
}

/// A store in the files of a directory. A file that cannot be read or written is treated as missing.
final class FileResponseStore: ResponseStore {
    private let directory: URL
    private let maxBytes: Int
    /// Protects the directory while files are written and removed.
    private let lock = LockedState(())

    init(_ directory: URL, maxBytes: Int) throws {
        self.directory = directory
        self.maxBytes = maxBytes
        try FileManager.default.createDirectory(
            at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    private static let pathExtension = "response"

    private func file(_ key: String) -> URL {
        directory.appending(path: key).appendingPathExtension(Self.pathExtension)
    }

    subscript(key: String) -> StoredResponse? {
        get {
            guard let data = try? Data(contentsOf: file(key)) else { return nil }
            return try? PropertyListDecoder().decode(StoredResponse.self, from: data)
        }
        set {
            lock.withLock { _ in
                let encoder = PropertyListEncoder()
                encoder.outputFormat = .binary
                guard let newValue, let data = try? encoder.encode(newValue), data.count <= maxBytes,
                    (try? FileReplacement.write(data, to: file(key))) != nil
                else {
                    try? FileManager.default.removeItem(at: file(key))
                    return
                }
                removeOldest()
            }
        }
    }

    func removeAll() {
        lock.withLock { _ in for (file, _) in files { try? FileManager.default.removeItem(at: file) } }
    }

    private var files: [(url: URL, attributes: FileAttributes)] {
        let urls = try? FileManager.default.contentsOfDirectory(
            at: directory, includingPropertiesForKeys: nil)
        return (urls ?? []).filter { $0.pathExtension == Self.pathExtension }.map { ($0, FileAttributes($0)) }
    }

    private func removeOldest() {
        var files = files.sorted {
            ($0.attributes.modified ?? .distantPast) > ($1.attributes.modified ?? .distantPast)
        }
        var byteCount = files.reduce(0) { $0 + ($1.attributes.size ?? 0) }
        while byteCount > maxBytes, let oldest = files.popLast() {
            byteCount -= oldest.attributes.size ?? 0
            try? FileManager.default.removeItem(at: oldest.url)
        }
    }
}
