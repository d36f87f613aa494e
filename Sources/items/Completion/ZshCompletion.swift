/// Completes in zsh: as the file `_items` in its `fpath`, or read by a shell that has run `compinit`.
enum ZshCompletion {
    static var script: String {
        let specifications = Option.all.flatMap(specifications) + ["'*:URL, FILE or -:_files'"]
        return """
            #compdef items
            # zsh completion of items. For this shell alone: source <(items --completion zsh)
            _items() {
                _arguments -s -S \\
                    \(specifications.joined(separator: " \\\n        "))
            }
            if [ "$funcstack[1]" = _items ]; then _items "$@"; else compdef _items items; fi

            """
    }

    private static func specifications(of option: Option) -> [String] {
        let tail = "[\(escaped(option.summary))]" + value(of: option)
        let short = option.short.map { ["-\($0)"] } ?? []
        let names =
            switch option.value {
            case .none: short + ["--\(option.name)"]
            // May come again, and its value follows or is joined.
            case .required: short.map { "*\($0)+" } + ["*--\(option.name)="]
            case .optional: ["--\(option.name)=-"]
            }
        return names.map { "'\($0)\(tail)'" }
    }

    private static func value(of option: Option) -> String {
        guard let placeholder = option.placeholder, let candidates = option.candidates else { return "" }
        let action =
            switch candidates {
            case .any: " "
            case .file: "_files"
            case .words(let words): "(\(words.joined(separator: " ")))"
            }
        return "\(option.isOptional ? "::" : ":")\(escaped(placeholder)):\(action)"
    }

    /// `text` inside single quotes, in a description or a message of `_arguments`.
    private static func escaped(_ text: String) -> String {
        text.map { character in
            switch character {
            case "'": #"'\''"#
            case "[", "]", ":", "\\": "\\\(character)"
            default: "\(character)"
            }
        }.joined()
    }
}
