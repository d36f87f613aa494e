import Foundation
import Testing

@testable import items

@Suite struct URLArgumentTests {
    @Test(arguments: [
        ("http://host", "http://host"), ("http://host:8080/a?b=c#d", "http://host:8080/a?b=c#d"),
        ("http://host/é", "http://host/%C3%A9"),
        ("http://host/%C3%A9?q=%20é", "http://host/%C3%A9?q=%20%C3%A9"),
        ("http://host/?a[b]=c|d", "http://host/?a%5Bb%5D=c%7Cd"), ("http://host/100%", "http://host/100%25"),
        ("http://host/%zz", "http://host/%25zz"), ("http://host?a=b@c", "http://host?a=b@c"),
        ("http://münchen.example/", "http://xn--mnchen-3ya.example/"), ("HTTP://Host/A", "http://Host/A"),
        ("http://host/a+b", "http://host/a+b"), ("http://host/\"<>", "http://host/%22%3C%3E"),
    ])
    func `it is encoded where it must be, and nowhere else`(text: String, url: String) throws {
        #expect(try URLArgument(text).url.absoluteString == url)
    }

    @Test(arguments: [
        ("http://u:p@host/", "u", "p"), ("http://u@host/", "u", ""), ("http://:p@host/", "", "p"),
        ("http://u:a%40b%3A@host/", "u", "a@b:"), ("http://u:a@b@host/", "u", "a@b"),
        ("http://u:a:b@host/", "u", "a:b"),
    ])
    func `a user in it is taken out`(text: String, name: String, password: String) throws {
        let argument = try URLArgument(text)
        #expect(argument.url.absoluteString == "http://host/")
        #expect(argument.user == Options.User(name: name, password: password))
    }

    @Test(arguments: [
        ("http://", "no host"), ("HTTP://", "no host"), ("http:///x", "no host"), ("http://:80/", "no host"),
        ("http://u:secret@/x", "no host"), ("http://host:99999/", "no port 99999"),
        ("http://host:0/", "no port 0"),
        ("http://host:x/", "no URL"), ("http://[::1]/", "IPv6"), ("http://host/a b", "a space"),
        ("http://ho st/", "a space"), ("http://host/\0", "a control character"),
        ("http://u:secret\\x@host/", "no URL"), ("http://u:secret@\u{301}host/", "no URL"),
        ("http://host/\u{202E}", "a control character"), ("http://host/\n", "a control character"),
    ])
    func `what cannot be asked for is refused, with the reason`(text: String, reason: String) throws {
        let error = try #require(throws: UsageError.self) { try URLArgument(text) }
        #expect(error.message.contains(reason), "\(error.message)")
        #expect(!error.message.contains("secret"))
    }

    @Test func `a megabyte is too long`() {
        #expect(throws: UsageError("the URL is longer than 65536 bytes")) {
            try URLArgument("http://host/\(String(repeating: "a", count: 1 << 20))")
        }
    }
}
