/// The normalized names of members, header fields and query items that servers use for pagination; see
/// `PaginationSign.normalized(_:)`.
enum PaginationNames {
    /// A set of names, written as words.
    struct NameSet: ExpressibleByStringLiteral {
        private let names: Set<Substring>

        init(stringLiteral words: String) { names = Set(words.split(whereSeparator: \.isWhitespace)) }

        func contains(_ name: String) -> Bool { names.contains(name[...]) }
    }

    /// Flags that are true if there are more items.
    static let moreFlags: NameSet = """
        hasmore hasnext hasnextpage more hasmoreitems hasmoreresults hasmorepages hasmoredata
        moreresultsavailable moreavailable istruncated truncated partial morepages moreitems moreresults
        nextpageavailable isnextpageavailable hasnextitems hasmorepage morerecords hasadditional
        havemoreresults havemore moreitemsincollection exceededtransferlimit moreresult moredata morerows
        moreentries hasmorerecords hasmorerows hasmoreentries hasfurther nextavailable hasmoreelements
        """
    /// Flags that can be about something else than the list.
    static let weakFlags: NameSet = "truncated partial"
    /// Objects whose flags are about the list, although other members are not.
    static let flagContainers: NameSet = "query properties extensions"
    /// Members with the total number of items.
    static let totals: NameSet = """
        total totalcount totalresults totalitems totalsize totalelements totalentries totalhits totalrecords
        totalrows totalnumber totalobjects numfound nbhits nbresults matched nummatched numbermatched
        numresults recordstotal filtercount searchresultcountall countall totalnumberofitems
        totalnumberofresults totaldocs totaldocuments itemstotal resultstotal totalmatches hitcount
        fullcount numitems totalitemcount totalresultcount totalrecordcount totalavailable totalsetsize
        completelistsize
        """
    /// What a number such as `total_documents` counts, if it is the number of items.
    static let itemNouns: NameSet = """
        count results items size elements entries hits records rows number objects entities documents docs
        matches found available matching resultcount
        """
    /// Totals that the server has estimated.
    static let estimates: NameSet = """
        estimatedtotal estimatedtotalhits totalestimatedmatches resultsizeestimate totalestimate
        estimatedcount totalroomcountestimate estimatedtotalcount estimatedtotalresults estimatedresultcount
        approximatecount approximatetotal approximatetotalcount
        """
    /// Counts that can only be about the whole list if they are next to it.
    static let evidentCounts: NameSet = """
        count rowcount recordcount resultsetsize found numberofitems numberofresults numberofrecords
        """
    /// Members with a count that can refer to the page or to the entire list.
    static let counts: NameSet = """
        count size items hits results itemcount resultcount length records elements entries found
        recordcount rowcount resultsetsize numberofitems numberofresults numberofrecords
        """
    /// Counts of pages.
    static let pageCounts: NameSet = """
        totalpages pagecount pages numpages nbpages lastpage numberofpages pagestotal totalpagecount maxpage
        pagetotal lastpagenumber totalnumberofpages
        """
    /// The number of the current page.
    static let pageNumbers: NameSet =
        "page currentpage pagenumber pageno pageindex number pagenum current currentpagenumber p"
    /// Members with the maximum number of items on a page.
    static let pageSizes: NameSet = """
        perpage pagesize limit size pagelen hitsperpage maxresults countperpage itemsperpage resultsperpage
        rows max pagelimit pagelength rowsperpage recordsperpage elementsperpage entriesperpage
        """
    /// Members with the offset of the first item of the page.
    static let offsets: NameSet = """
        offset skip start startat startindex from startposition firstresult startrow startitem startrecord
        first currentoffset startoffset retstart startpos
        """
    /// The number of items after the page.
    static let remaining: NameSet = "remainingitemcount itemsremaining remainingcount remainingitems"
    /// Members with the offset of the first item of the next page.
    static let nextOffsets: NameSet =
        "nextstart nextoffset nextpagestart nextskip nextfrom nextindex nextstartindex"
    /// Members with a token whose names do not begin with `next`.
    static let tokens: NameSet = """
        cursor endcursor after continuationtoken continuation continue marker pagetoken bookmark position
        offset startingafter pagingtoken paginationtoken cursormark pagecursor lastkey resumptiontoken
        skiptoken searchafter pagestate searchcontinue scrollid lastcursor aftercursor scrollparam
        pagekey token end
        """
    /// Tokens whose names can have another meaning, and that count only if the response indicates more items.
    static let weakTokens: NameSet = "token end position"
    /// Objects that contain a token, and the names of the token in them.
    static let tokenObjects: NameSet = "resumptiontoken continuationtoken nextpagetoken nexttoken"
    static let tokenValues: NameSet = "token value text"
    /// Links to the last page.
    static let lastPages: NameSet = "last lastpage lastpageurl lastpageuri lastpagelink lasturl lastlink"
    /// Members with a cursor that identifies the last item of the page.
    static let lastItemCursors: NameSet = "after endcursor startingafter"
    /// Members that are common words, and are treated as tokens only if their text looks like a token.
    static let wordTokens: NameSet = "after marker position offset bookmark cursor continue next"
    /// Links to pages other than the next one. A server that sends them uses page numbers, so an empty page is the end.
    static let otherPages: NameSet = """
        prev previous first last start previouspage prevpage firstpage lastpage prevurl previousurl
        firstpageurl lastpageurl prevpageurl
        """
    /// Objects next to the list whose members can describe the pagination.
    static let containers: NameSet = """
        meta metadata pagination paging paginginfo paginationinfo pageinfo pageinformation page pages pager
        paginator pageable links link resultinfo responsemetadata searchmetadata searchcriteria
        searchinformation searchinfo additionaldata collectionmeta view cursor cursors next nextpage
        continue context summary result results response data listing envelope info urls navigation nav
        queries resultset resultsetinfo total totals message collection search searchresult count counts
        list listinfo pagingmetadata paginationmetadata pagemetadata pagemeta responsecontext range header
        resultsetmetadata extra navigationlinks resumptiontoken attr
        """
    /// Objects in which a name such as `total_count` is the total.
    static let totalContainers: NameSet = "status extensions"
    /// Objects that have no other purpose than pagination, so that a count in them refers to the list.
    static let paginationContainers: NameSet = "meta metadata pagination paging pageinfo resultinfo"
    /// Objects that may contain the reference to the next page.
    static let referenceContainers: NameSet =
        "meta metadata pagination paging pageinfo page links link responsemetadata cursor cursors continue"
    /// Names of members next to a `total` that is a price.
    static let priceParts: NameSet =
        "currency currencycode subtotal price amount tax vat shipping discount grandtotal"
    /// Header fields, without `X-`.
    static let headers: NameSet = """
        page perpage total totalpages totalcount totalobjects totalrecords totalitems pagecount
        continuationtoken hasmore lastpage currentpage pages records hits count items results
        pageno pagenumber pagesize totalresults totalrows totalelements totalsize itemcount
        """
    /// Words in the names of header fields that are not about the list.
    static let otherHeaders: NameSet = """
        ratelimit rate limit quota cache retry request requests runtime time age rpm api throttle cost credits
        dns content upload served worker
        """
    /// Query items that take a page number.
    static let pageQueries: NameSet = "page p pagenumber pageindex pagenum pageno currentpage pg paged"
    /// Query items that take an offset.
    static let offsetQueries: NameSet = """
        offset skip start startat startindex from firstresult retstart startposition resultoffset skipcount
        sroffset startrecord sysparmoffset limitstart firstrow startrow
        """
    /// Query items that take the page size, in addition to the names that members have for it.
    static let sizeQueries: NameSet = """
        top take count first num n ps retmax resultrecordcount maxresultcount batchsize numperpage maxcount
        maxitems pagesize maxrecords take
        """

