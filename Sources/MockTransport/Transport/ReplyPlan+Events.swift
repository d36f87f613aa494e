import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension ReplyPlan.Step {
    /// What a client that asked for `url` is told of it; nothing of what takes time.
    func event(for url: URL) -> Exchange.Event? {
        switch self {
        case .head(let head): head.event(for: url)
        case .chunk(let data): .chunk(data)
        case .end: .end
        case .broken(let kind): .failure(kind.error(for: url))
        case .failure(let error): .failure(error)
        case .wait, .stall, .chunks, .passthrough: nil
        }
    }
}

extension ReplyPlan.Head {
    /// Fields of one name are joined, as URLSession does with those from a socket.
    fileprivate func event(for url: URL) -> Exchange.Event {
        var fields: [String: String] = [:]
        var names: Set<HTTPHeaders.Name> = []
        for (name, _) in headers where names.insert(name).inserted {
            fields[name.rawValue] = headers[name]
        }
        let response = HTTPURLResponse(
            url: url, statusCode: status.rawValue, httpVersion: "HTTP/1.1", headerFields: fields)
        guard let response else {
            return .failure(
                MockServerError(.unusableReply, "the platform makes no response of status \(status)"))
        }
        return .head(response)
    }
}
