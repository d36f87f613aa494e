// Events for logs and traces.

import Foundation
import RESTClient

// snippet.hide
// A stand-in for the type of swift-log, so that this package does not need it.
struct Logger: Sendable {
    enum Level { case debug, info, error }
    let label: String

    func log(level: Level, _ message: String, metadata: [String: String]) { print(level, message, metadata) }
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
