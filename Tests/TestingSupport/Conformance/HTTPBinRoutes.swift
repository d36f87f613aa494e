import Foundation
package import MockTransport

extension MockServer {
    /// A mock with the httpbin endpoints that the behaviors use.
    package static func httpbin() -> MockServer {
        MockServer {
            Route("/status/:code") { request in
                .status(HTTPStatus(rawValue: request["code", as: Int.self] ?? 0))
            }
            Route("/anything") { request in .json(Echo(of: request)) }
            Route("/anything/**") { request in .json(Echo(of: request)) }
            Route("/bytes/:count") { request in .data(.letters(request["count", as: Int.self] ?? 0)) }
            Route("/stream-bytes/:count") { request in
                let size = request.query["chunk_size"].flatMap(Int.init) ?? 1_024
                return .stream(Data.letters(request["count", as: Int.self] ?? 0).chunks(of: size))
            }
            Route("/base64/:text") { request in
                .data(Data(base64Encoded: request["text"] ?? "") ?? Data(), as: .html)
            }
            Route("/response-headers") { request in
                request.query.reduce(Reply.json([:])) { reply, item in
                    reply.header(.init(item.name), item.value ?? "")
                }
            }
            Route("/redirect-to") { request in
                let status = request.query["status_code"].flatMap(Int.init) ?? 302
                return .redirect(to: request.query["url"] ?? "", status: HTTPStatus(rawValue: status))
            }
            Route("/relative-redirect/:hops") { request in
                let hops = request["hops", as: Int.self] ?? 1
                return .redirect(to: hops > 1 ? "/relative-redirect/\(hops - 1)" : "/get")
            }
            Route("/get") { request in .json(Echo(of: request)) }
            Route("/cookies/set") { request in
                request.query.reduce(Reply.redirect(to: "/cookies")) { reply, item in
                    reply.header(.setCookie, "\(item.name)=\(item.value ?? ""); Path=/")
                }
            }
            Route("/cookies") { request in .json(["cookies": .value(request.headers[.cookie] ?? "")]) }
            Route("/basic-auth/:user/:password") { request in
                let pair = Data("\(request["user"] ?? ""):\(request["password"] ?? "")".utf8)
                guard request.headers[.authorization] == "Basic \(pair.base64EncodedString())" else {
                    return .status(401).header(.wwwAuthenticate, "Basic realm=\"Fake Realm\"")
                }
                return .json(["authenticated": true])
            }
            Route("/bearer") { request in
                request.headers[.authorization]?.hasPrefix("Bearer ") == true
                    ? .json(["authenticated": true]) : .status(401).header(.wwwAuthenticate, "Bearer")
            }
            Route("/cache") { request in
                request.headers["If-None-Match"] == nil ? .json([:]).header(.eTag, "\"7\"") : .status(304)
            }
            Route("/gzip") { _ in
                .data(.gzippedJSON, as: .json).header(.contentEncoding, "gzip")
            }
            Route("/delay/:seconds") { request in
                .json([:]).delay(.seconds(request["seconds", as: Int.self] ?? 0))
            }
            Route("/drip") { request in
                let count = request.query["numbytes"].flatMap(Int.init) ?? 10
                let seconds = request.query["duration"].flatMap(Int.init) ?? 2
                return .data(.letters(count)).dribble(chunks: count, over: .seconds(seconds))
            }
        }
    }
}

extension Echo {
    init(of request: ReceivedRequest) {
        method = request.method.rawValue
        args = Dictionary(request.query.map { ($0.name, $0.value ?? "") }) { $1 }
        headers = Dictionary(request.headers.map { ($0.name.rawValue, $0.value) }) { "\($0),\($1)" }
        let isForm = request.headers[.contentType] == MediaType.form.rawValue
        form = isForm ? Dictionary(request.form.map { ($0.name, $0.value ?? "") }) { $1 } : [:]
        data = isForm ? "" : request.text
    }
}

extension Data {
    /// The body of `/bytes`: the letters from a to z, repeated. Two pieces that change places are noticed, unless they are
    /// apart by a multiple of 26.
    static func letters(_ count: Int) -> Data {
        let alphabet = Data("abcdefghijklmnopqrstuvwxyz".utf8)
        var letters = Data(capacity: count + alphabet.count)
        while letters.count < count { letters += alphabet }
        return letters.prefix(Swift.max(count, 0))
    }

    func chunks(of size: Int) -> AsyncStream<Data> {
        AsyncStream { stream in
            for start in Swift.stride(from: 0, to: count, by: Swift.max(size, 1)) {
                stream.yield(dropFirst(start).prefix(Swift.max(size, 1)))
            }
            stream.finish()
        }
    }

    /// `{"gzipped": true}`, compressed with `gzip -n`.
    static let gzippedJSON =
        Data(base64Encoded: "H4sIAAAAAAACA6tWSq/KLChITVGyUigpKk2tBQABxuoVEQAAAA==") ?? Data()
}
