import Foundation
import MockTransport
import RESTClientTestingSupport
import Testing

@testable import items

@Suite struct ScenarioTests {
    @Test(arguments: [
        (nil, "/ok"), ("ok", "/ok"), ("NOTNIL", "/notNil"), ("RateLimit", "/ratelimit"),
        ("huge", "/huge/1000000"), ("huge=0", "/huge/0"), ("Huge=12", "/huge/12"),
    ])
    func `scenario names are case-insensitive and default to the first`(text: String?, path: String) throws {
        #expect(try Scenario(named: text).path == path)
    }

    @Test func `the list of scenarios has a summary for each`() {
        let lines = Scenario.list.split(separator: "\n")
        #expect(lines.count == Scenario.all.count)
        for (line, scenario) in zip(lines, Scenario.all) {
            #expect(line.hasPrefix("\(scenario.usage) ") && line.hasSuffix("  \(scenario.summary)"))
        }
    }
}

@Suite struct GeneratedListTests {
    @Test(arguments: [0, 1, 1_999, 2_000, 2_001, 12_345])
    func `a generated list has the given number of items in bounded chunks`(count: Int) async throws {
        struct Page: Decodable { var items: [String] }
        var json = Data()
        for await chunk in GeneratedList(count: count) {
            #expect(chunk.count <= 64 << 10)
            json += chunk
        }
        let page = try JSONDecoder().decode(Page.self, from: json)
        #expect(page.items == (0..<count).map { "item \($0 + 1)" })
    }
}

/// The same routes in the process and on a socket.
@Suite(.hangLimit) struct ServedDemoTests {
    @Test(arguments: Scenario.all.map(\.name).filter { $0 != "slow" && $0 != "huge" } + ["huge=1000"])
    func `a scenario gives the same result in the process and on a socket`(name: String) async throws {
        let scenario = try Scenario(named: name)
        let demo = try await Outcome.of("-q", "--demo=\(name)")
        let loopback = try await MockServer.demo([scenario]).listen()
        let served = try await Outcome.of(
            ["-q", loopback.url.absoluteString + scenario.path], configuration: .ephemeral)
        #expect(served.code == demo.code)
        #expect(served.output == demo.output)
        let hosts = ["https://demo.example", "http://\(scenario.name)", loopback.url.absoluteString]
        let messages = [demo.messages, served.messages].map { messages in
            hosts.reduce(messages) {
                $0.replacing($1 + scenario.path, with: "URL").replacing($1 + "/", with: "URL")
            }
        }
        #expect(messages[0] == messages[1])
    }

    @Test func `a classic host answers at its host name on a served demo`() async throws {
        var limits = LoopbackServer.Limits()
        limits.hosts = Set(Scenario.all.compactMap(\.host))
        let loopback = try await MockServer.demo(Scenario.all).listen(limits: limits)
        var request = URLRequest(url: loopback.url)
        request.setValue("notNil", forHTTPHeaderField: "Host")
        let (data, _) = try await URLSession(configuration: .ephemeral).data(for: request)
        #expect(String(decoding: data, as: UTF8.self) == #"{"items":["a","b","c"]}"#)
    }
}
