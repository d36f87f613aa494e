import Foundation
import RESTClient

/// Measures speed and memory of large downloads and uploads.
struct Transfers {
    let url: URL

    /// Reads the body with a pause after each chunk.
    func stream(pause: Duration) async throws {
        let start = ContinuousClock.now
        var bytes = 0
        for try await chunk in try await SessionManager().request(url).stream().body {
            bytes += chunk.count
            if pause > .zero { spin(pause) }
        }
        report("streamed", bytes, since: start)
    }

    /// Reads two bodies alternately, and sends a HEAD request after each pair of chunks.
    func streamTwo() async throws {
        let start = ContinuousClock.now
        let manager = SessionManager()
        var first = try await manager.request(url).stream().body.makeAsyncIterator()
        var second = try await manager.request(url).stream().body.makeAsyncIterator()
        var bytes = 0
        var requests = 0
        while true {
            let one = try await first.next()
            let two = try await second.next()
            bytes += (one?.count ?? 0) + (two?.count ?? 0)
            guard one != nil || two != nil else { break }
            _ = try await manager.request(url, method: .head).response()
            requests += 1
        }
        report("streamed two alternately with \(requests) other requests,", bytes, since: start)
    }

    func upload(_ file: URL) async throws {
        let start = ContinuousClock.now
        let sent = try file.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
        let response = try await SessionManager(options: RequestOptions(validation: .none))
            .request(url, method: .put, body: .file(file)).response()
        report("uploaded (\(response.status))", sent, since: start)
    }

    /// Waits without sleeping, which is exact to the microsecond.
    private func spin(_ pause: Duration) {
        let end = ContinuousClock.now + pause
        while ContinuousClock.now < end {}
    }

    private func report(_ what: String, _ bytes: Int, since start: ContinuousClock.Instant) {
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        print(
            String(
                format: "%@ %ld bytes in %.2f s, %.0f MB/s", what, bytes, seconds,
                Double(bytes) / seconds / 1e6))
        PeakMemory.report()
    }
}
