extension QueryItems {
    /// The members of an object as items, nested values under nested names, in the order written.
    ///
    /// There is no standard for it; this is what Rails, PHP and Alamofire do by default. A member of an object is
    /// `user[name]`, each element of a list `tags[]`; truth values are `true` and `false`, and `nil` is left out, as are
    /// empty lists and objects.
    ///
    /// ```swift
    /// let form = try QueryItems(nesting: ["user": ["name": "tea", "tags": ["a", "b"]], "old": nil])
    /// form.percentEncoded     // user[name]=tea&user[tags][]=a&user[tags][]=b, the brackets percent-encoded
    /// ```
    ///
    /// - Throws: `EncodingError` unless `value` is an object of what can be encoded, its numbers finite.
    public init(nesting value: JSONLiteral) throws {
        guard case .object(let members) = value.node else {
            if case .invalid(let error) = value.node { throw error }
            throw EncodingError.invalidValue(
                value, .init(codingPath: [], debugDescription: "Only an object has names for a form."))
        }
        self.init()
        for member in members { try add(member.value, under: member.key) }
    }

    private mutating func add(_ value: JSONLiteral, under name: String) throws {
        switch value.node {
        case .null: break
        case .string(let text): add(name, text)
        case .array(let elements): for element in elements { try add(element, under: "\(name)[]") }
        case .object(let members):
            for member in members { try add(member.value, under: "\(name)[\(member.key)]") }
        case .bool, .integer, .number, .invalid:
            add(name, String(decoding: try value.encoded(), as: UTF8.self))
        }
    }
}
