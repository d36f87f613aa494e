import Foundation
import RESTClient
import Testing

extension Behavior {
    /// The server is silent for longer than a test may take, so that the timeouts apply on a busy machine, too.
    static let timeouts: [Behavior] = [
        Behavior("the total timeout ends a request without a response", except: needsDynamicReplies) {
            client in
            let request = try client.request("/delay/10").timeout(.milliseconds(50))
            let error = await #expect(throws: RESTClientError.self) { try await request.response() }
            #expect(error?.kind == .timedOut(.total))
        },
        Behavior("the idle timeout ends a request without a response", except: needsDynamicReplies) {
            client in
            var request = try client.request("/delay/10")
            request.options.timeouts = Timeouts(idle: .milliseconds(50))
            let silent = request
            let error = await #expect(throws: RESTClientError.self) { try await silent.response() }
            #expect(error?.kind == .timedOut(.idle))
        },
        Behavior("the total timeout ends a slow body", except: needsDynamicReplies) { client in
            let request = try client.request("/drip?numbytes=10&duration=100&delay=0")
                .timeout(.milliseconds(50))
            let error = await #expect(throws: RESTClientError.self) { try await request.response() }
            #expect(error?.kind == .timedOut(.total))
        },
        Behavior("a response within the timeout is complete", except: needsDynamicReplies) { client in
            let request = try client.request("/delay/0").timeout(.seconds(600))
            try await #expect(request.response().status == 200)
        },
    ]

    static let cancellation: [Behavior] = [
        Behavior("a request of a cancelled task ends with CancellationError") { client in
            let request = try client.request("/bytes/1")
            let call = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await request.response()
            }
            await #expect(throws: CancellationError.self) { try await call.value }
        },
        Behavior(
            "a request cancelled before the response ends with CancellationError", except: needsDynamicReplies
        ) { client in
            let request = try client.request("/delay/10")
            let call = Task { try await request.response() }
            try await client.server.waitForRequest()
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
        },
        Behavior(
            "a request cancelled during the body ends with CancellationError", except: needsDynamicReplies
        ) { client in
            let request = try client.request("/drip?numbytes=10&duration=100&delay=0")
            let (begun, begin) = AsyncStream<Void>.makeStream()
            let call = Task {
                let response = try await request.stream()
                begin.finish()
                for try await _ in response.body {}
            }
            for await _ in begun {}
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
        },
        Behavior("cancelAll cancels a running request", except: needsDynamicReplies) { client in
            let request = try client.request("/delay/10")
            let (begun, begin) = AsyncStream<Void>.makeStream()
            let call = Task {
                try await request.interceptors(.adapt { _ in begin.finish() }).response()
            }
            for await _ in begun {}
            client.manager.cancelAll()
            await #expect(throws: CancellationError.self) { try await call.value }
        },
        Behavior("leaving the loop over a body ends the transfer") { client in
            let response = try await client.request("/bytes/65536").stream()
            for try await _ in response.body { break }
            try await #expect(client.response("/bytes/1").body.count == 1)
        },
    ]

    static let connections: [Behavior] = [
        Behavior("twenty consecutive requests are answered") { client in
            for number in 0..<20 {
                let count = number.isMultiple(of: 2) ? 1 : 65_536
                try await #expect(client.response("/bytes/\(count)").body.count == count)
            }
        },
        Behavior("fifty concurrent requests each receive their own response", except: needsDynamicReplies) {
            client in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<50 {
                    group.addTask {
                        let echo = try await client.echo(method: .get, query: "?n=\(number)")
                        #expect(echo.args == ["n": "\(number)"])
                    }
                }
                try await group.waitForAll()
            }
        },
        Behavior("a manager that is shut down sends no request") { client in
            await client.manager.shutdown()
            let request = try client.request("/bytes/1")
            let error = await #expect(throws: RESTClientError.self) { try await request.response() }
            #expect(error?.kind == .shutDown)
        },
    ]
}
