import HTTPCore
import Testing

@Suite struct HTTPHeadersTests {
    @Test func `names compare without case and keep it`() {
        let headers: HTTPHeaders = ["X-Trace": "7"]
        #expect(headers["x-trace"] == "7")
        #expect(headers.first?.name.rawValue == "X-Trace")
    }
}
