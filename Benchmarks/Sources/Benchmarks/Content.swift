import Foundation

/// Compares `items` with other programs that print a file, for several kinds of text. Each program runs in its own process.
struct Content {
    /// A kind of text, as the elements of a list in a file.
    enum Kind: String, CaseIterable {
        case ascii, french, japanese, emoji, escapes, urls, mixed, objects

        /// The name in the picture.
        var title: String {
            switch self {
            case .ascii: "ASCII"
            case .french: "French"
            case .japanese: "Japanese"
            case .emoji: "emoji"
            case .escapes: "escapes: quotes, \\u6771"
            case .urls: "URLs with escaped slashes"
            case .mixed: "mixed: four in five are ASCII"
            case .objects: "objects"
            }
        }
    }

    /// The size of a file in bytes.
    var size = 60_000_000
    var rounds = 9
    var kinds = Kind.allCases

    /// The folder of the files, which later runs use again.
    var folder = FileManager.default.temporaryDirectory.appending(path: "items-content").path

    /// The options of the forms that are measured.
    private static let forms = [
        "", "-0", "--json", "--jsonl", "--csv", "--tsv", "--table", "--count", "--field name",
    ]

    /// Prints the processor time for each kind, and its ratio to those of the other programs, and draws the speeds.
    func run(picture: URL) throws {
        let items = try Shell.items
        let simdjson = try compiledSimdjson()
        if simdjson == nil { print("without simdjson: libsimdjson-dev or c++ is missing") }
        print("processor time of a file of \(size / 1_000_000) MB, median of \(rounds) interleaved runs:")
        var chart = BarChart(
            title: "Megabytes of JSON for each second of processor time",
            series: ["items", "jq -cr"] + (simdjson == nil ? [] : ["simdjson, a C++ program"]))
        for kind in kinds {
            let file = try file(kind)
            var commands = ["\(items) \(file)", "jq -cr '.items[]' \(file)"]
            if let simdjson {
                commands.append("\(simdjson) \(file)")
                let comparison = try Shell.run("bash -c 'cmp <(\(commands[0])) <(\(simdjson) \(file))'")
                guard comparison.status == 0 else { throw Failure("simdjson prints other lines") }
            }
            let medians = try medians(of: commands)
            chart.groups.append((kind.title, medians.map { Double(size) / $0 / 1e6 }))
            let ratios = medians.dropFirst().map { String(format: "× %.2f", medians[0] / $0) }
            print(
                "  " + kind.rawValue.padding(toLength: 10, withPad: " ", startingAt: 0)
                    + String(format: "%6.3f s   %6.0f MB/s   ", medians[0], Double(size) / medians[0] / 1e6)
                    + zip(["jq", "simdjson"], ratios).map { "\($1) of \($0)" }.joined(separator: "   "))
        }
        try chart.svg.write(to: picture, atomically: true, encoding: .utf8)
        print("wrote \(picture.lastPathComponent)")
    }

    /// Prints the speed of each form.
    func runForms() throws {
        let items = try Shell.items
        print("megabytes for each second of processor time, median of \(rounds) interleaved runs:")
        for kind in [Kind.mixed, .objects] {
            let file = try file(kind)
            let forms = Self.forms.filter { kind == .objects || !$0.hasPrefix("--field") }
            let medians = try medians(of: forms.map { "\(items) \($0) \(file)" })
            for (form, median) in zip(forms, medians) {
                let name = "\(kind.rawValue) \(form)"
                print(
                    "  " + name.padding(toLength: 24, withPad: " ", startingAt: 0)
                        + String(format: "%6.0f MB/s", Double(size) / median / 1e6))
            }
        }
    }

    private func medians(of commands: [String]) throws -> [Double] {
        var times = [[Double]](repeating: [], count: commands.count)
        for round in 0..<rounds {
            for offset in commands.indices {
                let index = (round + offset) % commands.count
                let run = try Shell.run("exec \(commands[index]) > /dev/null")
                guard run.status == 0 else { throw Failure("\(commands[index]) failed") }
                times[index].append(run.processorSeconds)
            }
        }
        return times.map(\.median)
    }

    /// Returns the path of the compiled program, or `nil` if it cannot be compiled.
    private func compiledSimdjson() throws -> String? {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let path = "\(folder)/simdjson-lines"
        let command = "c++ -O3 -march=native -o \(path) Simdjson/lines.cpp -lsimdjson 2>/dev/null"
        return try Shell.run(command).status == 0 ? path : nil
    }

    // MARK: Files

