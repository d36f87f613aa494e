import RESTClientHTTP

/// The flags of a convention that say whether more items follow.
extension PageInfo {
    /// Returns `true` if a flag says that more items follow, `false` if one says that this is the last page, or
    /// `nil` if there is none. Throws if a flag cannot be read, has a name for the other sense, or contradicts.
    func saysMore(_ convention: PaginationConvention) throws -> Bool? {
        let more = try flag(convention.more, of: convention) { $0.contains(.end) }
        let last = try flag(convention.last, of: convention) { $0.contains(.more) }
        if let more, let last, more == last { throw RESTClientError(pagination: .missingNext) }
        return more ?? last.map { !$0 }
    }

    /// Returns the value of a flag, or `nil` if it is missing or null.
    private func flag(
        _ member: PaginationConvention.Flag?, of convention: PaginationConvention,
        hasOtherSense: (PaginationRoles) -> Bool
    ) throws -> Bool? {
        guard let member else { return nil }
        var path = member.path
        if case .token(let token) = convention.kind { path = self.path(of: member.path, for: token.source) }
        guard let json = envelope.json(path) else {
            try checkNotOmitted(path)
            return nil
        }
        if json == "null" { return nil }
        guard member.text != nil || !hasOtherSense(PaginationNames.roles(of: path.names.last ?? "")) else {
            throw RESTClientError(pagination: .oppositeFlag(path), suggestion: convention.swappingFlags())
        }
        let text = (envelope.string(path) ?? json).lowercased()
        if let set = member.text { return text == set.lowercased() }
        guard let flag = PaginationNames.flags[text]
        else { throw RESTClientError(pagination: .invalidFlag(in: path, json)) }
        return flag
    }

    /// Returns the path in the document of a member, which in GraphQL begins at the object around the list.
    func path(of member: MemberPath, for source: PaginationConvention.Token.Source) -> MemberPath {
        guard case .besideList = source else { return member }
        return MemberPath(names: path.names.dropLast() + member.names)
    }
}
