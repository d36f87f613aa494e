import Foundation
import RESTClientHTTP

/// The encoding of a text body: that of its byte order mark, otherwise that of `charset` (RFC 9110, section 8.3.2), otherwise
/// UTF-8.
struct TextEncoding {
    /// The name in the response, or that of the mark.
    let name: String
    private let encoding: String.Encoding?
    private let markLength: Int

    init(of body: Data, _ type: MediaType?) {
        let marks: [([UInt8], String)] = [
            ([0xEF, 0xBB, 0xBF], "utf-8"), ([0xFE, 0xFF], "utf-16be"), ([0xFF, 0xFE], "utf-16le"),
        ]
        let mark = marks.first { body.starts(with: $0.0) }
        markLength = mark?.0.count ?? 0
        name = mark?.1 ?? type?.charset ?? "utf-8"
        encoding = Self.encodings[name]
    }

    /// Returns the text, or `nil` if the bytes are not valid in the encoding, or Foundation does not know it.
    func text(of body: Data) -> String? {
        let body = body.dropFirst(markLength)
        guard let encoding else { return nil }
        if encoding == .utf8 { return String(validating: body, as: UTF8.self) }
        return String(data: Data(body), encoding: encoding)
    }

    /// The encodings by their names in the registry of IANA. Those without a constant have the numbers of Core Foundation.
    private static let encodings: [String: String.Encoding] = {
        func foundation(_ number: UInt) -> String.Encoding { String.Encoding(rawValue: 0x8000_0000 | number) }
        var encodings: [String: String.Encoding] = [
            "utf-8": .utf8, "utf8": .utf8, "us-ascii": .utf8, "ascii": .utf8,
            "utf-16": .utf16, "utf-16le": .utf16LittleEndian, "utf-16be": .utf16BigEndian, "utf-32": .utf32,
            // As browsers do (WHATWG Encoding, section 4.2): the additional characters of Windows are meant.
            "iso-8859-1": .windowsCP1252, "latin1": .windowsCP1252, "windows-1252": .windowsCP1252,
            "cp1252": .windowsCP1252,
            "shift_jis": foundation(0x0A01), "shift-jis": foundation(0x0A01), "sjis": foundation(0x0A01),
            "windows-31j": foundation(0x0A01), "euc-jp": .japaneseEUC, "iso-2022-jp": .iso2022JP,
            "gbk": foundation(0x0632), "gb18030": foundation(0x0632), "gb2312": foundation(0x0632),
            "big5": foundation(0x0A03), "euc-kr": foundation(0x0940), "koi8-r": foundation(0x0A02),
            "macintosh": .macOSRoman,
        ]
        let windows: [(String, UInt)] = [
            ("1250", 0x0501), ("1251", 0x0502), ("1253", 0x0503), ("1254", 0x0504), ("1255", 0x0505),
            ("1256", 0x0506), ("1257", 0x0507), ("1258", 0x0508),
        ]
        for (page, number) in windows {
            encodings["windows-\(page)"] = foundation(number)
            encodings["cp\(page)"] = foundation(number)
        }
        for part: UInt in 2...16 where part != 12 {
            encodings["iso-8859-\(part)"] = foundation(0x0200 + part)
        }
        return encodings
    }()
}