    /// Endings of the names of members that always contain a URL.
    static let urlEndings = ["url", "link", "uri", "href"]
    /// Names of members that are always offsets, even if the listing does not start at the first item.
    static let certainOffsets: NameSet =
        "offset skip start startat startindex startposition retstart startpos"

    private static let nextEndings = """
        url link uri href path page pages set batch token cursor marker key bookmark continuation continue
        after scrollid position id from anchor offset start skip index state range results records
        cursormark mark params
        """.split(whereSeparator: \.isWhitespace)

    /// Returns `true` for the name of a member that leads to the next page, such as `next`, `nextPageToken` or `more_url`.
    static func isNext(_ name: String) -> Bool {
        if ["next", "older", "lastevaluatedkey"].contains(name) { return true }
        if name.hasPrefix("after") { return urlEndings.contains { name == "after\($0)" } }
        if name.hasSuffix("next") {
            return ["cursor", "page", "token", "link", "url"].contains { name == "\($0)next" }
        }
        if name.hasPrefix("next") {
            return !name.hasPrefix("nextsync") && nextEndings.contains(where: name.hasSuffix)
        }
        return name.hasPrefix("more") && ["url", "link", "uri"].contains(where: name.hasSuffix)
    }

    /// Returns `true` for the name of an object next to the list whose members can describe the pagination.
    static func isContainer(_ name: String) -> Bool {
        containers.contains(name) || name.hasSuffix("links")
            || ["paginat", "paging", "pageinfo", "pagemeta", "pagecontext"].contains(where: name.contains)
    }

    /// Returns the words of a name in snake case, kebab case or camel case, in lower case.
    static func words(of name: some StringProtocol) -> [String] {
        var words: [String] = []
        var word = ""
        for character in name {
            let isSeparator = "_-.".contains(character)
            if isSeparator || character.isUppercase, !word.isEmpty {
                words.append(word)
                word = ""
            }
            if !isSeparator { word += character.lowercased() }
        }
        return word.isEmpty ? words : words + [word]
    }
}
