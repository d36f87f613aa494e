import Foundation

/// The cookies of a message, their values masked.
enum HARCookie {
    static func sent(_ headers: HTTPHeaders) -> [JSONLiteral] {
        headers[all: .cookie].flatMap { $0.split(separator: ";") }.compactMap { literal($0, []) }
    }

    static func set(_ headers: HTTPHeaders) -> [JSONLiteral] {
        headers[all: .setCookie].compactMap { field in
            let parts = field.split(separator: ";")
            return parts.first.flatMap { literal($0, parts.dropFirst()) }
        }
    }

    private static func literal(_ pair: Substring, _ attributes: ArraySlice<Substring>) -> JSONLiteral? {
        guard let equals = pair.firstIndex(of: "=") else { return nil }
        let name = pair[..<equals].trimmingCharacters(in: .whitespaces)
        var members: [(key: String, value: JSONLiteral)] = [
            ("name", .string(name)), ("value", .string(Redaction.mask)),
        ]
        for attribute in attributes {
            let parts = attribute.split(separator: "=", maxSplits: 1)
                .map { $0.trimmingCharacters(in: .whitespaces) }
            let member: (key: String, value: JSONLiteral)
            switch (parts.first?.lowercased(), parts.dropFirst().first) {
            case ("path", let path?): member = ("path", .string(path))
            case ("domain", let domain?): member = ("domain", .string(domain))
            case ("httponly", _): member = ("httpOnly", true)
            case ("secure", _): member = ("secure", true)
            default: continue
            }
            // The last of one name counts (RFC 6265, section 5.3).
            members.removeAll { $0.key == member.key }
            members.append(member)
        }
        return JSONLiteral(.object(members))
    }
}
