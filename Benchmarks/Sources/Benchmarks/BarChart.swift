import Foundation

/// Groups of horizontal bars with a linear scale in SVG format.
struct BarChart {
    let title: String
    /// The names of the bars in each group.
    let series: [String]
    var groups: [(name: String, values: [Double])] = []

    private static let width = 920.0
    private static let left = 250.0
    private static let right = 64.0

    var svg: String {
        let most = groups.flatMap(\.values).max() ?? 1
        var lines = [text(title, at: 16, 26, style: "font-weight=\"bold\"")]
        var x = 16.0
        for (index, name) in series.enumerated() {
            lines.append(rectangle(x, 40, 12, 12, index))
            lines.append(text(name, at: x + 18, 50))
            x += 40 + Double(name.count) * 7
        }
        var y = 72.0
        for group in groups {
            let middle = y + Double(group.values.count) * 6 + 3
            lines.append(text(group.name, at: Self.left - 12, middle, style: "text-anchor=\"end\""))
            for (index, value) in group.values.enumerated() {
                let length = value / most * (Self.width - Self.left - Self.right)
                lines.append(rectangle(Self.left, y, max(length, 1), 10, index))
                let label = String(format: "%.0f", value)
                lines.append(text(label, at: Self.left + length + 6, y + 9, style: "font-size=\"10\""))
                y += 12
            }
            y += 12
        }
        let height = Int(y) + 6
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 920 \(height)" width="920" height="\(height)" \
            font-family="sans-serif" font-size="12">
            \(PlotStyle.definitions)
            \(lines.joined(separator: "\n"))
            </svg>

            """
    }

    private func text(_ text: String, at x: Double, _ y: Double, style: String = "") -> String {
        String(format: "<text x=\"%.1f\" y=\"%.1f\" \(style)>", x, y) + text + "</text>"
    }

    private func rectangle(
        _ x: Double, _ y: Double, _ width: Double, _ height: Double, _ index: Int
    ) -> String {
        let place = String(
            format: "x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"", x, y, width, height)
        return "<rect \(place) rx=\"1.5\" class=\"\(PlotStyle.color(index))\"/>"
    }
}
