import Foundation

/// A line plot with logarithmic axes in SVG format.
struct Plot {
    struct Series {
        let name: String
        var points: [(x: Double, y: Double)] = []
    }

    let title: String
    let unit: String
    var series: [Series] = []

    /// Returns an SVG document with `plots` side by side.
    static func svg(_ plots: [Plot]) -> String {
        let width = plots.count * 460
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) 340" width="\(width)" height="340" \
            font-family="sans-serif" font-size="12">
            \(PlotStyle.definitions)
            \(plots.enumerated().map { $1.drawing(left: Double($0) * 460) }.joined(separator: "\n"))
            </svg>

            """
    }

    private static let area = (left: 58.0, top: 34.0, width: 380.0, height: 220.0)

    private func drawing(left: Double) -> String {
        let points = series.flatMap(\.points)
        guard let x = Axis(points.map(\.x)), let y = Axis(points.map(\.y)) else { return "" }
        let area = Self.area
        func place(_ point: (x: Double, y: Double)) -> (x: Double, y: Double) {
            (
                left + area.left + x.part(point.x) * area.width,
                area.top + area.height * (1 - y.part(point.y))
            )
        }
        var lines = [text(title, at: left + area.left, 20, weight: "bold")]
        for (exponent, value) in y.ticks {
            let at = place((pow(10, Double(x.low)), value)).y
            lines.append(line(left + area.left, at, left + area.left + area.width, at, "grid", 1))
            lines.append(text(label(exponent), at: left + area.left - 6, at + 4, anchor: "end"))
        }
        for (exponent, value) in x.ticks {
            let at = place((value, pow(10, Double(y.low))))
            lines.append(text(power(exponent), at: at.x, at.y + 18, anchor: "middle"))
        }
        lines.append(
            text("items", at: left + area.left + area.width, area.top + area.height + 34, anchor: "end"))
        for (index, series) in series.enumerated() {
            let color = PlotStyle.color(index)
            let path = series.points.map(place).map { String(format: "%.1f,%.1f", $0.x, $0.y) }
            lines.append(
                "<polyline points=\"\(path.joined(separator: " "))\" class=\"\(color)\" style=\"fill:none\" stroke-width=\"2\"/>"
            )
            let row = area.top + area.height + 34 + Double(index) * 16
            lines.append(line(left + area.left, row - 4, left + area.left + 18, row - 4, color, 2))
            lines.append(text(series.name, at: left + area.left + 24, row))
        }
        return lines.joined(separator: "\n")
    }

    private func label(_ exponent: Int) -> String {
        (exponent < 0
            ? "0." + String(repeating: "0", count: -exponent - 1) + "1"
            : "1" + String(repeating: "0", count: exponent))
            + " " + unit
    }

    private func power(_ exponent: Int) -> String {
        "10<tspan dy=\"-5\" font-size=\"9\">\(exponent)</tspan>"
    }

    private func text(
        _ text: String, at x: Double, _ y: Double, anchor: String = "start", weight: String = "normal"
    ) -> String {
        let format = "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"\(anchor)\" font-weight=\"\(weight)\">"
        return String(format: format, x, y) + text + "</text>"
    }

    private func line(
        _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ style: String, _ width: Int
    ) -> String {
        String(format: "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" ", x1, y1, x2, y2)
            + "class=\"\(style)\" stroke-width=\"\(width)\"/>"
    }

    /// A logarithmic axis between two powers of ten.
    private struct Axis {
        let low: Int
        let high: Int

        init?(_ values: [Double]) {
            guard let least = values.min(), let most = values.max(), least > 0 else { return nil }
            low = Int(log10(least).rounded(.down))
            high = max(low + 1, Int(log10(most).rounded(.up)))
        }

        func part(_ value: Double) -> Double { (log10(value) - Double(low)) / Double(high - low) }

        var ticks: [(exponent: Int, value: Double)] { (low...high).map { ($0, pow(10, Double($0))) } }
    }
}

/// The colors of the plots, on a light and on a dark background.
enum PlotStyle {
    private static let series = [
        (light: "#d6336c", dark: "#f783ac"), (light: "#1971c2", dark: "#74c0fc"),
        (light: "#2f9e44", dark: "#8ce99a"), (light: "#e8590c", dark: "#ffa94d"),
        (light: "#6741d9", dark: "#b197fc"),
    ]

    /// The class of the series at `index`.
    static func color(_ index: Int) -> String { "s\(index % series.count)" }

    /// The style sheet, and the background.
    static var definitions: String {
        let light = rules(text: "#1f2328", back: "#ffffff", grid: "#e9ecef", series.map(\.light))
        let dark = rules(text: "#e6edf3", back: "#0d1117", grid: "#30363d", series.map(\.dark))
        return """
            <style>\(light)@media(prefers-color-scheme:dark){\(dark)}</style>
            <rect width="100%" height="100%" rx="8" class="back"/>
            """
    }

    private static func rules(text: String, back: String, grid: String, _ colors: [String]) -> String {
        "text{fill:\(text)}.back{fill:\(back)}.grid{stroke:\(grid)}"
            + colors.enumerated().map { ".s\($0){stroke:\($1);fill:\($1)}" }.joined()
    }
}
