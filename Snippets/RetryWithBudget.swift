import RESTClient

// snippet.hide
func retrying() -> SessionManager {
    // snippet.show
    let budget = RetryBudget()
    let manager = SessionManager(interceptors: [.retry(RetryPolicy(maxAttempts: 3, budget: budget))])
    // snippet.hide
    return manager
}
_ = retrying()
