import RESTClient

// snippet.hide
func retrying() -> [SessionManager] {
    // snippet.show
    let manager = SessionManager(interceptors: [.retry()])
    // snippet.hide

    // snippet.show
    let budget = RetryBudget()
    let shop = SessionManager(interceptors: [.retry(RetryPolicy(budget: budget))])
    let stock = SessionManager(interceptors: [.retry(RetryPolicy(maxAttempts: 5, budget: budget))])
    // snippet.hide
    return [manager, shop, stock]
}
_ = retrying()
