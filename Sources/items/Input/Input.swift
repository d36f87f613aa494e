import Foundation
import RESTClient

enum Input: Equatable, Sendable {
    case url(URLArgument)
    /// The path of a file, or `-` for the standard input.
    case file(String)
    case demo(Scenario)

    /// The URL to request, or `nil` for a file.
    var argument: URLArgument? {
        get throws(CommandError) {
            switch self {
            case .url(let argument): argument
            case .demo(let scenario): try URLArgument(scenario.url)
            case .file: nil
            }
        }
    }

    var path: String { if case .file(let path) = self { path } else { "-" } }

    init(
        _ options: Options, defaultURL: String? = nil, hasInput: Bool = false, isFile: (String) -> Bool
    ) throws {
        if let scenario = options.demo {
            self = .demo(scenario)
        } else if let operand = options.input {
            try self.init(operand, isFile: isFile)
        } else if let defaultURL, !defaultURL.isEmpty {
            try self.init(defaultURL: defaultURL)
        } else if hasInput, options.tokenFile != "-", !options.data.contains(where: \.isStandardInput) {
            self = .file("-")
        } else {
            throw CommandError.usage(
                "missing input: pass a URL, a FILE or - for standard input",
                hint: options.inputHint ?? "see items --help, or try items --demo")
        }
    }

    private init(defaultURL: String) throws {
        do { try self.init(defaultURL, isFile: { _ in false }) } catch { throw error.naming("ITEMS_URL") }
        guard case .url = self else {
            let text = URLArgument.masked(defaultURL).quoted(200)
            throw CommandError.usage("ITEMS_URL is not a URL: \(text)")
        }
    }

    private init(_ operand: String, isFile: (String) -> Bool) throws(CommandError) {
        if let scheme = URLArgument.scheme(of: operand) {
            guard ["http", "https"].contains(scheme) else {
                throw .usage(
                    "unsupported URL scheme \(scheme.escaped(40)); use http or https",
                    hint: scheme == "file" ? "pass the path of a file without a scheme" : nil)
            }
            self = .url(try URLArgument(operand))
        } else if !isFile(operand), let url = Self.suggestedURL(operand) {
            let user = (try? URLArgument(url))?.user.map { _ in "-u USER " } ?? ""
            throw .usage(
                "\(URLArgument.masked(operand).quoted(200)) is neither a URL nor a file",
                hint: "for a URL, write \(user)\(URLArgument.masked(url).escaped())")
        } else if operand.isEmpty {
            throw .usage("the input is empty", hint: "pass a URL, a FILE or - for standard input")
        } else {
            self = .file(operand)
        }
    }

    /// The URL probably meant by `example.com/items`, `host:80/x`, `localhost` or `http:/host`.
    private static func suggestedURL(_ operand: String) -> String? {
        let text = operand.trimmingCharacters(in: CharacterSet(charactersIn: " \t\n\"'“”‘’<>"))
        if text != operand, URLArgument.scheme(of: text) != nil { return text }
        if let match = operand.wholeMatch(of: #/(https?)(?::\/*|\/\/)(.+)/#.ignoresCase()) {
            return "\(match.1.lowercased())://\(match.2)"
        }
        let authority = operand.prefix { !"/?#".contains($0) }
        let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        let (name, port) = host.divided(at: ":")
        let hasPort = port.map { !$0.isEmpty && $0.allSatisfy(\.isNumber) } ?? false
        let isLocal = name == "localhost" || name.hasPrefix("127.")
        let hasPath = authority.endIndex != operand.endIndex
        let isDomain = hasPath && name.contains(".") && !name.hasPrefix(".")
        let hasUser = host.startIndex != authority.startIndex
        if name.isEmpty, hasPort { return "http://localhost\(operand)" }
        guard !name.isEmpty, hasPort || isLocal || isDomain || hasUser else { return nil }
        return (isLocal || hasPort ? "http://" : "https://") + operand
    }
}
