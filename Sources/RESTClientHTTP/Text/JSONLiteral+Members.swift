extension JSONLiteral {
    /// The text of a string, or the JSON of any other value.
    package var text: String { if case .string(let text) = node { text } else { description } }

    /// The value at `path`, or `nil` if there is none.
    package subscript(path: MemberPath) -> Self? {
        path.names.reduce(self) { (value: Self?, name) in
            guard case .object(let members)? = value?.node else { return nil }
            return members.first { $0.key == name }?.value
        }
    }

    /// Returns the value with the member at `path` replaced or added. Values around it that are not objects become
    /// objects.
    package func setting(_ path: MemberPath, to value: Self) -> Self { setting(path.names[...], to: value) }

    private func setting(_ names: ArraySlice<String>, to value: Self) -> Self {
        guard let name = names.first else { return value }
        var members: [(key: String, value: Self)] = []
        if case .object(let present) = node { members = present }
        let index = members.firstIndex { $0.key == name }
        let member = index.map { members[$0].value } ?? Self(.null)
        let changed = (name, member.setting(names.dropFirst(), to: value))
        if let index { members[index] = changed } else { members.append(changed) }
        return Self(.object(members))
    }
}
