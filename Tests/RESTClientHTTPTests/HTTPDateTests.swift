import Foundation
import RESTClientHTTP
import Testing

@Suite struct HTTPDateTests {
    /// 2026-01-01T00:00:00Z
    private let now = Date(timeIntervalSince1970: 1_767_225_600)

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    ])
    func `all three date formats of RFC 9110 are parsed`(text: String) {
        #expect(HTTPDate.date(text, now: now) == Date(timeIntervalSince1970: 784_111_777))
    }

    @Test(arguments: [
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Thu, 29 Feb 2024 12:00:00 GMT", 1_709_208_000),
        ("Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400), ("Sun, 31 Dec 1899 23:59:59 GMT", -2_208_988_801),
        ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800), ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
    ])
    func `leap days and leap seconds are valid`(text: String, seconds: Double) {
        #expect(HTTPDate.date(text, now: now) == Date(timeIntervalSince1970: seconds))
    }

    @Test(arguments: [
        ("Tuesday, 31-Dec-75 00:00:00 GMT", 2075), ("Friday, 01-Jan-77 00:00:00 GMT", 1977),
        // To the day: what is more than 50 years ahead is past.
        ("Wednesday, 01-Jan-76 00:00:00 GMT", 2076), ("Thursday, 31-Dec-76 00:00:00 GMT", 1976),
        ("Thursday, 01-Jan-26 00:00:00 GMT", 2026), ("Friday, 01-Jan-99 00:00:00 GMT", 1999),
    ])
    func `a two-digit year is at most 50 years in the future`(text: String, year: Int) throws {
        let date = try #require(HTTPDate.date(text, now: now))
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        #expect(calendar.component(.year, from: date) == year)
    }

    @Test func `dates of four centuries match the calendar`() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        for day in stride(from: -70_000, to: 80_000, by: 61) {
            let date = Date(timeIntervalSince1970: Double(day) * 86_400)
            let parts = calendar.dateComponents([.year, .month, .day], from: date)
            let (year, month) = (try #require(parts.year), months[try #require(parts.month) - 1])
            let number = try #require(parts.day)
            let text = "Mon, \(number < 10 ? "0" : "")\(number) \(month) \(year) 00:00:00 GMT"
            #expect(HTTPDate.date(text, now: now) == date)
        }
    }

    @Test(arguments: [
        "", "GMT", "Sun, 06 Nov 1994 08:49:37", "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT",
        "Sun, 06 nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 06 Nov 1994 8:49:37 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT", "Sun, 06 Nov 1994 08:49:61 GMT",
        "Sun, 30 Feb 2024 08:49:37 GMT", "Sun, 29 Feb 1900 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
        "Sun, 32 Jan 1994 08:49:37 GMT", "Son, 06 Nov 1994 08:49:37 GMT", "Sun 06 Nov 1994 08:49:37 GMT",
        "Sun, 06-Nov-1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 CET", "Sun Nov 6 08:49:37 94",
        "Sun, 06 Nov 1994 -8:49:37 GMT", "Sun, +6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT",
        "Sun, 06 Nov ٠٠٠٠ 08:49:37 GMT", "1994-11-06T08:49:37Z",
    ])
    func `an invalid date is nil`(text: String) {
        #expect(HTTPDate.date(text, now: now) == nil)
    }
}
