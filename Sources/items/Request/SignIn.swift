import Foundation
import RESTClientHTTP
import RESTClient

/// How the request of a list is signed in, at its own origin only.
enum SignIn {
    case user(Options.User)
    case token(TokenFile)
    case netrc

    /// What the options say, else the URL, else the environment: the token in `ITEMS_TOKEN_FILE` is meant for the
    /// origin of `ITEMS_URL`.
    ///
    /// - Throws: `UsageError` for a token that everybody on the way could read.
    init?(
        _ options: Options, for argument: URLArgument, environment: Environment, messages: Messages
    ) throws {
        if var user = options.user {
            if user.password == nil, options.preview == nil {
                user.password = try environment.askPassword(user.name)
            }
            self = .user(user)
        } else if let path = options.tokenFile {
            self = .token(try TokenFile(path, for: argument.url, environment: environment, messages))
        } else if options.usesNetrc {
            self = .netrc
        } else if let user = argument.user {
            self = .user(user)
        } else if let path = environment.variable("ITEMS_TOKEN_FILE"), !path.isEmpty,
            let home = environment.variable("ITEMS_URL").flatMap({ try? URLArgument($0) }),
            Origin(home.url) == Origin(argument.url), !options.setsAuthorization
        {
            self = try Self.standard {
                .token(try TokenFile(path, for: argument.url, environment: environment, messages))
            }
        } else {
            return nil
        }
    }

    /// Says what names the file when its token cannot be had.
    private static func standard(_ signIn: () throws -> Self) throws -> Self {
        do {
            return try signIn()
        } catch {
            throw Complaint(error).blaming("ITEMS_TOKEN_FILE")
        }
    }

    /// Puts it on the requests to the origin of `url`.
    func authenticator(for url: URL) throws -> Authenticator {
        switch self {
        case .user(let user): .basic(user: user.name, password: user.password ?? "", for: url)
        case .token(let file): .bearer(file.token, for: url)
        case .netrc: try Self.netrc()
        }
    }

    private static func netrc() throws -> Authenticator {
        let file = Netrc.defaultFile()
        do {
            return try .netrc(file)
        } catch {
            let path = file.path(percentEncoded: false)
            // Says it better than the platform does, where it cannot be read at all.
            _ = try FileInput(path: path)
            throw Complaint(.noInput, "cannot read \(TerminalEscaping.escaped("\(error)", limit: 200))")
        }
    }
}

extension Options {
    fileprivate var setsAuthorization: Bool {
        headers.contains { $0.lowercased().hasPrefix("authorization:") }
    }
}
