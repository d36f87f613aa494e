import Foundation
import RESTClientHTTP
import Testing

/// Errors that lose their Swift type in URLSession on Apple platforms (PLATFORM F4).
@Suite struct ErrorBoxTests {
    private struct TestError: LocalizedError, Equatable {
        let number: Int
        var errorDescription: String? { "error number \(number)" }
    }

    /// Returns an error as URLSession on Apple platforms does: a new one with the same members and some of its own.
    private func copied(_ error: NSError) -> any Error {
        var userInfo = error.userInfo
        userInfo["NSErrorFailingURLStringKey"] = "http://shop.example/"
        return NSError(domain: error.domain, code: error.code, userInfo: userInfo)
    }

    @Test func `an error is found in a copy of its box`() {
        let copy = copied(ErrorBox.boxed(TestError(number: 7)))
        #expect(ErrorBox.unboxed(copy) as? TestError == TestError(number: 7))
    }

    @Test func `a box has the text of its error`() {
        #expect(copied(ErrorBox.boxed(TestError(number: 7))).localizedDescription == "error number 7")
    }

    @Test func `a box has the domain and the code of its error`() {
        let box = ErrorBox.boxed(URLError(.notConnectedToInternet))
        #expect(box.domain == NSURLErrorDomain)
        #expect(box.code == URLError.notConnectedToInternet.rawValue)
    }

    @Test func `a box has the information of its error`() {
        let error = NSError(domain: "shop", code: 5, userInfo: ["tea": "black"])
        let box = ErrorBox.boxed(error)
        #expect(box.domain == "shop")
        #expect(box.code == 5)
        #expect(box.userInfo["tea"] as? String == "black")
        #expect(ErrorBox.unboxed(copied(box)) as NSError === error)
    }

    @Test func `an error without a box stays the same`() {
        #expect(ErrorBox.unboxed(TestError(number: 1)) as? TestError == TestError(number: 1))
        #expect(ErrorBox.unboxed(CancellationError()) is CancellationError)
        #expect((ErrorBox.unboxed(URLError(.timedOut)) as? URLError)?.code == .timedOut)
    }
}
