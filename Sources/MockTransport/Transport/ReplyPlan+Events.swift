import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension ReplyPlan {
    /// What a client that asked for `url` is told at once.
    func events(for url: URL) -> [Exchange.Event] { steps.compactMap { $0.event(for: url) } }
}

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
    fileprivate func event(for url: URL) -> Exchange.Event {
        let response = HTTPURLResponse(
            url: url, statusCode: status.rawValue, httpVersion: "HTTP/1.1", headerFields: fields)
        guard let response else {
            return .failure(
                MockServerError(.unusableReply, "the platform makes no response of status \(status)"))
        }
        return .head(response)
    }
}
