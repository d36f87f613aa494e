import Foundation
import RESTClientHTTP

@testable import RESTClient

extension FuzzTarget {
    /// Checks that each part of a multipart body has its two header lines for any field and file name.
    static let multipart = Self(name: "multipart") { input in
        let names = input.split(separator: 0, maxSplits: 3, omittingEmptySubsequences: false).map {
            Array($0).text
        }
        let parts = names.map { RequestBody.Part($0, .data(Data("x".utf8)), filename: names.last) }
        let body = LockedState(Data())
        let done = DispatchSemaphore(value: 0)
        Task.detached {
            if case .data(let data)? = try? await RequestBody.multipart(parts, boundary: "b0undary").encode()
            {
                body.withLock { $0 = data }
            }
            done.signal()
        }
        done.wait()
        let lines = body.withLock { $0 }.split(
            separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        expect(lines.count == parts.count * 5 + 2, "\(lines.count) lines for \(parts.count) parts")
        for line in lines where line.starts(with: Data("Content-Disposition".utf8)) {
            expect(line.count { $0 == UInt8(ascii: "\"") } == 4, "an unescaped quote in a name")
        }
    }

    /// Checks that redirects keep to HTTP and HTTPS and drop the credentials at another origin.
    static let urls = Self(name: "urls") { input in
        let parts = input.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false).map {
            Array($0).text
        }
        guard var request = URL(string: "https://shop.example/a/b?c=d").map({ URLRequest(url: $0) }) else {
            return
        }
        if parts.count > 1, let url = URL(string: parts[1]), Origin(url) != nil { request.url = url }
        request.setValue("s3cr3t", forHTTPHeaderField: "Authorization")
        let response = Response(
            to: request, status: 302, headers: [.location: parts[0]], body: Data())
        if let redirect = try? Redirects.redirect(number: 1, after: response), let url = redirect.proposed.url
        {
            expect(["http", "https"].contains(url.scheme?.lowercased()), "a redirect to \(url)")
            expect(url.user() == nil && url.password() == nil, "user info in a redirect to \(url)")
            expect(Origin(url) != nil, "a redirect without an origin: \(url)")
            let isSame = Origin(url) == Origin(request.url)
            let isAuthorized = redirect.proposed.value(forHTTPHeaderField: "Authorization") != nil
            expect(isAuthorized == isSame, "a credential is sent to \(url)")
        }
        _ = request.url?.resolving(parts[0])
        if let token = ResumeToken(rawValue: parts[0]) {
            expect(
                ResumeToken(rawValue: token.rawValue) == token,
                "a resume token changes when it is converted to text and back")
        }
        _ = MemberPath(stringLiteral: parts[0])
    }

    /// Checks that a page never yields more next pages than requested.
    static let pages = Self(name: "pages") { input in
        let parts = input.split(separator: 0, maxSplits: 2, omittingEmptySubsequences: false).map {
            Array($0)
        }
        let document = parts[0]
        var scanner = ListScanner()
        var count = 0
        guard let url = URL(string: "https://shop.example/a?\(parts.dropFirst().first?.text ?? "")"),
            (try? scanner.scan(ArraySlice(document).span.bytes) { _ in count += 1 }) != nil,
            let envelope = try? scanner.finish()
        else { return }
        var page = PageInfo(url: url, envelope: envelope, itemCount: count)
        if parts.count > 2 { page.headers = [.link: parts[2].text] }
        let conventions: [PaginationConvention] = [
            .link, .next(), .token(), .number(), .offset(), .number(count: "n"),
        ]
        for pagination in [.automatic] + conventions.map(StandardPagination.init) {
            for ahead in [1, 100] {
                page.maxNextPages = ahead
                let urls = (try? pagination.pages(after: page)) ?? []
                expect(urls.count <= ahead, "\(urls.count) pages ahead of \(ahead)")
            }
        }
    }

    /// Checks that any netrc file is parsed or rejected.
    static let netrc = Self(name: "netrc") { input in
        _ = try? Netrc(input.text)
    }
}
