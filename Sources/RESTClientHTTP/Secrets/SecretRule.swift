/// The rule that tells which values are secret by their names. Every part of a message is masked by the same rule.
///
/// A name is split into words, and the last ones decide: `userPassword`, `user-password` and `user[password]` are secret,
/// `password_policy` is not.
package struct SecretRule: Sendable {
    package enum Match: Comparable {
        case no
        /// The name is also a common name of other values. In JSON and text, the value decides.
        case byValue
        /// Texts are secret, but numbers are not: they are identifiers, counts and lifetimes.
        case text
        case any
    }

    package static let standard = Self()

    /// The names of further members, query items and form fields whose values are masked.
    package var members: Set<String> = [] { didSet { members = Set(members.map { $0.lowercased() }) } }
    /// Further header fields whose values are masked.
    package var headers: Set<HTTPHeaders.Name> = []

    /// Returns what the name of a query item, form field, JSON member, part or attribute says about its value.
    ///
    /// - Parameter isInPaging: `true` for a member of an object about pages, whose `token` selects a page.
    package func match(_ name: String, isInPaging: Bool = false) -> Match {
        mayMatter(name) ? wordMatch(name, isInPaging: isInPaging) : .no
    }

    private func wordMatch(_ name: String, isInPaging: Bool) -> Match {
        let lowercased = name.lowercased()
        if members.contains(lowercased) { return .any }
        if isInPaging, lowercased == "token" { return .no }
        if let match = Self.secrets[lowercased] { return match }
        var words = Self.words(of: name)
        while let last = words.popLast() {
            let match = Self.match(last, after: words)
            guard match == .no, Self.neutral.contains(last) || last.allSatisfy(\.isNumber) else {
                return match
            }
        }
        return .no
    }

    /// The meaning of the name of a JSON member for its value, and for the members beside it.
    struct Role: Sendable {
        var match = Match.no
        /// The match in an object about pages.
        var matchInPaging = Match.no
        /// The name of a member whose text is the name of the member beside it: `name`, `ParameterKey`.
        var isPairName = false
        /// The name of a member that is named by the one beside it: `value`, `ParameterValue`.
        var isPairValue = false
        /// The name of an object about the pages of a list, such as `paging`.
        var isPaging = false
        /// The name of an object whose texts are messages about its members.
        var isErrors = false
        /// A name such as `id` that can be that of a secret after the name of its object: `session`.
        var isOwned = false
    }

    func role(of name: String) -> Role {
        guard mayMatter(name) else { return Role() }
        let last = Self.words(of: name).last ?? ""
        return Role(
            match: wordMatch(name, isInPaging: false), matchInPaging: wordMatch(name, isInPaging: true),
            isPairName: Self.pairNames.contains(last),
            isPairValue: Self.pairValues.contains(last), isPaging: Self.isPaging(last),
            isErrors: Self.errors.contains(last),
            isOwned: Self.owners[name.lowercased()] != nil)
    }

    /// Returns `true` for the name of a value that is masked in queries, forms and parts.
    package func isSecret(_ name: String) -> Bool { match(name) != .no }

    /// Returns `true` if a text with this name is secret in JSON and other texts.
    func isSecret(_ name: String, _ value: String) -> Bool {
        switch match(name) {
        case .no: false
        case .byValue:
            Redaction.looksSecret(value)
                || name.lowercased().hasSuffix("cookie") && value.contains("=")
                || name.lowercased().hasSuffix("pin") && value.allSatisfy(\.isNumber) && 4...12 ~= value.count
        case .text, .any: true
        }
    }

    /// Returns `true` if the header field `name` contains a secret.
    package func isSecret(header name: HTTPHeaders.Name) -> Bool {
        if headers.contains(name) || isSecret(name.rawValue) || Redaction.isAdded(name) { return true }
        let words = Self.words(of: name.rawValue)
        return words.last?.hasSuffix("key") == true && Self.plainKeys.isDisjoint(with: words)
    }

    /// Returns `true` for the name of a member whose text is the name of the member beside it: `name`, `ParameterKey`.
    func isPairName(_ name: String) -> Bool {
        mayMatter(name) && Self.pairNames.contains(Self.words(of: name).last ?? "")
    }

    /// Returns `true` for the name of a member that is named by the one beside it: `value`, `ParameterValue`.
    func isPairValue(_ name: String) -> Bool {
        mayMatter(name) && Self.pairValues.contains(Self.words(of: name).last ?? "")
    }

    // MARK: Words

    private func mayMatter(_ name: String) -> Bool {
        name.utf8.withContiguousStorageIfAvailable(mayMatter) ?? true
    }

    /// Returns `false` if the last letters of a name are not those of any word in this rule, as most names are not.
    ///
    /// This is many times faster than to split the name into words, most of all in a debug build.
    func mayMatter(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        var (end, ending) = (name.count, 0)
        guard members.isEmpty, !name.contains(byte: UInt8(ascii: "\\")) else { return true }
        // Other characters can be those of ASCII in lower case.
        while end > 0, Self.letter(name[end - 1]) == 0 {
            if name[end - 1] >= 0x80 { return true }
            end -= 1
        }
        for index in max(0, end - 3)..<end {
            if name[index] >= 0x80 { return true }
            ending = ending << 5 | Self.letter(name[index])
        }
        return Self.endings[ending]
    }

    /// Returns the number of an ASCII letter in the alphabet, or 0 for another byte.
    private static func letter(_ byte: UInt8) -> Int {
        byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A ? Int(byte & 0x1F) : 0
    }

    /// For the last three letters of a name, five bits each, a Boolean value that indicates whether a word in this rule, or
    /// its plural, ends with them.
    private static let endings: [Bool] = {
        var endings = [Bool](repeating: false, count: 1 << 15)
        let words = Set(secrets.keys).union(owners.keys).union(ends).union(neutral).union(paging).union(
            errors
        )
        .union(pairNames).union(pairValues).union(["token", "pat"])
        for word in words {
            let letters = word.utf8.map(letter).filter { $0 > 0 }
            for letters in [letters, letters + [letter(UInt8(ascii: "s"))]] {
                let ending = letters.suffix(3).reduce(0) { $0 << 5 | $1 }
                // Any letters may precede a short word.
                for start in 0..<(1 << (5 * max(0, 3 - letters.count))) {
                    endings[start << (5 * letters.count) | ending] = true
                }
            }
        }
        return endings
    }()

    /// Returns the words of a name in lower case.
    static func words(of name: String) -> [String] {
        var words: [String] = []
        var start = 0
        let bytes = Array(name.utf8)
        let lowercase = bytes.map { $0.isCapital ? $0 | 0x20 : $0 }
        func end(at index: Int) {
            if index > start { words.append(String(decoding: lowercase[start..<index], as: UTF8.self)) }
            start = index
        }
        for (index, byte) in bytes.enumerated() {
            if byte.isCapital {
                // `userToken` and `SAMLResponse` have two words.
                let isAfterCapital = index > 0 && bytes[index - 1].isCapital
                if !isAfterCapital || index + 1 < bytes.count && bytes[index + 1].isSmall { end(at: index) }
            } else if byte < 0x80, !byte.isSmall, !byte.isASCIIDigit {
                end(at: index)
                start = index + 1
            }
        }
        end(at: bytes.count)
        return words
    }

    private static func match(_ last: String, after words: [String]) -> Match {
        var word = last
        while word.last?.isNumber == true { word.removeLast() }
        let isPlural = word.hasSuffix("s") && !word.hasSuffix("ss") && word != "sas"
        if isPlural { word.removeLast() }
        let before = words.last ?? ""
        let match: Match =
            switch word {
            case "token" where isPaging(before) || isPlural && counts.contains(before): .no
            case "token": isPlural && before.isEmpty ? .byValue : .any
            case "key", "code", "pass", "sign", "pat":
                before.isEmpty || before == "x"
                    ? .byValue : owners[word]?.contains(before) == true ? .any : .no
            case "id" where words.suffix(2) == ["access", "key"]: .text
            default: owners[word].map { $0.contains(before) ? .any : .no } ?? secrets[word] ?? joined(word)
            }
        return match == .any && (isPlural || word == "id") ? .text : match
    }

    /// Returns the match of a word that is written as one, such as `apikey` and `authtoken`.
    private static func joined(_ word: String) -> Match {
        guard let end = ends.first(where: { word.hasSuffix($0) && word != $0 }) else { return .no }
        let start = String(word.dropLast(end.count))
        guard let owners = owners[end] else { return match(end, after: [start]) }
        return owners.contains { !$0.isEmpty && start.hasSuffix($0) } ? .any : .no
    }

    /// Returns `true` for the word before `token` if that selects a page of a list.
    private static func isPaging(_ word: String) -> Bool {
        paging.contains(word)
            || paging.contains { word.hasSuffix($0) && isPaging(String(word.dropLast($0.count))) }
    }

    private static let secrets: [String: Match] = {
        let texts: KeyValuePairs<Match, String> = [
            .any: "password passwd passphrase passcode pwd secret otp totp hotp cvv cvc",
            .text: """
            credential cred signature sig sas jwt bearer dpop assertion authorization sid sessid sessionid csrf xsrf mnemonic hmac \
            psk pw pswd
            """,
            .byValue: "auth authentication session cookie pin",
        ]
        return Dictionary(texts.flatMap { match, text in words(text).map { ($0, match) } }) { $1 }
    }()

    /// Words that are secret only after one of these words.
    private static let owners: [String: Set<String>] = [
        "key": set(
            """
            api app application access account admin aes app auth authentication authorization client consumer \
            crypto decrypt decryption deploy developer enc encrypt encryption function functions hmac ingest \
            ingestion integration licence license master merchant partner private recovery rest role rsa sdk secret \
            security server service session shared sign signature signing ssh ssl stream subscription symmetric tls token \
            unseal webhook write
            """),
        "code": set(
            """
            2fa access activation auth authentication authorization backup confirmation device factor login mfa \
            oauth otp pairing pin recovery reset security sms tfa totp verification
            """),
        "pass": set(
            "admin api auth basic bind database db email ftp http imap login mail mysql proxy redis root smtp user"
        ),
        "id": ["session", "sess", "secret"], "verifier": ["code", "oauth"], "response": ["saml"],
        "sign": ["access", "api"],
        "answer": ["security", "secret"],
        "phrase": ["backup", "pass", "recovery", "secret", "seed"], "string": ["connection"],
    ]

    /// The ends of words that are written as one.
    private static let ends = words(
        "token secret password passwd passphrase passcode credential signature sessionid sessid jwt key code id pass"
    )

    /// Words that are ignored at the end of a name.
    private static let neutral = set(
        """
        again b64 base base64 binary blob bytes confirm confirmation content current data digest encoded encrypted hash \
        hint new old pem plain plaintext provided raw repeat str string text v1 v2 val value values verify
        """)

    /// Words before `token` that select a page of a list.
    private static let paging = set(
        """
        after before continuation continue cursor delta next offset page pagination paging prev previous resume \
        resumption scroll skip start sync
        """)

    /// Words before `tokens` that count the words of a text.
    private static let counts = set("completion max min num output prompt total")

    /// Words of header fields whose key is not secret.
    private static let plainKeys = set(
        """
        cache dedup foreign group idempotency monkey object partition primary public routing shard socket sort surrogate \
        trace
        """)
    private static let errors = set("error errors violations")
    private static let pairNames = set("name key field id param parameter path property header")
    private static let pairValues = set("value values val content")

    private static func words(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }
    private static func set(_ text: String) -> Set<String> { Set(words(text)) }
}

extension UInt8 {
    fileprivate var isCapital: Bool { (0x41...0x5A).contains(self) }
    fileprivate var isSmall: Bool { (0x61...0x7A).contains(self) }
}
