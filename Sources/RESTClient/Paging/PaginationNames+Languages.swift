import Foundation

/// Names in other languages, translated word by word.
extension PaginationNames {
    /// Returns a name in English: `last_page` for `letzteSeite`, and `total_pages` for `总页数`. Returns `nil` if one of its words is
    /// unknown, and for a word alone that has other meanings, too.
    static func translated(_ key: String) -> String? {
        var words: [String] = []
        var isTranslated = false
        for word in lettersOnly(key) {
            guard let parts = translations(in: word) else { return nil }
            isTranslated = isTranslated || parts != [word]
            words += parts
        }
        guard isTranslated, words.count > 1 || !ambiguous.contains(words[0]) else { return nil }
        if words.contains(where: { $0.hasPrefix("page") }), words.count > 1,
            words.allSatisfy({ ["page", "pages", "count", "total", "of"].contains($0) })
        {
            return "page_count"
        }
        // `results_count` for `liczbaWyników`
        if let first = words.first, ["count", "total"].contains(first), words != ["total", "count"] {
            words.removeFirst()
            words.append(first)
        }
        return words.joined(separator: "_")
    }

    /// Returns `true` for a text with a word for the items of a list, or for showing them, as in `Exibindo 3 de 7`.
    static func isAboutItems(_ text: String) -> Bool {
        lettersOnly(text).contains { word in
            itemNouns.contains(word) || pageCounts.contains(word) || word == "top"
                || ["result", "item", "document", "shown"].contains(dictionary[word] ?? "")
        }
    }

    /// Returns `true` for a normalized name that is the word for `next` in another language.
    static func isNextWord(_ name: String) -> Bool { dictionary[name] == "next" }

    /// The translations that mean little without another word: a `number` of the page, or of an invoice.
    private static let ambiguous: Set = ["count", "is", "has", "exists", "result", "item", "current", "per"]

    /// Returns the words of a name in any script, in lower case and without diacritics.
    private static func lettersOnly(_ key: String) -> [String] {
        var words: [String] = []
        var wasLower = false
        for character in key {
            guard character.isLetter else {
                wasLower = false
                if words.last?.isEmpty == false { words.append("") }
                continue
            }
            if words.isEmpty || wasLower && character.isUppercase { words.append("") }
            words[words.count - 1].append(character)
            wasLower = character.isLowercase
        }
        return words.filter { !$0.isEmpty }.map(folded)
    }

    private static func folded(_ word: some StringProtocol) -> String {
        if word.utf8.allSatisfy({ $0 < 0x80 }) { return word.lowercased() }
        return word.folding(
            options: [.diacriticInsensitive, .caseInsensitive, .widthInsensitive], locale: nil)
    }

    /// Returns the English words for a word that may be a compound such as `seitenanzahl`, or `nil` if a part is unknown.
    private static func translations(in word: String) -> [String]? {
        if let english = dictionary[word] { return [english] }
        if englishWords.contains(word) || itemNouns.contains(word) { return [word] }
        for length in (1..<max(1, word.count)).reversed() {
            let (head, tail) = (String(word.prefix(length)), String(word.dropFirst(length)))
            // Two letters of an alphabet are a word by accident.
            guard length > 2 || !head.utf8.allSatisfy({ $0 < 0x80 }), let english = dictionary[head],
                let rest = translations(in: tail)
            else { continue }
            return [english] + rest
        }
        return nil
    }

    /// English words beside those of other languages, as in `totalPaginas`.
    private static let englishWords: Set = [
        "page", "pages", "total", "count", "number", "num", "results", "items", "records", "has", "is",
        "next",
        "last", "more", "of", "offset", "token", "cursor", "url", "link", "id",
    ]

    /// Words without diacritics in lower case, with the English word.
    private static let dictionary: [String: String] = {
        var dictionary: [String: String] = [:]
        for (english, words) in languages {
            for word in words.split(whereSeparator: \.isWhitespace) {
                dictionary[folded(word)] = english
                dictionary[String(word)] = english
            }
        }
        return dictionary
    }()

    private static let languages: KeyValuePairs = [
        "next": """
        siguiente siguientes próxima próximo proximas próximos seguinte suivant suivante suivants suivantes prochaine nächste
        nächster nächstes naechste volgende neste nästa næste seuraava następna następny další következő următoarea sonraki
        prossima prossimo successiva berikutnya следующая следующий 次 次の 下一 下 다음 weiter
        """,
        "last": """
        última último dernière dernier letzte letzter laatste siste sista sidste viimeinen ostatnia ostatni poslední utolsó
        ultimul terakhir последняя последний 最后 最後 最后一 末 마지막
        """,
        "more": """
        más mais encore mehr weitere weiteren meer flere fler lisää więcej více vice dalších további ещё еще 更多 更 もっと
        더 lagi altre altri
        """,
        "page": """
        página pagine seite strona strony stranka stránka strana sivu oldal sayfa halaman страница страницы 页 頁 ページ 页码 페이지 trang
        """,
        "pages": """
        páginas seiten stron stránek stran stranek sider sidor sivut sivua sayfalar страниц 页数 頁数 總頁數 ページ数 ページ總数 페이지수
        """,
        "total": """
        gesamt insgesamt totaal totale totali totaux totales totalt totais toplam celkem łącznie jumlah всего итого 总 總 総 合計 전체 총
        tong tổng 全 共
        """,
        "count": """
        anzahl zahl número nombre nombres aantal antal antall lukumäärä liczba ilość počet adet cantidad quantidade
        qtd nb số so количество число 数 數 数量 件数 개수 수
        """,
        "result": """
        treffer ergebnis ergebnisse ergebnissen resultado resultados résultat résultats risultati resultaten resultater resultat
        tulokset osumat wyniki wyników výsledky výsledků sonuç sonuçlar hasil результаты результатов 结果 結果 결과
        """,
        "item": """
        elemente elementos éléments elementi enregistrements registros registro einträge eintraege datensätze datensaetze записей 记录 条 件
        항목
        """,
        "current": """
        aktuelle aktueller atual actuelle corrente huidige nuværende nuvarande nykyinen aktualna aktuální текущая 当前 現在 현재
        """,
        "has": "hat tiene tem har heeft hay existe existuje имеется 有 还有 有无 있음 finns есть a ha",
        "is": "est esta ist es er jest czy 是否",
        "shown":
            "angezeigt angezeigte mostrando exibindo affichage visualizzati affichés mostrados mostrate getoond gezien vist visade zobrazeno показано 表示 显示 표시",
        "document": "dokumente dokumenten dokumenter documentos documenti dokumenty",
        "continuation": "fortsetzung continuación continuação",
        "exists": "存在 존재 vorhanden",
        "per": "pro por par",
        "of": "von del des de",
    ]
}
