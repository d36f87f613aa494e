import Foundation

/// The host of a URL in a form that can be compared.
enum Hostname {
    /// Returns a host in lowercase and in ASCII: labels in Unicode are encoded (RFC 3492), brackets around an IPv6 address
    /// are removed.
    static func normalized(_ host: String) -> String {
        let needsWork = host.utf8.contains {
            $0 >= 0x80 || $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "[")
        }
        guard needsWork else { return host.lowercased() }
        let text = host.hasPrefix("[") ? String(host.dropFirst().prefix { $0 != "]" }) : host
        let decoded = (text.removingPercentEncoding ?? text).lowercased()
            .precomposedStringWithCanonicalMapping
        return decoded.split(separator: ".", omittingEmptySubsequences: false).map { label in
            label.utf8.allSatisfy { $0 < 0x80 } ? String(label) : "xn--" + punycode(label)
        }.joined(separator: ".")
    }

    /// Returns the reason why no URL can have the host, or `nil`.
    static func problem(of host: String) -> String? {
        if host.isEmpty { return "the host is empty" }
        if host.contains(where: { "/?# @".contains($0) }) {
            return "\"\(host)\" is not a host; use a URL pattern for other parts of the URL"
        }
        // An IPv6 address has at least two colons.
        if !host.hasPrefix("["), host.count(where: { $0 == ":" }) == 1 {
            return "\"\(host)\" is not a host; use .port(_:) for the port"
        }
        return nil
    }

    /// Encodes a label (RFC 3492, section 6.3).
    private static func punycode(_ label: Substring) -> String {
        let scalars = label.unicodeScalars.map { Int($0.value) }
        let basic = label.unicodeScalars.filter(\.isASCII)
        var result = String(String.UnicodeScalarView(basic))
        if !basic.isEmpty { result += "-" }
        var (next, delta, bias, handled) = (128, 0, 72, basic.count)
        while handled < scalars.count {
            guard let code = scalars.filter({ $0 >= next }).min() else { break }
            delta += (code - next) * (handled + 1)
            next = code
            for scalar in scalars {
                if scalar < next { delta += 1 }
                guard scalar == next else { continue }
                result += variableLength(delta, bias)
                bias = adapted(delta, count: handled + 1, isFirst: handled == basic.count)
                delta = 0
                handled += 1
            }
            delta += 1
            next += 1
        }
        return result
    }

    private static let digits = Array("abcdefghijklmnopqrstuvwxyz0123456789")

    private static func variableLength(_ delta: Int, _ bias: Int) -> String {
        var result = ""
        var (rest, step) = (delta, 36)
        while true {
            let threshold = min(max(step - bias, 1), 26)
            guard rest >= threshold else { break }
            result.append(digits[threshold + (rest - threshold) % (36 - threshold)])
            rest = (rest - threshold) / (36 - threshold)
            step += 36
        }
        result.append(digits[rest])
        return result
    }

    private static func adapted(_ delta: Int, count: Int, isFirst: Bool) -> Int {
        var delta = isFirst ? delta / 700 : delta / 2
        delta += delta / count
        var steps = 0
        while delta > 455 {
            delta /= 35
            steps += 36
        }
        return steps + 36 * delta / (delta + 38)
    }
}
