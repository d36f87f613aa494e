/// Options of curl, jq and gh that people bring along, and that do not exist here: what does the same, or why nothing does.
enum ForeignOption {
    /// What to do in place of `option`, which is written with its dashes.
    static func hint(for option: String) -> String? { all.first { $0.names.contains(option) }?.hint }

    static let all: [(names: Set<String>, hint: String)] = [
        (["-k", "--insecure"], "certificates are always checked; add yours to those that the system trusts"),
        (["-L", "--location"], "redirects are followed unless --max-redirs 0 says otherwise"),
        (["-s", "-S", "--silent", "--show-error"], "-q says nothing but errors"),
        (["-f", "--fail", "--fail-with-body"], "the exit status tells every failure"),
        (
            ["-X", "--request", "-d", "--data", "--data-raw", "-F", "--form"],
            "a list is asked for with GET alone"
        ),
        (["-G", "--get"], "a list is always asked for with GET; write the query into the URL"),
        (["-i", "--include", "-I"], "-v shows what is sent and what comes back"),
        (["-A", "--user-agent"], "write it as a header field: -H 'User-Agent: NAME'"),
        (["-b", "--cookie"], "write it as a header field: -H 'Cookie: NAME=VALUE'"),
        (["-e", "--referer"], "write it as a header field: -H 'Referer: URL'"),
        (["--token", "--bearer", "--oauth2-bearer"], "a token comes from a file: --token-file FILE"),
        (["--netrc-file"], "-n reads ~/.netrc"),
        (["-x", "--proxy"], "the environment names the proxy: http_proxy, HTTPS_PROXY, NO_PROXY"),
        (["--connect-timeout"], "--idle-timeout counts the time to connect, too"),
        (["--retry-delay"], "the wait grows with each attempt, or is what the server asks for"),
        (["--compressed"], "replies are always asked for compressed"),
        (["--url"], "the URL stands by itself"),
        (["-O", "--remote-name"], "name the file: -o FILE"),
        (["-r", "--raw-output"], "a string is printed as it is; --jsonl prints it as JSON"),
        (["-j", "--raw-output0"], "-0 ends each item with a null byte"),
        (["-c", "--compact-output"], "--jsonl prints each item on a line"),
        (["--jq", "--template"], "--at and --field choose what is printed; --jsonl is for jq"),
        (["--paginate", "--slurp"], "every page is listed; --json prints one array of them"),
    ]
}
