import Foundation
import RESTClientHTTP

@testable import MockTransport

extension FuzzTarget {
    private struct Parsed: Equatable {
        var messages: [RequestParser.Message] = []
        var failure: HTTPError?

        init(_ pieces: [ArraySlice<UInt8>]) {
            var limits = LoopbackServer.Limits()
            limits.headBytes = 400
            limits.bodyBytes = 400
            var parser = RequestParser(authority: "127.0.0.1:80", limits: limits)
            do throws(HTTPError) {
                for piece in pieces {
                    piece.withUnsafeBytes { parser.append($0) }
                    while let message = try parser.next() { messages.append(message) }
                }
            } catch {
                failure = error
            }
            expect(messages.allSatisfy { $0.body.count <= 400 }, "a body that exceeds the limit")
        }
    }

    /// Checks that the request parser returns the same for pieces as for the whole.
    static let requests = Self(name: "requests") { input in
        let (whole, pieces) = input.inPieces()
        let once = Parsed([whole])
        let often = Parsed(pieces)
        expect(once.messages == often.messages, "pieces have other requests than the whole")
        expect(
            (once.failure == nil) == (often.failure == nil),
            "only one of pieces and whole is rejected")
    }
}

extension FuzzTarget {
    /// Checks that an archive that can be read can also be replayed, and written and read again without loss.
    static let har = Self(name: "har") { input in
        guard let archive = try? HAR(parsing: Data(input)) else { return }
        _ = archive.routes(speed: 1)
        guard let data = try? archive.data(times: .recorded), let again = try? HAR(parsing: data) else {
            return expect(false, "the written archive cannot be read")
        }
        expect(again.entries.count == archive.entries.count, "the written archive has fewer entries")
        expect(
            (try? again.data(times: .recorded)) == data,
            "the archive changes when it is written and read again")
        expect(
            (try? again.data()) == (try? archive.data()),
            "the archive changes when it is written without times and read again")
    }
}
