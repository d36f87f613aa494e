/// Messages that no command line of the table prints, and the test that checks them.
struct MessageException {
    /// The name of a test in a file that contains the texts.
    let test: String
    /// The texts, with `<*>` for each interpolated value.
    let texts: [String]

    private init(_ test: String, _ texts: String...) { (self.test, self.texts) = (test, texts) }

    static let all = program + errors + library

    /// Messages of the program that need a terminal, a socket, a signal or a fault of the system.
    private static let program = [
        Self("--serve prints its URLs and logs requests", "serving on <*> until interrupted"),
        Self(
            "all pages of a recorded list are served", "serving <*> of <*> on <*> until interrupted",
            "invalid value in the archive: <*>", "not in the archive", "recorded reply"),
        Self(
            "a port that cannot be used has a message", "port <*> is already in use",
            "omit --port to use any free port", "permission denied for port <*>", "use a port from 1024",
            "cannot listen on port <*>: <*>"),
        Self(
            "a password prompt without a terminal is a usage error",
            "no terminal to ask for the password of <*>", "pass the password with -u USER:PASSWORD",
            "no terminal to ask for the password"),
        Self("a password is read without echo", "Password for user <*>: "),
        Self("an empty password input is a usage error", "no password entered"),
        Self(
            "a full bare array may be a first page, which the command notes on a terminal",
            "the response does not show whether the list has more than these <*> items",
            "if it has, name the parameter for the next page, for example --pagination page:page"),
        Self("the end of the reader is not a failure", "the reader closed the output"),
        Self(
            "--atomic prints only complete lists", "a temporary file in <*>",
            "set TMPDIR to another directory"),
        Self(
            "the kind of an error determines its exit code and hint",
            "check the temporary directory, or set TMPDIR to another one"),
        Self("a URL of a megabyte is rejected", "the URL is longer than <*>"),
        Self("--max-time ends a stalled standard input", "timed out reading <*>"),
        Self(
            "--resume-file resumes a failed run", "another run is writing to <*>",
            "wait until that run has ended",
            "# items: position of an incomplete list; run the same command to resume",
            "removed <*> after the saved position from <*>"),
    ]

    /// Texts of `RESTClientError` that the program replaces, or whose failure it cannot cause.
    private static let errors = [
        Self("an error without a URL has none", "(no URL)"),
        Self(
            "a connection that is not opened in time is a timeout",
            "increase ConnectionOptions.connectTimeout"),
        Self(
            "only a server with a pinned key is accepted", "pinned public key",
            "check the server, and ConnectionOptions.pinnedPublicKeys"),
        Self(
            "a server that requires a certificate is a TLS error", "set ConnectionOptions.clientCertificate"),
        Self(
            "a key that cannot be decrypted is an error",
            "check ConnectionOptions.clientCertificate, its key and its password"),
        Self(
            "the authorities of a file or a folder replace those of the system",
            "check the certificate of the server and the system clock; if an authority of your own has issued it, set ConnectionOptions.caFile"
        ),
        Self(
            "without libcurl, an option is refused by its name",
            "ConnectionOptions.<*> needs Linux with libcurl 7.68 or later"),
        Self(
            "an error body of any encoding has no secrets, and otherwise the same bytes",
            "(The body was left out: it cannot be searched for secrets.)"),
        Self("a suggested pagination is part of the hint", "specify the pagination, most likely <*>"),
        Self(
            "a description states the failure", "timed out connecting",
            "cannot send <*>: its session manager was shut down",
            "signed out, so there is no credential: <*>", "the credential has no origin: <*>",
            "the credential could not be refreshed (<*>): <*>", "no cause",
            "the response ended early at byte <*><*>: <*>", "cannot use <*>: <*>", "the URL is not absolute",
            "the scheme <*> is neither http nor https", "the body cannot be encoded",
            "the file of the body cannot be read",
            "the file of the body has changed since its length was read",
            "the body must not be sent to an origin that the server did not specify", "not an HTTP response",
            "the Content-Range does not match the requested range", "the body is larger than <*>",
            "the streamed body is larger than <*>", "more than <*> of the body are buffered on disk",
            "not a regular file", "another download to the file is in progress",
            "the file is shorter than it was", "a value for <*>", "a valid value", "an invalid value",
            "a value of another type", "the text ends early"),
        Self(
            "a syntax error that is no error of the grammar has a text", "the text is <*>, not UTF-8",
            "more than <*> levels of nesting"),
        Self(
            "a hint names the setting that helps",
            "call shutdown() after the last request, or create another manager", "increase Timeouts.idle",
            "increase Timeouts.total", "the request requires a valid credential",
            "set the Accept header to a type of the server, such as application/vnd.api+json",
            "this looks like a login page; the request may need a credential",
            "increase <*> if this size is expected",
            "specify the parameter for it: .token(at: <*>, parameter: …)",
            "specify the pagination with ItemListing(pagination:)",
            "set ItemListing.allowsIncomplete to accept it",
            "specify the number of the first page with first: 0", "all pages must have the same origin"),
        Self(
            "a credential without an origin or a base URL is an error",
            "set SessionManager.baseURL, or pass for: to the credential"),
        Self("an exhausted rate limit is named", "the rate limit is exhausted; try again in <*> s"),
        Self(
            "a shape error names the keys and the lists of the response",
            "<*> is a list; use ItemListing(at:) to select it"),
        Self(
            "the progress of a listing names the page to resume at",
            "; the listing can be resumed at page <*>"),
        Self("an error of getAvailableItems has no resume token", "complete page"),
        Self(
            "an error body that was cut cannot be decoded, which is named",
            "the body is larger than the <*> that an error keeps"),
    ]

