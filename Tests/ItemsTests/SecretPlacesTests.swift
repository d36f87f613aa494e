import Foundation
import MockTransport
import RESTClientHTTP
import RESTClientTestSupport
import Testing

@testable import RESTClient
@testable import items

@Suite struct SecretPlacesTests {
    /// Sends the request of a place, and returns the text of each output.
    private func outputs(_ place: SecretPlace) async throws -> [SecretPlace.Output: String] {
        let lines = LockedState("")
        let events = LockedState("")
        let server = MockServer { Route(.any) { place.reply } }
        let messages = Messages(level: .verbose) { text in lines.withLock { $0 += text } }
        let logger = RequestLogger(messages: messages)
        let monitor = EventMonitor { event in
            events.withLock {
                $0 += "\(event)\n"
                _ = dump(event, to: &$0)
            }
            logger.monitor.receive(event)
        }
        let manager = SessionManager(
            configuration: server.configuration, interceptors: [logger], monitor: monitor)
        var headers: HTTPHeaders = [:]
        for (name, value) in place.headers where place.body == nil || name != "Content-Type" {
            headers.add(.init(name), value)
        }
        let type = place.headers.first { $0.name == "Content-Type" }?.value ?? ""
        let body = place.body.map { RequestBody.data(Data($0.utf8), type: MediaType(rawValue: type)) }
        let request = manager.request(
            try #require(URL(string: place.url)), method: body == nil ? HTTPMethod.get : .put,
            headers: headers,
            body: body)
        // A `do` statement, because `#expect(throws:)` describes each member of the error, which takes long.
        let error: RESTClientError
        do {
            _ = try await request.response()
            Issue.record("no error")
            return [:]
        } catch let failure as RESTClientError { error = failure }
        messages.report(CommandError(error))

        var text =
            "\(error)\n\(error as NSError)\n\(error.errorDescription ?? "")\n\(error.serverMessage ?? "")"
        dump(error, to: &text)
        if let response = error.response {
            text += String(decoding: response.body, as: UTF8.self)
            text +=
                "\(response.request.allHTTPHeaderFields ?? [:]) \(response.request.url?.absoluteString ?? "")"
            for field in response.headers { text += "\(field.value)\n" }
        }
        var curl = "\(request.cURLDescription)\n\(request)\n"
        dump(request, to: &curl)
        let recording = String(decoding: try server.recording.data(), as: UTF8.self)
        return [
            .error: text, .event: events.withLock { $0 }, .cURL: curl, .recording: recording,
            .log: lines.withLock { $0 },
        ]
    }

    /// The forms of the secret as bytes, in which a search is much faster than in a text.
    private static let forms = SecretPlace.forms.map { Data($0.utf8) }

    @Test(arguments: SecretPlace.all)
    func `a secret is shown only by the outputs that the article names`(place: SecretPlace) async throws {
        var shown: Set<SecretPlace.Output> = []
        for (output, text) in try await outputs(place) {
            // An archive escapes the slashes of URLs.
            let isEscaped = Data(text.utf8).contains(bytes: Data("\\/".utf8))
            let plain = Data((isEscaped ? text.replacing("\\/", with: "/") : text).utf8)
            #expect(!plain.isEmpty)
            if Self.forms.contains(where: { plain.contains(bytes: $0) }) { shown.insert(output) }
        }
        #expect(shown == place.shown)
    }

    @Test(arguments: PlainPlace.all)
    func `a value with a name that only resembles that of a secret is shown`(plain: PlainPlace) async throws {
        let values = plain.values.map { Data($0.utf8) }
        let shown = try await outputs(plain.place).filter { output in
            let text = Data(output.value.utf8)
            return values.allSatisfy { text.contains(bytes: $0) }
        }.keys
        #expect(plain.place.shown.isSubset(of: shown) && !shown.isEmpty)
    }

    @Test func `the article lists each place at which a secret is shown`() throws {
        let article = try String(contentsOf: Repository.file("Documentation/Guarantees.md"), encoding: .utf8)
        for place in SecretPlace.all where !place.shown.isEmpty {
            let outputs = SecretPlace.Output.allCases.filter(place.shown.contains).map(\.rawValue)
            let row = "| \(place.name) | \(outputs.joined(separator: ", ")) |"
            #expect(article.contains(row), "\(row)")
        }
        #expect(SecretPlace.all.count >= 240)
        #expect(Set(SecretPlace.all.map(\.name)).count == SecretPlace.all.count)
    }
}
