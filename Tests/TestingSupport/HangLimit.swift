package import Testing

extension Trait where Self == TimeLimitTrait {
    /// A time limit that ends a test that hangs. It is long, because a test on a busy machine may wait for minutes
    /// before it runs.
    package static var hangLimit: Self { .timeLimit(.minutes(20)) }
}