    /// Returns the path of a file of this kind.
    func file(_ kind: Kind) throws -> String {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let path = "\(folder)/\(kind.rawValue)-\(size).json"
        guard !FileManager.default.fileExists(atPath: path) else { return path }
        var generator = Generator()
        let pool = (0..<20_000).map { _ in Array(Self.element(kind, &generator).utf8) }
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        // In parts: a program that is started later counts the largest memory of this one as its own.
        var part = Data("{\"items\":[".utf8)
        var written = 0
        var isFirst = true
        while written + part.count < size {
            if !isFirst { part.append(UInt8(ascii: ",")) }
            isFirst = false
            part.append(contentsOf: pool[generator.below(pool.count)])
            guard part.count >= 1 << 20 else { continue }
            try file.write(contentsOf: part)
            written += part.count
            part.removeAll(keepingCapacity: true)
        }
        try file.write(contentsOf: part + Data("]}".utf8))
        try file.close()
        return path
    }

    private static let english = words(
        "green tea oolong black kettle cup water leaf steam market order package status item north river stone blue"
    )
    private static let french = words(
        "le la des été où garçon élève français forêt château crème brûlée naïve cœur œuvre à côté déjà peut-être "
            + "aujourd’hui l’école d’été Noël maïs hôtel fenêtre très bientôt réservé société qualité numéro")
    private static let japanese = words(
        "東京 の カフェ で 抹茶 を 飲みました 。 これは とても 美味しい 、 商品 一覧 データ サーバー から 取得 する 「 」 株式会社 北海道")
    private static let emoji = words("😀 🎉 👩‍💻 🍵 ❤️ 🇫🇷 👍🏽 🚀 ✨ party tea ok 🐱 🌍")

    private static func words(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }

    private static func element(_ kind: Kind, _ generator: inout Generator) -> String {
        switch kind {
        case .ascii: return quoted(generator.text(english, 1...6))
        case .french: return quoted(generator.text(french, 1...8))
        case .japanese: return quoted(generator.text(japanese, 2...14, separator: ""))
        case .emoji: return quoted(generator.text(emoji, 1...8))
        case .escapes: return escapes(&generator)
        case .urls:
            let path = generator.text(english, 2...6, separator: "\\/")
            return quoted("https:\\/\\/example.com\\/\(path)?id=\(generator.below(1_000_000))")
        case .mixed:
            // One string in five is not ASCII or has escapes.
            let others: [Kind] = [.french, .japanese, .emoji, .escapes, .urls]
            return element(generator.below(5) > 0 ? .ascii : generator.element(others), &generator)
        case .objects:
            let name = generator.text(generator.below(3) > 0 ? english : french, 1...4)
            let tags = (0..<generator.below(4)).map { _ in quoted(generator.element(english)) }
            let parentName = quoted(generator.text(japanese, 1...4, separator: ""))
            let parent = #"{"id":\#(generator.below(1000)),"name":\#(parentName)}"#
            let hasParent = generator.below(3) > 0
            return
                #"{"id":\#(generator.below(10_000_000)),"name":\#(quoted(name)),"price":\#(generator.below(100)).5,"#
                + #""tags":[\#(tags.joined(separator: ","))],"ok":true,"parent":\#(hasParent ? parent : "null")}"#
        }
    }

    /// Quotes, backslashes, or all characters that are not ASCII as UTF-16 escapes.
    private static func escapes(_ generator: inout Generator) -> String {
        switch generator.below(4) {
        case 0: return quoted(#"green \"\#(generator.text(english, 1...5))\""#)
        case 1: return quoted(#"C:\\data\\"# + generator.text(english, 1...5, separator: #"\\"#))
        default:
            let words = [french, japanese, emoji][generator.below(3)]
            let units = generator.text(words, 1...6).utf16.map { unit in
                unit < 0x80 ? String(Unicode.Scalar(UInt8(unit))) : String(format: "\\u%04x", Int(unit))
            }
            return quoted(units.joined())
        }
    }

    private static func quoted(_ text: String) -> String { "\"\(text)\"" }

    /// The same sequence in each run (Knuth's linear congruential generator).
    private struct Generator {
        private var state: UInt64 = 7

        mutating func below(_ limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(limit))
        }

        mutating func element<Value>(_ values: [Value]) -> Value { values[below(values.count)] }

        mutating func text(_ words: [String], _ count: ClosedRange<Int>, separator: String = " ") -> String {
            let count = count.lowerBound + below(count.count)
            return (0..<count).map { _ in element(words) }.joined(separator: separator)
        }
    }
}
