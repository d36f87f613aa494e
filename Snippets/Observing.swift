// Events for logs, metrics and traces.

import Foundation
import RESTClient

// snippet.hide
// Stand-ins for the types of swift-log and swift-metrics, so that this package needs neither.
struct Logger: Sendable {
    enum Level { case debug, info, error }
    let label: String

    func log(level: Level, _ message: String, metadata: [String: String]) { print(level, message, metadata) }
}

struct Counter {
    init(label: String, dimensions: [(String, String)]) {}
    func increment() {}
}

struct Timer {
    init(label: String, dimensions: [(String, String)]) {}
    func recordNanoseconds(_ duration: Int64) {}
}

// snippet.show
func logEvents(to logger: Logger) -> EventMonitor {
    EventMonitor { event in
        var level = Logger.Level.debug
        if case .finished(let result) = event.kind { level = (try? result.get()) == nil ? .error : .info }
        logger.log(
            level: level, "\(event)",
            metadata: [
                "request": "\(event.request)", "method": "\(event.method)",
                "url": "\(event.url?.path() ?? "")",
                "attempt": "\(event.attempt)", "status": "\(event.status?.rawValue ?? 0)",
                "time": "\(event.time)",
                "sent": "\(event.sent)", "received": "\(event.received)",
            ])
    }
}

func measureRequests() -> EventMonitor {
    EventMonitor { event in
        guard case .finished = event.kind else { return }
        let dimensions = [("method", "\(event.method)"), ("status", "\(event.status?.rawValue ?? 0)")]
        Counter(label: "http_client_requests", dimensions: dimensions).increment()
        Timer(label: "http_client_duration", dimensions: dimensions)
            .recordNanoseconds(Int64(event.time / .nanoseconds(1)))
    }
}

func logSlowConnections(to logger: Logger) -> EventMonitor {
    EventMonitor { event in
        guard case .finished = event.kind, let connection = event.connection else { return }
        let times = [
            connection.domainLookup, connection.connect, connection.secureConnection, connection.wait,
        ]
        guard let slowest = times.compactMap(\.self).max(), slowest > .seconds(1) else { return }
        logger.log(level: .info, "\(connection)", metadata: ["times": "\(times)"])
    }
}

/// Adds a W3C trace context to each attempt: the trace of the request, and a new span.
struct TraceParent: RequestInterceptor {
    var traceID: @Sendable () -> String = { hexadecimal(bytes: 16) }

    func intercept(
        _ request: URLRequest, context: RequestContext, next: Next
    ) async throws -> Response<ResponseBody> {
        var request = request
        let span = hexadecimal(bytes: 8)
        request.setValue("00-\(traceID())-\(span)-01", forHTTPHeaderField: "traceparent")
        context.note("span \(span)")
        return try await next(request)
    }
}

func hexadecimal(bytes count: Int) -> String {
    let digits = "0123456789abcdef"
    return String((0..<2 * count).compactMap { _ in digits.randomElement() })
}
// snippet.hide

func observed(_ logger: Logger, configuration: URLSessionConfiguration) -> SessionManager {
    // snippet.show
    let manager = SessionManager(
        configuration: configuration, interceptors: [.retry(), TraceParent()],
        monitor: logEvents(to: logger))
    // snippet.hide
    return manager
}
