import Foundation
import RESTClient
import Testing

extension Behaviour {
    static let connections: [Behaviour] = [
        Behaviour("twenty requests one after the other are answered each") { subject in
            for number in 0..<20 {
                let count = number.isMultiple(of: 2) ? 1 : 65_536
                try await #expect(subject.response("/bytes/\(count)").body.count == count)
            }
        },
        Behaviour("fifty requests at a time get each its own answer", except: fixedAnswers) { subject in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<50 {
                    group.addTask {
                        let echo = try await subject.echo(method: .get, query: "?n=\(number)")
                        #expect(echo.args == ["n": "\(number)"])
                    }
                }
                try await group.waitForAll()
            }
        },
        Behaviour("a manager that is shut down sends nothing") { subject in
            await subject.manager.shutdown()
            let request = try subject.request("/bytes/1")
            let error = await #expect(throws: RESTClientError.self) { try await request.response() }
            #expect(error?.kind == .shutDown)
        },
    ]
}
