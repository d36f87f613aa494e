# Functions for the checks of `items`, to be sourced. Each check prints ok or FAIL; `finish` prints the counts.
folder=$(mktemp -d "${TMPDIR:-/tmp}/items-checks-XXXXXX")
out=$folder/out err=$folder/err
failures=0 checks=0
pids=()

# A hook for additional clean-up.
at_end() { :; }
stop() {
    local code=$?
    trap - EXIT
    at_end
    for pid in ${pids[@]+"${pids[@]}"}; do kill "$pid" 2>/dev/null; wait "$pid" 2>/dev/null; done
    rm -rf "$folder"
    exit "$code"
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

pass() { checks=$((checks + 1)); printf 'ok    %s\n' "$1"; }

fail() { # NAME LINE…
    checks=$((checks + 1)) failures=$((failures + 1))
    printf 'FAIL  %s\n' "$1"
    shift
    for line; do printf '%s\n' "$line" | head -n 40 | sed 's/^/      /'; done
}

check() { # NAME COMMAND…: the command succeeds
    local name=$1
    shift
    if "$@" >"$folder/said" 2>&1; then pass "$name"; else fail "$name" "failed: $*" "$(head -c 2000 "$folder/said")"; fi
}

same() { # NAME FOUND EXPECTED: texts
    if [ "$2" = "$3" ]; then pass "$1"; else fail "$1" "found:" "$2" "expected:" "$3"; fi
}

eventually() { # COMMAND…: true within 20 seconds
    local try
    for try in $(seq 200); do
        if "$@" >/dev/null 2>&1; then return 0; fi
        sleep 0.1
    done
    return 1
}

# run ARGUMENT…: runs items for at most 60 s; sets $code, $out and $err.
run() {
    timeout -k 1 60 "$items" "$@" >"$out" 2>"$err" </dev/null
    code=$?
}

# serve ARGUMENT…: runs `items --serve` until the end; sets $served (the start of its URLs), $server and $requests.
serve() {
    requests=$folder/requests
    # A shell without job control starts background processes with SIGINT ignored.
    env --default-signal=INT "$items" --serve "$@" >"$folder/urls" 2>"$requests" &
    server=$!
    pids+=("$server")
    eventually test -s "$folder/urls" || { echo "no server: $(cat "$requests")" >&2; exit 1; }
    served=$(sed -n '1s|^\(http://[^/]*\)/.*|\1|p' "$folder/urls")
}

finish() {
    printf '%s: %d checks, %d failed\n' "$(basename "$0")" "$checks" "$failures"
    [ "$failures" = 0 ]
}
