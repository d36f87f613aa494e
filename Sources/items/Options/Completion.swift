import RESTClient

/// The shells with completion scripts.
enum Shell: String, CaseIterable, Sendable {
    case bash, zsh, fish

    init(named text: String) throws(CommandError) {
        guard let shell = Self(rawValue: text.lowercased()) else {
            let names = Self.allCases.map(\.rawValue).joined(separator: ", ")
            throw .usage("--completion supports \(names), not \(TerminalEscaping.quoted(text))")
        }
        self = shell
    }

    /// The completion script of the shell.
    var script: String {
        switch self {
        case .bash: BashCompletion.script
        case .zsh: ZshCompletion.script
        case .fish: FishCompletion.script
        }
    }
}

extension Option {
    /// The first clause of the help, on one line.
    var summary: String {
        let line = help.split(separator: "\n").joined(separator: " ")
        return String(line.prefix { $0 != ";" })
    }
}

/// Completion for bash 3.2 and later, without other packages.
enum BashCompletion {
    static var script: String {
        """
        # bash completion of items. For this shell alone: eval "$(items --completion bash)"
        _items() {
            local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} joined= at=
            # bash splits --demo=ok into three words, and @FILE into two.
            if [[ $word == "=" ]]; then
                word= joined=1
            elif [[ $before == "=" && $COMP_CWORD -ge 2 ]]; then
                before=${COMP_WORDS[COMP_CWORD - 2]} joined=1
            elif [[ $before == "@" && $COMP_CWORD -ge 2 ]]; then
                before=${COMP_WORDS[COMP_CWORD - 2]} at=@
            fi
            COMPREPLY=()
            case $before in
        \(arms)    esac
            case $word in
            -*) COMPREPLY=($(compgen -W "\(Option.all.flatMap(\.names).joined(separator: " "))" -- "$word")) ;;
            esac
        }
        # Without completions, bash suggests files.
        complete -o bashdefault -o default -F _items items

        """
    }

    /// The `case` branches of all options with a value.
    private static var arms: String {
        var arms = ""
        for option in Option.all {
            guard let value = option.value else { continue }
            let pattern = option.names.reversed().joined(separator: " | ")
            let action =
                switch value.candidates {
                case .any: "compopt +o bashdefault +o default 2>/dev/null"
                case .file: ":"
                case .bodyFile:
                    // With `filenames`, bash would put a backslash before @.
                    #"[[ $at$word == @* ]] && COMPREPLY=($(compgen -P @ -f -- "${word#@}")) && compopt -o nospace 2>/dev/null"#
                case .words(let words):
                    #"COMPREPLY=($(compgen -W "\#(words.joined(separator: " "))" -- "$word"))"#
                }
            // An optional value is joined to its option, never the next word.
            arms +=
                value.isOptional && !value.takesNextWord
                ? "    \(pattern)) if [[ $joined ]]; then \(action); return; fi ;;\n"
                : "    \(pattern)) \(action); return ;;\n"
        }
        return arms
    }
}

/// Completion for zsh: as the file `_items` in `fpath`, or sourced after `compinit`.
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
        let summary = "[\(escaped(option.summary))]"
        guard let value = option.value else { return option.names.map { "'\($0)\(summary)'" } }
        let action =
            switch value.candidates {
            case .any: " "
            case .file: "_files"
            case .bodyFile: "{ compset -P @ && _files }"
            case .words(let words): "(\(words.joined(separator: " ")))"
            }
        let tail = "\(escaped(value.placeholder)):\(action)"
        if value.takesNextWord { return option.names.map { "'\($0)\(summary)::\(tail)'" } }
        guard !value.isOptional else { return ["'--\(option.name)=-\(summary)::\(tail)'"] }
        // The option can be repeated, and its value can follow or be joined.
        return option.names.map { "'*\($0)\($0.hasPrefix("--") ? "=" : "+")\(summary):\(tail)'" }
    }

    /// Escapes `text` for a description or message of `_arguments` in single quotes.
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

/// Completion for fish.
enum FishCompletion {
    static var script: String {
        "# fish completion of items. For this shell alone: items --completion fish | source\n"
            + Option.all.map { "complete -c items \(flags(of: $0)) -d '\(escaped($0.summary))'\n" }.joined()
    }

    private static func flags(of option: Option) -> String {
        let names = (option.short.map { "-s \($0) " } ?? "") + "-l \(option.name)"
        guard let value = option.value else { return names }
        // An optional value is joined (-f); a required one follows (-x).
        let kind = value.isOptional ? "-f" : "-x"
        return switch value.candidates {
        case .any: "\(names) \(kind)"
        case .file: "\(names) -r -F"
        case .bodyFile:
            "\(names) -x -a '@(__fish_complete_path (commandline -ct | string replace -r \"^@\" \"\"))'"
        case .words(let words): "\(names) \(kind) -a '\(words.joined(separator: " "))'"
        }
    }

    private static func escaped(_ text: String) -> String {
        text.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined()
    }
}
