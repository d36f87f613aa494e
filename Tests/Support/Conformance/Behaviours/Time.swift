import Foundation
import RESTClient
import Testing

extension Behaviour {
    /// The other end is silent for longer than any test waits, so that a deadline is met whatever the load.
    static let time: [Behaviour] = [
        Behaviour("the total deadline ends an answer that does not begin", except: fixedAnswers) { subject in
            let request = try subject.request("/delay/10").timeout(.milliseconds(50))
            let error = await #expect(throws: RESTClientError.self) { try await request.response() }
            #expect(error?.kind == .timedOut(.total))
        },
        Behaviour("the idle deadline ends an answer that does not begin", except: fixedAnswers) { subject in
            var request = try subject.request("/delay/10")
            request.options.timeouts = Timeouts(idle: .milliseconds(50))
            let silent = request
            let error = await #expect(throws: RESTClientError.self) { try await silent.response() }
            #expect(error?.kind == .timedOut(.idle))
        },
        Behaviour("the total deadline ends a body that takes its time", except: fixedAnswers) { subject in
            let request = try subject.request("/drip?numbytes=10&duration=100&delay=0")
                .timeout(.milliseconds(50))
            let error = await #expect(throws: RESTClientError.self) { try await request.response() }
            #expect(error?.kind == .timedOut(.total))
        },
        Behaviour("an answer that is in time is whole", except: fixedAnswers) { subject in
            let request = try subject.request("/delay/0").timeout(.seconds(60))
            try await #expect(request.response().status == 200)
        },
    ]

    static let cancellation: [Behaviour] = [
        Behaviour("a call that is cancelled before it begins is not sent") { subject in
            let request = try subject.request("/bytes/1")
            let call = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await request.response()
            }
            await #expect(throws: CancellationError.self) { try await call.value }
        },
        Behaviour("a call that is cancelled before the head ends", except: fixedAnswers) { subject in
            let request = try subject.request("/delay/10")
            let call = Task { try await request.response() }
            try await subject.target.isReached()
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
        },
        Behaviour("a call that is cancelled in the body ends", except: fixedAnswers) { subject in
            let request = try subject.request("/drip?numbytes=10&duration=100&delay=0")
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
        Behaviour("cancelAll ends what is in flight", except: fixedAnswers) { subject in
            let request = try subject.request("/delay/10")
            let (begun, begin) = AsyncStream<Void>.makeStream()
            let call = Task {
                try await request.interceptors(.adapt { _ in begin.finish() }).response()
            }
            for await _ in begun {}
            subject.manager.cancelAll()
            await #expect(throws: CancellationError.self) { try await call.value }
        },
        Behaviour("a reader who leaves ends the transfer") { subject in
            let response = try await subject.request("/bytes/65536").stream()
            for try await _ in response.body { break }
            try await #expect(subject.response("/bytes/1").body.count == 1)
        },
    ]
}
