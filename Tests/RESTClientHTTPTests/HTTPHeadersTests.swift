import RESTClientHTTP
import Testing

@Suite struct HTTPHeadersTests {
    @Test func `header names are compared without case and keep their case`() {
        let headers: HTTPHeaders = ["X-Trace": "7"]
        #expect(headers["x-trace"] == "7")
        #expect(headers.first?.name.rawValue == "X-Trace")
    }

    @Test func `the description of a method that is not valid is safe to show`() {
        #expect("\(HTTPMethod(rawValue: "GET"))" == "GET")
        #expect("\(HTTPMethod(rawValue: "G\u{1B}[2J"))" == "G\\u001b[2J")
    }

    @Test func `headers keep order, case and duplicates`() {
        var headers: HTTPHeaders = ["X-B": "1", "x-a": "2", "X-b": "3"]
        headers.add("X-A", "4")
        #expect(headers.map(\.name.rawValue) == ["X-B", "x-a", "X-b", "X-A"])
        #expect(headers.map(\.value) == ["1", "2", "3", "4"])
        #expect(headers[all: "x-b"] == ["1", "3"])
        #expect(headers["X-A"] == "2, 4")
    }

    @Test func `setting a header replaces all its values at the position of the first`() {
        var headers: HTTPHeaders = ["X-B": "1", "X-A": "2", "x-b": "3"]
        headers["x-B"] = "4"
        #expect(headers.map(\.value) == ["4", "2"])
        headers["X-A"] = nil
        #expect(headers.map(\.value) == ["4"])
    }
}
