/// Completes in bash, from 3.2 on, without the help of other packages.
enum BashCompletion {
    static var script: String {
        """
        # bash completion of items. For this shell alone: eval "$(items --completion bash)"
        _items() {
            local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} joined=
            # To bash, --demo=ok is three words.
            if [[ $word == "=" ]]; then
                word= joined=1
            elif [[ $before == "=" && $COMP_CWORD -ge 2 ]]; then
                before=${COMP_WORDS[COMP_CWORD - 2]} joined=1
            fi
            COMPREPLY=()
            case $before in
        \(arms)    esac
            case $word in
            -*) COMPREPLY=($(compgen -W "\(names)" -- "$word")) ;;
            esac
        }
        # Where there is no reply, bash offers files.
        complete -o bashdefault -o default -F _items items

        """
    }

    private static var names: String {
        Option.all.flatMap { option in ["--\(option.name)"] + (option.short.map { ["-\($0)"] } ?? []) }
            .joined(separator: " ")
    }

    /// What follows an option that takes a value.
    private static var arms: String {
        var arms = ""
        for option in Option.all {
            guard let candidates = option.candidates else { continue }
            let pattern = (option.short.map { "-\($0) | " } ?? "") + "--\(option.name)"
            let action =
                switch candidates {
                case .any: "compopt +o bashdefault +o default 2>/dev/null"
                case .file: ":"
                case .words(let words):
                    #"COMPREPLY=($(compgen -W "\#(words.joined(separator: " "))" -- "$word"))"#
                }
            // What may be left out is never the next word.
            arms +=
                option.isOptional
                ? "    \(pattern)) if [[ $joined ]]; then \(action); return; fi ;;\n"
                : "    \(pattern)) \(action); return ;;\n"
        }
        return arms
    }
}
