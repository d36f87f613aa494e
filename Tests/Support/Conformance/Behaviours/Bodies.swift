import Foundation
import RESTClient
import Testing

extension Behaviour {
    static let bodies: [Behaviour] =
        [(0, "0 B"), (1, "1 B"), (65_536, "64 KB"), (1_048_576, "1 MB")].map { count, name in
            // httpbin gives random bytes, and 100 KB of them at the most.
            Behaviour(
                "a body of \(name) arrives whole",
                except: count > 100_000 ? [.httpbin: "gives 100 KB at the most"] : [:]
            ) { subject in
                let response = try await subject.response("/bytes/\(count)")
                #expect(response.body.count == count)
                #expect(response.headers[.contentLength] == "\(count)")
            }
        }
        + [1, 1_000, 65_536].map { size in
            Behaviour("a body in chunks of \(size) B arrives whole", except: fixedAnswers) { subject in
                let count = size == 1 ? 200 : 65_536
                let response = try await subject.response("/stream-bytes/\(count)?chunk_size=\(size)")
                #expect(response.body.count == count)
                #expect(response.headers[.contentLength] == nil)
            }
        } + [
            Behaviour("every byte arrives as it is", except: fixedAnswers) { subject in
                let bytes = "\u{0}\r\n\u{1F375}\u{FEFF}é\u{7F}"
                let coded = Data(bytes.utf8).base64EncodedString()
                try await #expect(subject.response("/base64/\(coded)").body == Data(bytes.utf8))
            },
            Behaviour("an empty body in chunks is empty", except: fixedAnswers) { subject in
                try await #expect(subject.response("/stream-bytes/0").body.isEmpty)
            },
            Behaviour("a gzip body is unpacked", except: [.inProcess: unpacked]) { subject in
                struct Answer: Decodable { let gzipped: Bool }
                try await #expect(subject.request("/gzip").decode(Answer.self).gzipped)
            },
            Behaviour("a body that is streamed arrives whole") { subject in
                var count = 0
                let path = subject.target.kind == .httpbin ? "/bytes/65536" : "/bytes/1048576"
                for try await chunk in try await subject.request(path).stream().body { count += chunk.count }
                #expect(count == (subject.target.kind == .httpbin ? 65_536 : 1_048_576))
            },
            Behaviour("a body larger than allowed is an error") { subject in
                var request = try subject.request("/bytes/65536")
                request.options.maxBodyBytes = 10_000
                let limited = request
                let error = await #expect(throws: RESTClientError.self) { try await limited.response() }
                guard case .limit = error?.kind else {
                    Issue.record("\(String(describing: error))")
                    return
                }
            },
            Behaviour("a download is the whole body in a file") { subject in
                let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
                defer { try? FileManager.default.removeItem(at: file) }
                let response = try await subject.request("/bytes/65536").download(to: file)
                #expect(response.status == 200)
                try #expect(Data(contentsOf: file).count == 65_536)
            },
        ]

    private static let unpacked =
        "a mock protocol hands over the bytes that its client gets: URLSession unpacks before it"
}
