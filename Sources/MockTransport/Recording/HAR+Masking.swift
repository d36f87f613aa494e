import Foundation

extension HAR {
    /// The same without secrets: in headers, URLs, queries, forms, JSON and multipart parts, by their names; and
    /// wherever else a value stands that had such a name somewhere in the archive.
    func masked() -> HAR {
        var secrets = Secrets()
        let named = entries.map { $0.masked { secrets.maskNamed(&$0) } }
        let echoes = secrets.echoes
        return HAR(named.map { $0.masked { echoes.mask(&$0) } })
    }
}

extension HAR.Entry {
    /// What of an exchange may hold a secret.
    struct Texts {
        var url: URL
        var asked: (headers: HTTPHeaders, body: Data)
        var answered: (headers: HTTPHeaders, body: Data)
        var failure: String
    }

    fileprivate func masked(_ mask: (inout Texts) -> Void) -> HAR.Entry {
        let whole = response.body
        var texts = Texts(
            url: request.url, asked: (request.headers, request.body), answered: (response.headers, whole),
            failure: response.failure?.text ?? "")
        mask(&texts)
        var copy = self
        copy.request.url = texts.url
        copy.request.headers = texts.asked.headers
        copy.request.body = texts.asked.body
        copy.response.headers = texts.answered.headers
        copy.response.failure?.text = texts.failure
        if texts.answered.body != whole { copy.response.chunks = cut(texts.answered.body, whole.count) }
        return copy
    }

    /// The pieces are cut where they were, as far as that can be said of another text.
    private func cut(_ masked: Data, _ count: Int) -> [HAR.Chunk] {
        var old = 0
        var start = 0
        return response.chunks.compactMap { chunk in
            old += chunk.data.count
            let end = Int(Double(masked.count) * Double(old) / Double(count))
            defer { start = end }
            return end > start ? HAR.Chunk(time: chunk.time, data: Data(masked[start..<end])) : nil
        }
    }
}
