#compdef items
# zsh completion of items. For this shell alone: source <(items --completion zsh)
_items() {
    _arguments -s -S \
        @OPTIONS@'*:URL, FILE or -:_files'
}
if [ "$funcstack[1]" = _items ]; then _items "$@"; else compdef _items items; fi