    /// Texts of features of the library that the program does not use.
    private static let library = [
        Self(
            "the refresh manager keeps the other interceptors and the event monitor",
            "refreshing the credential"),
        Self(
            "a 304 is answered with the stored response and the new header fields",
            "304 Not Modified: the stored response is used"),
        Self(
            "an exhausted budget returns the outcome without a retry", "the retry budget is exhausted",
            "not retried after <*>: the retry budget is exhausted"),
        Self(
            "a refresh that waits for itself is an error of the waiting requests after its timeout",
            "the refresh of the credential took longer than <*>: <*>",
            "send the requests of the refresh with the manager that its closure receives, or increase the timeout of the Authenticator"
        ),
        Self(
            "a request that waits for a refresh ends with its own timeout, and names the refresh",
            "while waiting for the refresh of the credential"),
        Self(
            "a wait that would exceed the total timeout is an event",
            "waiting <*> would exceed the total timeout: <*>"),
        Self(
            "a monitor receives all events in order", "<*>, redirected to <*>", "finished with <*>"),
        Self("the event of an incomplete body names its length", "<*> bytes of <*>"),
        Self("a second iteration of a stream has a message", "a stream can be read only once"),
        Self(
            "a failure of the scanner states the reason and the position", "; lists are at <*>",
            "the JSON ends early, <*>",
            "an item of more than <*> bytes <*>"),
        Self(
            "a value that does not decode has a reason", "no such key", "the list is at its end",
            "not a date and time in ISO 8601", "not Base64", "the number <*> does not fit in <*>",
            "but found <*>", "but found "),
        Self(
            "a suggestion for a decoder names the setting",
            "there is <*>; set keyDecodingStrategy = .convertFromSnakeCase <*>",
            "there is <*>, but the decoder converts keys; use keyDecodingStrategy = .useDefaultKeys",
            "there is <*>; change the coding key",
            "if the value is a date, set dateDecodingStrategy = .iso8601 <*>",
            "if the value is a date, set dateDecodingStrategy = .secondsSince1970 <*>",
            "if the value is a date, set dateDecodingStrategy = .millisecondsSince1970 <*>",
            "the date is not in the format of .iso8601; use dateDecodingStrategy = .custom <*>",
            "on the decoder of the request or of the listing"),
        Self(
            "a body that cannot be encoded has a reason", "the type of a part contains a control character",
            "<*> is not a regular file, or cannot be read", "only an object can be encoded as form items",
            "JSON cannot represent <*>", "invalid JSON: <*>"),
        Self("a stream of an unexpected length is an error", "the stream has <*> bytes, not <*>"),
        Self(
            "parts are encoded according to RFC 7578", "multipart/form-data; boundary=<*>",
            "Content-Disposition: form-data; name=\"<*>\"", "; filename=\"<*>\""),
        Self("a recording does not replace a pipe", "the target is not a regular file"),
        // The matchers of a mock server use them.
        Self("an unmatched request lists the nearest routes", "one letter apart", "<*> letters apart"),
    ]
}
