import Foundation

/// Names in other languages, translated word by word.
extension PaginationNames {
    /// Returns a name in English: `last_page` for `letzteSeite`, or `nil` for an unknown or ambiguous word.
    static func translated(_ key: String) -> String? {
        guard key.utf8.count <= 2 * maxWord else { return nil }
        var words: [String] = []
        var isTranslated = false
        for word in lettersOnly(key) {
            // `sayfaNo`, but not `no_more`
            if word == "no" {
                guard words.last?.hasPrefix("page") == true else { return nil }
                words.append("ordinal")
                continue
            }
            guard let parts = translations(in: word) else { return nil }
            isTranslated = isTranslated || parts != [word]
            words += parts
        }
        guard isTranslated, words.count > 1 || !ambiguous.contains(words[0]) else { return nil }
        // `last_es` is a text in Spanish.
        if words.count > 1, ["is", "has"].contains(words.last) { return nil }
        words = words.map { $0 == "sum" ? "total" : $0 }
        let others = words.filter { !["of", "number", "num", "ordinal"].contains($0) }
        let isNumber =
            words.contains("ordinal") && (others.contains("page") || others.contains("pages"))
            || (words.contains("number") || words.contains("num")) && others.contains("page")
        if isNumber {
            // `numeroProximaPagina`
            let position = others.first { !$0.hasPrefix("page") }
            guard others.count < 3, position.map(["current", "next"].contains) != false else { return nil }
            return position.map { "\($0)_page_number" } ?? "page_number"
        }
        if others.contains("page") || others.contains("pages") {
            if others.contains("size"), others.count == 2 { return "page_size" }
            // `nombre` is a name in Spanish.
            if words.contains("count"), others.contains("page"), key.lowercased().hasPrefix("nombre") {
                return nil
            }
            if words.count > 1,
                others.allSatisfy({ ["page", "pages", "count", "total", "quantity"].contains($0) })
            {
                return "page_count"
            }
        }
        if words.contains("ordinal") || words.contains("size") && words.count > 1 { return nil }
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
            textNouns.contains(word) || ["result", "item", "shown"].contains(dictionary[word] ?? "")
                || ["件", "条", "건"].contains { word.contains($0) }
        }
    }

    /// Returns `true` for a word between the number of a part and that of the whole, as in `3 von insgesamt 7`.
    static func isOf(_ word: String) -> Bool { ofWords.contains(folded(word)) }

    private static let ofWords: Words =
        "of out von aus insgesamt gesamt van af av sur su di de del un total z ze iz из dari din /"

    /// Returns the number in a text such as `about 3`, `> 3` or `3 or more`, or `nil` for another text.
    static func leastNumber(in text: String) -> Int? {
        let words = lettersOnly(text) + text.filter { "<>≥~≈+".contains($0) }.map(String.init)
        guard !words.isEmpty, words.allSatisfy(bounds.contains), !text.contains(".") else { return nil }
        return Int(text.filter(\.isNumber))
    }

    private static let bounds: Words = "> ≥ ~ ≈ + about over around approximately circa at least more than or"

    private static let textNouns: Words = """
        results items records entries rows hits documents top returned shown showing displaying displayed
        """

    /// Returns `true` for a text with the word for a page, or pages, in one of the languages.
    static func mentionsPages(_ text: String) -> Bool {
        lettersOnly(text).contains { word in
            let parts = translations(in: word) ?? [word]
            return parts.contains { $0 == "page" || $0 == "pages" } || word.contains("页")
                || word.contains("頁")
        }
    }

    /// The names of a title or a description, whose text is about the content of the list.
    static let titles: Words = """
        title subtitle name headline description titre titel titulo título titolo libelle libellé concepto
        descripcion descripción beschreibung
        """

    /// Returns `true` for a normalized name that is the word for `next` in another language.
    static func isNextWord(_ name: String) -> Bool { dictionary[name] == "next" }

    /// The translations that mean little without another word: a `number` of the page, or of an invoice.
    private static let ambiguous: Words = """
        count number ordinal quantity sum index is has exists result item current per of document shown
        found
        """

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
    private static func translations(in word: String, parts: Int = 1) -> [String]? {
        // The time grows with the square of the length.
        guard word.utf8.count <= maxWord, parts < 5 else { return nil }
        if let english = dictionary[word] { return [english] }
        if englishWords.contains(word) || itemNouns.contains(word) { return [word] }
        for length in (1..<max(1, word.count)).reversed() {
            let (head, tail) = (String(word.prefix(length)), String(word.dropFirst(length)))
            // Two letters of an alphabet are a word by accident.
            guard length > 2 || !head.utf8.allSatisfy({ $0 < 0x80 }), let english = dictionary[head],
                let rest = translations(in: tail, parts: parts + 1)
            else { continue }
            return [english] + rest
        }
        return nil
    }

    private static let maxWord = 48

    /// English words beside those of other languages, as in `totalPaginas`.
    private static let englishWords: Words = """
        page pages total count number num results items records has is next last more of offset token cursor
        url link id size index
        """

    /// Words without diacritics in lower case, with the English word.
    private static let dictionary: [String: String] = {
        var (dictionary, english) = ([String: String](), "")
        for word in list(languages) {
            if word.hasSuffix(":") {
                english = String(word.dropLast())
            } else {
                dictionary[folded(word)] = english
                dictionary[word] = english
            }
        }
        return dictionary
    }()

    /// The words of other languages after each English word, which has a colon.
    private static let languages = """
        next: siguiente siguientes próxima próximo próximas próximos seguinte suivant suivante suivants suivantes
          prochaine nächste nächster nächstes naechste weiter volgende nästa næste neste seuraava następna następny další
          následující následujúca következő următoarea sonraki prossima prossimo successiva berikutnya следующая следующий
          次の 下一 다음
        last: última último dernière dernier letzte letzter laatste siste sista sidste viimeinen ostatnia ostatni poslední
          utolsó ultimul terakhir последняя последний 最后 最後 最后一 末 마지막
        more: más mais encore mehr weitere weiteren meer flere fler lisää więcej více vice dalších dalsie további daha
          altre altri ещё еще 更多 更 もっと 더 lagi
        page: página seite strona stranka stránka strana sivu oldal sayfa halaman страница 页 頁 ページ 페이지 trang
        pages: páginas pagine seiten strony страницы stron stránek stran stranek sider sidor sivut sivua oldalak sayfalar
          страниц
        total: gesamt insgesamt totaal totale totali totaux totales totalt totais yhteensä всего 总 總 総 全 共 전체 총 tong tổng
        sum: toplam celkem łącznie jumlah итого 合計
        count: anzahl zahl nombre nombres aantal antal antall lukumäärä liczba počet nb số so szama sayısı 数 數 件数 건수 개수 수
        quantity: cantidad quantidade qtd adet ilość количество 数量
        number: número
        ordinal: nummer numer nr номер 番号 번호 码 號
        index: índice indice
        result: treffer ergebnis ergebnisse ergebnissen resultado resultados résultat résultats risultati resultaten
          resultater resultat tulokset osumat wyniki wyników výsledky výsledků sonuç sonuçlar kayıt kayit kayıtlar hasil
          результаты результатов 结果 結果 결과
        item: elemente elementos éléments elementi enregistrements registros einträge eintraege datensätze datensaetze
          записей 记录 条 항목
        document: dokumente dokumenten dokumenter documentos documenti dokumenty
        current: aktuelle aktueller atual actuelle corrente huidige nuværende nuvarande nykyinen aktualna aktuální текущая
          当前 現在 현재
        remaining: restantes restante restants verbleibend verbleibende resterende осталось
        size: tamanho tamaño tamanio taille größe groesse grootte størrelse boyutu rozmiar velikost размер 大小
        found: encontrados encontradas trovati trovate gefunden trouvés trouvées najdeno найдено
        shown: angezeigt angezeigte affichés affichage mostrados mostrando exibindo visualizzati restituiti menampilkan
          getoond vist visade zobrazeno показано 表示 显示 표시
        has: hat tiene tem har heeft hay existe existuje finns sono имеется есть 有 还有 a ha
        is: est esta ist es er jest czy 是否 ci
        exists: vorhanden var 存在 존재 있음 有無 有无
        per: per pro por par 每
        of: von del des de
        continuation: fortsetzung continuación continuação
        """
}
