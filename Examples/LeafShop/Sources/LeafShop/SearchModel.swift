import Foundation
import Observation

/// The model of a search field, which searches while the user types.
@MainActor @Observable final class SearchModel {
    enum State: Equatable {
        case idle
        case loading
        case loaded([Leaf])
        case failed(String)
    }

    typealias Search = @Sendable (_ text: String) async throws -> [Leaf]

    private(set) var state = State.idle
    /// The text of the search field. A change starts a search, and cancels the one before.
    var text = "" {
        didSet { if text != oldValue { search() } }
    }

    @ObservationIgnored private(set) var searching: Task<Void, Never>?
    private let leaves: Search
    private let clock: any Clock<Duration>

    init(clock: any Clock<Duration> = ContinuousClock(), leaves: @escaping Search) {
        (self.clock, self.leaves) = (clock, leaves)
    }

    /// Searches for the text after a delay. A view calls this method to repeat a search that has failed.
    func search() {
        searching?.cancel()
        let text = text.trimmingCharacters(in: .whitespaces)
        guard !text.isEmpty else {
            state = .idle
            return
        }
        searching = Task {
            let result: State
            do {
                try await clock.sleep(for: .milliseconds(300))
                // The task can be cancelled after the delay has ended and before it continues.
                try Task.checkCancellation()
                state = .loading
                result = .loaded(try await leaves(text))
            } catch {
                result = .failed(error.localizedDescription)
            }
            // The task is cancelled if another search has replaced this one.
            if !Task.isCancelled { state = result }
        }
    }
}
