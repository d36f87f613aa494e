// swift-format-ignore-file
// The views and modifiers of SwiftUI that the examples use, in the shapes of Apple platforms. Nothing here runs.
@MainActor @preconcurrency public protocol View {
    associatedtype Body: View
    @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}
extension Never: View { public var body: Never { return fatalError() } }

@resultBuilder public struct ViewBuilder {
    public static func buildBlock<each Content: View>(_ content: repeat each Content) -> EmptyView { EmptyView() }
    public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
    public static func buildEither<Content: View>(first content: Content) -> EmptyView { EmptyView() }
    public static func buildEither<Content: View>(second content: Content) -> EmptyView { EmptyView() }
    public static func buildOptional<Content: View>(_ content: Content?) -> EmptyView { EmptyView() }
}

public struct EmptyView: View { public nonisolated init() {}; public var body: Never { return fatalError() } }
public struct Text: View {
    public init<Content: StringProtocol>(_ content: Content) {}
    public var body: Never { return fatalError() }
}
public struct ProgressView: View { public init() {}; public var body: Never { return fatalError() } }
public struct Button: View {
    public init<Content: StringProtocol>(_ title: Content, action: @escaping @MainActor () -> Void) {}
    public var body: Never { return fatalError() }
}
public struct List<Content: View>: View {
    public init(@ViewBuilder content: () -> Content) {}
    public init<Data: RandomAccessCollection>(_ data: Data, @ViewBuilder row: @escaping (Data.Element) -> Content)
    where Data.Element: Identifiable {}
    public var body: Never { return fatalError() }
}
public struct ForEach<Content: View>: View {
    public init<Data: RandomAccessCollection>(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content)
    where Data.Element: Identifiable {}
    public var body: Never { return fatalError() }
}

@propertyWrapper public struct State<Value> {
    public var wrappedValue: Value { get { fatalError() } nonmutating set {} }
    public var projectedValue: Binding<Value> { fatalError() }
    public init(wrappedValue: Value) {}
}
@dynamicMemberLookup public struct Binding<Value> {
    public subscript<Member>(dynamicMember path: WritableKeyPath<Value, Member>) -> Binding<Member> { fatalError() }
}

extension View {
    public func searchable(text: Binding<String>) -> some View { EmptyView() }
    public func task(_ action: @escaping @MainActor @Sendable () async -> Void) -> some View { EmptyView() }
    public func refreshable(action: @escaping @MainActor @Sendable () async -> Void) -> some View { EmptyView() }
}

@MainActor @preconcurrency public protocol PreviewProvider {
    associatedtype Previews: View
    @ViewBuilder @MainActor @preconcurrency static var previews: Previews { get }
}
