import Foundation
import RESTClient
import RESTClientHTTP
import RESTClientTestSupport
import Testing

/// Uploads on connections that are closed, reset or cancelled (PLATFORM A22, A23). A defect ends the process.
@Suite(.serialized) struct UploadStressTests {
    /// The numbers of requests that the server has executed, one line each.
    private static func executed(from start: Int) throws -> [Substring] {
        let path = try #require(ProcessInfo.processInfo.environment["ITEMS_INTEROP_SINK_LOG"])
        return try String(contentsOfFile: path, encoding: .utf8).dropFirst(start).split(separator: "\n")
    }

    @Test(.running(.trusted), .hangLimit)
    func `requests on connections that nginx retires are executed once`() async throws {
        let start = try Self.executed(from: 0).reduce(0) { $0 + $1.count + 1 }
        let manager = SessionManager()
        let url = try Servers.trusted("/limited")
        let body = RequestBody.data(Data(repeating: UInt8(ascii: "x"), count: 3_000))
        let count = Servers.uploads
        var failures: [String] = []
        await withTaskGroup(of: String?.self) { group in
            for number in 0..<count {
                if number >= 16, case let failure?? = await group.next() { failures.append(failure) }
                group.addTask {
                    do {
                        let response = try await manager.request(
                            url, method: .post, headers: ["X-Id": "\(number)"], body: body
                        ).data()
                        let text = String(decoding: response, as: UTF8.self)
                        return text == "\(number)" ? nil : "\(number): \(text)"
                    } catch { return "\(number): \(error)" }
                }
            }
            for await failure in group { if let failure { failures.append(failure) } }
        }
        #expect(failures == [])
        let executed = try Self.executed(from: start)
        #expect(executed.count == count)
        #expect(Set(executed).count == count)
    }
}
