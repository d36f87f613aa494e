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
@ARMS@    esac
    case $word in
    -*) COMPREPLY=($(compgen -W "@NAMES@" -- "$word")) ;;
    esac
}
# Without completions, bash suggests files.
complete -o bashdefault -o default -F _items items
