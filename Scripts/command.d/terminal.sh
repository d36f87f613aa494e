# A terminal for scripts, to be sourced after checks.sh.
terminal() { tmux -L "items-$$" -f /dev/null "$@"; }
open_terminal() { # COMMAND: in a window of 100 columns
    terminal new-session -d -x 100 -y 30 "env TERM=screen-256color LC_ALL=C.UTF-8 sh -c '$1'"
}
close_terminal() { terminal kill-server 2>/dev/null; }
keys() { terminal send-keys "$@"; }
screen() { terminal capture-pane -p; }
on_screen() { screen | grep -qF -- "$1"; }
at_end() { close_terminal; }
