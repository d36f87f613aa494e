/// What a fleet did to its server, one panel for each strategy, as SVG.
package struct FleetPlot: Sendable {
    private let fleet: Fleet
    private let outcomes: [Fleet.Outcome]

    package init(_ fleet: Fleet, _ outcomes: [Fleet.Outcome]) {
        self.fleet = fleet
        self.outcomes = outcomes
    }

    private static let width = 720
    private static let left = 16
    private static let panel = 84
    private static let gap = 34
    private static let begin = 50

    /// The document.
    package var svg: String {
        let height = 50 + outcomes.count * (Self.panel + Self.gap)
        var text = """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Self.width) \(height)" font-family="sans-serif" \
            font-size="12">
            <rect width="\(Self.width)" height="\(height)" fill="#fff"/>
            <text x="\(Self.left)" y="20" font-size="13">\(fleet.clients) clients, a server that is down (grey): requests \
            (red) and answers (green) in a second, most (dashed)</text>

            """
        for (index, outcome) in outcomes.enumerated() {
            text += panel(outcome, top: 48 + index * (Self.panel + Self.gap))
        }
        return text + axis(at: height - 8) + "</svg>\n"
    }

    /// Seconds since the outage began.
    private func axis(at bottom: Int) -> String {
        stride(from: fleet.outage.lowerBound, to: fleet.length, by: fleet.outage.count).map { second in
            "<text x=\"\(x(second))\" y=\"\(bottom)\" text-anchor=\"middle\">\(second - fleet.outage.lowerBound) s</text>\n"
        }.joined()
    }

    private func x(_ second: Int) -> Int {
        Self.left + (second - Self.begin) * (Self.width - 2 * Self.left) / (fleet.length - Self.begin)
    }

    private func panel(_ outcome: Fleet.Outcome, top: Int) -> String {
        // What is higher is cut: a wave of everybody would make the rest a flat line.
        let highest = fleet.capacity * 3
        func y(_ count: Int) -> Int { top + Self.panel - min(count, highest) * Self.panel / highest }
        func line(_ value: (Fleet.Second) -> Int, _ color: String) -> String {
            let points = outcome.seconds.enumerated().dropFirst(Self.begin)
                .map { "\(x($0.offset)),\(y(value($0.element)))" }.joined(separator: " ")
            return "<polyline points=\"\(points)\" fill=\"none\" stroke=\"\(color)\" stroke-width=\"1.5\"/>\n"
        }
        let recovery = outcome.recovery.map { "recovers in \($0) s" } ?? "does not recover"
        return """
            <text x="\(Self.left)" y="\(top - 6)">\(outcome.strategy.name): × \(outcome.amplification.tenths), \
            up to \(outcome.peak) a second, \(recovery)</text>
            <rect x="\(x(fleet.outage.lowerBound))" y="\(top)" width="\(x(fleet.outage.upperBound) - x(fleet.outage.lowerBound))" \
            height="\(Self.panel)" fill="#e8e8e8"/>
            <line x1="\(Self.left)" x2="\(Self.width - Self.left)" y1="\(y(fleet.capacity))" y2="\(y(fleet.capacity))" \
            stroke="#888" stroke-dasharray="4 4"/>
            <line x1="\(Self.left)" x2="\(Self.width - Self.left)" y1="\(top + Self.panel)" y2="\(top + Self.panel)" stroke="#888"/>
            \(line(\.asked, "#d33"))\(line(\.answered, "#2a2"))
            """
    }
}

extension Double {
    /// With one digit behind the point.
    package var tenths: String {
        let tenths = Int((self * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}
