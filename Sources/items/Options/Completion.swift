import RESTClient

enum Shell: String, CaseIterable, Sendable {
    case bash, zsh, fish

    var script: String {
        switch self {
        case .bash:
            // bash 3.2 and later, without other packages.
            Help.filled(
                PackageResources.items_bash,
                [
                    "ARMS": Option.all.map(\.bashArm).joined(),
                    "NAMES": Option.all.flatMap(\.names).joined(separator: " "),
                ])
        case .zsh:
            // As the file `_items` in `fpath`, or sourced after `compinit`.
            Help.filled(
                PackageResources.items_zsh,
                ["OPTIONS": Option.all.flatMap(\.zshSpecifications).map { "\($0) \\\n        " }.joined()])
        case .fish:
            "# fish completion of items. For this shell alone: items --completion fish | source\n"
                + Option.all.map(\.fishCommand).joined()
        }
    }
}

extension Option {
    /// The first clause of the help, on one line.
    var summary: String { String(help.replacing("\n", with: " ").prefix { $0 != ";" }) }

    /// Returns the action that completes a value with its candidates.
    private func action(any: String, file: String, bodyFile: String, words: (String) -> String) -> String {
        switch value?.candidates {
        case .file: file
        case .bodyFile: bodyFile
        case .words(let list): words(list.joined(separator: " "))
        case .any, .name, nil: any
        }
    }

    /// The `case` branch of an option with a value.
    fileprivate var bashArm: String {
        guard let value else { return "" }
        let action = action(
            any: "compopt +o bashdefault +o default 2>/dev/null", file: ":",
            // With `filenames`, bash would put a backslash before @.
            bodyFile:
                #"[[ $at$word == @* ]] && COMPREPLY=($(compgen -P @ -f -- "${word#@}")) && compopt -o nospace 2>/dev/null"#
        ) { #"COMPREPLY=($(compgen -W "\#($0)" -- "$word"))"# }
        // An optional value is joined to its option, never the next word.
        let isJoined = value.isOptional && !value.takesNextWord
        return "    \(names.reversed().joined(separator: " | ")))"
            + (isJoined ? " if [[ $joined ]]; then \(action); return; fi ;;\n" : " \(action); return ;;\n")
    }

    /// The arguments of `_arguments`.
    fileprivate var zshSpecifications: [String] {
        let escapes: [Character: String] = [
            "'": #"'\''"#, "[": #"\["#, "]": #"\]"#, ":": #"\:"#, "\\": #"\\"#,
        ]
        let summary = "[\(summary.replacing(escapes))]"
        guard let value else { return names.map { "'\($0)\(summary)'" } }
        let action = action(any: " ", file: "_files", bodyFile: "{ compset -P @ && _files }") { "(\($0))" }
        let tail = "\(value.placeholder.replacing(escapes)):\(action)"
        if value.takesNextWord { return names.map { "'\($0)\(summary)::\(tail)'" } }
        guard !value.isOptional else { return ["'--\(name)=-\(summary)::\(tail)'"] }
        // The option can be repeated, and its value can follow or be joined.
        return names.map { "'*\($0)\($0.hasPrefix("--") ? "=" : "+")\(summary):\(tail)'" }
    }

    fileprivate var fishCommand: String {
        // An optional value is joined (-f); a required one follows (-x).
        let kind = value?.isOptional == true ? "-f" : "-x"
        let action = action(
            any: kind, file: "-r -F",
            bodyFile: #"-x -a '@(__fish_complete_path (commandline -ct | string replace -r "^@" ""))'"#
        ) { "\(kind) -a '\($0)'" }
        return
            "complete -c items \(short.map { "-s \($0) " } ?? "")-l \(name) \(value == nil ? "" : "\(action) ")"
            + "-d '\(summary.replacing(["'": #"\'"#, "\\": #"\\"#]))'\n"
    }
}
