import Foundation
import RESTClient

extension URLRequest {
    /// The header fields that are sent, sorted by name: those of the request, and those that are added. On Apple
    /// platforms, the latter are not known in advance.
    var sentHeaders: HTTPHeaders {
        var fields = allHTTPHeaderFields ?? [:]
        // The fields that are added are known on Linux only. There is no other arm: the fields of the request stay.
        #if canImport(FoundationNetworking)
        for (name, value) in Self.addedHeaders where self.value(forHTTPHeaderField: name) == nil {
            fields[name] = value
        }
        if let url, let host = url.host(percentEncoded: true) {
            fields["Host"] = host + (url.port.map { ":\($0)" } ?? "")
        }
        if let body = httpBody { fields["Content-Length"] = "\(body.count)" }
        #endif
        return HTTPHeaders(fields)
    }

    // On Linux, always the same fields are added. Those of Apple platforms differ by version and settings.
    #if canImport(FoundationNetworking)
    /// The fields that are added to each request (PLATFORM B). A test compares them with those that a server receives.
    static let addedHeaders = ["Accept-Encoding": "gzip, deflate, br"]
    #else
    /// The fields that URLSession adds to each request, which are not known.
    static let addedHeaders: [String: String] = [:]
    #endif
}
