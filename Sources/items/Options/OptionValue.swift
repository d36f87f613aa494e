import RESTClient

/// Parsers for the values of options.
enum OptionValue {
    /// Parses a whole number from 0.
    static func count(_ text: String, of option: String) throws(UsageError) -> Int {
        guard isDigits(text[...]), let number = Int(text) else {
            throw UsageError("\(option) requires a whole number from 0, not \(TerminalEscaping.quoted(text))")
        }
        return number
    }

    /// Parses a whole number from 1.
    static func positive(_ text: String, of option: String) throws(UsageError) -> Int {
        guard isDigits(text[...]), let number = Int(text), number > 0 else {
            throw UsageError("\(option) requires a whole number from 1, not \(TerminalEscaping.quoted(text))")
        }
        return number
    }

    /// Parses a number of bytes from 1, such as `65536`, `64K`, `16M` or `4G`. As in curl, a K is 1,024.
    static func size(_ text: String, of option: String) throws(UsageError) -> Int {
        let shift = text.last.flatMap { ["k": 10, "m": 20, "g": 30][$0.lowercased()] }
        let digits = text.dropLast(shift == nil ? 0 : 1)
        guard isDigits(digits), let number = Int(digits), number > 0, number <= Int.max >> (shift ?? 0) else {
            throw UsageError(
                "\(option) requires a size such as 65536, 64K or 4G, not \(TerminalEscaping.quoted(text))")
        }
        return number << (shift ?? 0)
    }

    /// Parses paths separated by commas. A backslash escapes a comma in a name.
    static func fields(_ text: String) throws(UsageError) -> [String] {
        var fields = [""]
        var isEscaped = false
        for scalar in text.unicodeScalars {
            if isEscaped {
                // All other escapes are part of the member path.
                if scalar != "," { fields[fields.count - 1] += "\\" }
                fields[fields.count - 1].unicodeScalars.append(scalar)
                isEscaped = false
            } else if scalar == "\\" {
                isEscaped = true
            } else if scalar == "," {
                fields.append("")
            } else {
                fields[fields.count - 1].unicodeScalars.append(scalar)
            }
        }
        if isEscaped { fields[fields.count - 1] += "\\" }
        guard !fields.contains("") else {
            throw UsageError("--field \(TerminalEscaping.quoted(text, limit: 80)): empty path")
        }
        return fields
    }

    /// Parses a duration in seconds, such as `2` or `0.5`. As in curl, 0 means no limit.
    static func seconds(_ text: String, of option: String) throws(UsageError) -> Duration? {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let isNumber = parts.contains { !$0.isEmpty } && parts.allSatisfy { $0.isEmpty || isDigits($0) }
        let fraction = parts.count > 1 ? parts[1] : ""
        guard isNumber, let seconds = Double("0\(parts[0]).\(fraction)0"), seconds <= 1e9 else {
            throw UsageError(
                "\(option) requires seconds such as 2 or 0.5, not \(TerminalEscaping.quoted(text))",
                hint: isNumber ? "use 0 for no limit" : nil)
        }
        return seconds > 0 ? .seconds(seconds) : nil
    }

    /// Parses `USER` or `USER:PASSWORD`. The password can contain colons.
    static func user(_ text: String) -> Options.User {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        return Options.User(name: String(parts[0]), password: parts.count > 1 ? String(parts[1]) : nil)
    }

    /// Parses a port. 0 selects any free port.
    static func port(_ text: String) throws(UsageError) -> Int {
        guard isDigits(text[...]), let port = Int(text), port <= 65_535 else {
            throw UsageError("--port requires a number from 0 to 65535, not \(TerminalEscaping.quoted(text))")
        }
        return port
    }

    private static func isDigits(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
