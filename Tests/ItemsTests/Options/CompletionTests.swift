import Testing

@testable import items

/// `Scripts/command shells` checks the scripts in real shells.
@Suite struct CompletionTests {
    @Test(arguments: Shell.allCases)
    func `each completion script contains each option`(shell: Shell) {
        let script = shell.script
        for option in Option.all {
            let name = shell == .fish ? "-l \(option.name) " : "--\(option.name)"
            #expect(script.contains(name))
            if let short = option.short {
                #expect(script.contains(shell == .fish ? "-s \(short) " : "-\(short)"))
            }
        }
    }

    @Test(arguments: Shell.allCases)
    func `each completion script contains the words of a value`(shell: Shell) {
        for option in Option.all {
            guard case .words(let words) = option.value?.candidates else { continue }
            #expect(shell.script.contains(words.joined(separator: " ")))
        }
    }

    @Test func `the summary of an option is its first clause`() {
        let option = Option("--x: one\ntwo; three", .set(\.endsWithNull, true))
        #expect(option.summary == "one two")
    }
}
