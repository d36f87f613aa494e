import Foundation
import Testing

@testable import items

@Suite struct ProcessArgumentsTests {
    @Test(arguments: [
        (["items", "-u", "ann:secret"], ["items", "-u", "**********"]),
        (["-uann:s", "--user=ann", "--user", "a:b"], ["-u*****", "--user=***", "--user", "***"]),
        (["-vu", "a:b", "-H", "Accept: b"], ["-vu", "***", "-H", "Accept: b"]),
        (
            ["-HAuthorization: Bearer x", "--header=X-Api-Key:y"],
            ["-HAuthorization:*********", "--header=X-Api-Key:*"]
        ),
        (
            ["--header", "Cookie: a=b", "--header", "@file"],
            ["--header", "Cookie:****", "--header", "@file"]
        ),
        (
            ["https://u:p@h/", "https://h/?token=s", "https://h/?page=2"],
            ["**************", "******************", "https://h/?page=2"]
        ),
        (["--pass", "s", "--pass=s", "-x", "u:p@h:1"], ["--pass", "*", "--pass=*", "-x", "*******"]),
        (
            ["-b", "a=b", "-ba=b", "--cookie=a=b", "-b", "jar"],
            ["-b", "***", "-b***", "--cookie=***", "-b", "jar"]
        ),
        (["-xu:p@h", "--proxy=u@h", "--proxy", "h:1"], ["-x*****", "--proxy=***", "--proxy", "h:1"]),
        // The value of a letter can follow others.
        (
            ["-qba=secret", "-vHCookie: a", "-hu", "a:b", "-0vuann:s"],
            ["-qb********", "-vHCookie:**", "-hu", "***", "-0vu*****"]
        ),
        // A combining character belongs to the mark before it.
        (["-b", "a=🏽s", "-u🏽:s", "--pass=🏽"], ["-b", "*******", "-u******", "--pass=****"]),
        (["--cert", "c.pem:s", "--cert", "c.pem"], ["--cert", "*******", "--cert", "c.pem"]),
        (["-d", "password=s", "--csv", ""], ["-d", "**********", "--csv", ""]), ([], []),
    ])
    func `credentials are hidden in the arguments that other users can list`(
        arguments: [String], hidden: [String]
    ) {
        let copies = arguments.compactMap { strdup($0) }
        defer { for copy in copies { free(copy) } }
        ProcessArguments.hideSecrets(in: copies)
        #expect(copies.map { String(cString: $0) } == hidden)
    }
}
