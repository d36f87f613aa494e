/// The table of names and their roles.
extension PaginationNames {
    /// The names as words, normalized (`MemberPath.normalized`), with their roles.
    static let table: [String: PaginationRoles] = {
        var table: [String: PaginationRoles] = [:]
        for (roles, words) in names {
            for word in list(words) { table[word, default: []].insert(roles) }
        }
        return table
    }()

    private static let names: KeyValuePairs<PaginationRoles, String> = [
        .more: """
        hasmore hasnext hasnextpage more hasmoreitems hasmoreresults hasmorepages hasmoredata
        moreresultsavailable moreavailable istruncated truncated morepages moreitems moreresults
        nextpageavailable isnextpageavailable hasnextitems hasmorepage morerecords hasadditional
        havemoreresults havemore moreitemsincollection exceededtransferlimit moreresult moredata morerows
        continues contd tobecontinued hasrest moreentries hasmorerecords hasmorerows hasmoreentries hasfurther
        nextavailable hasmoreelements
        """,
        [.end, .weakFlag, .stateFlag]:
            "isdone complete iscomplete completeindicator completed finished isfinished",
        .weakFlag: "truncated done",
        .end: """
        islast islastpage last lastpage done endofrecords isfinal end endoflist endofresults exhausted nomore
        isend eof eol endofstream foundnewest endofdata nomoreresults nomoreitems reachedend endreached atend
        islastbatch drained eos
        """,
        .total: """
        total totalcount totalresults totalitems totalsize totalelements totalentries totalhits totalrecords
        totalrows totalnumber totalobjects numfound nbhits nbresults matched nummatched numbermatched
        recordstotal filtercount searchresultcountall countall totalnumberofitems totalnumberofresults
        totaldocs totaldocuments itemstotal resultstotal totalmatches hitcount fullcount totalitemcount
        totalresultcount totalrecordcount totalavailable totalsetsize completelistsize resulttotal
        resultcountall recordsfiltered filtered
        """,
        .estimate: """
        estimatedtotal estimatedtotalhits totalestimatedmatches resultsizeestimate totalestimate
        estimatedcount totalroomcountestimate estimatedtotalcount estimatedtotalresults estimatedresultcount
        approximatecount approximatetotal approximatetotalcount
        """,
        [.count, .evidentCount]: """
        count rowcount recordcount resultsetsize found numberofitems numberofresults numberofrecords
        numresults numitems treesize itemsmax listitemcount resultcount itemcount
        """,
        .count: """
        population cardinality collectionsize nbitems size items hits results length records elements entries
        pageablecount
        """,
        .pageCount: """
        totalpages pagecount pages numpages nbpages np npages lastpage numberofpages pagestotal totalpagecount
        maxpage pagetotal totalpage lastpagenumber totalnumberofpages pagemax endpage availablepage
        """,
        [.pageNumber, .pageQuery]: "page currentpage pagenumber pageno pageindex pagenum p pn pagina",
        .pageNumber: "number current currentpagenumber paginaatual paginaactual",
        .pageQuery: "pg paged",
        [.pageSize, .sizeQuery]: """
        perpage pagesize limit size pagelen hitsperpage maxresults countperpage itemsperpage resultsperpage
        rows max pagelimit pagelength rowsperpage recordsperpage elementsperpage entriesperpage take
        """,
        .sizeQuery: """
        top count first num n ps hits retmax resultrecordcount maxresultcount batchsize numperpage maxcount
        maxitems maxrecords maxrows maxkeys numofrows anzahl results records select listkeycount
        """,
        [.offset, .certainOffset, .offsetQuery]:
            "offset skip start startat startindex startposition retstart skipcount",
        [.offset, .offsetQuery]: "from firstresult startrow startrecord",
        [.offset, .certainOffset]: "startpos",
        .offset: "startitem first currentoffset startoffset index",
        .offsetQuery: "resultoffset sroffset sysparmoffset limitstart firstrow listkeystart",
        .remaining: """
        remainingitemcount itemsremaining remainingcount remainingitems notshown nmore andmore restcount
        leftcount omitted yettocome pagesremaining pagesleft remainingpages unreturned
        """,
        .nextOffset:
            "nextstart nextoffset nextpagestart nextskip nextfrom nextindex nextstartindex",
        [.token, .wordToken]: "cursor after continue marker bookmark position offset scroll anchor iterator",
        .token: """
        endcursor continuationtoken continuation pagetoken startingafter pagingtoken paginationtoken
        cursormark pagecursor lastkey resumptiontoken skiptoken searchafter pagestate searchcontinue scrollid
        lastcursor aftercursor scrollparam pagekey token end
        """,
        .weakToken: "token end position",
        .wordToken: "next",
        .lastItemCursor: "after endcursor startingafter",
        [.lastPage, .otherPage]: "last lastpage lastpageurl",
        .lastPage: "lastpageuri lastpagelink lasturl lastlink",
        .otherPage: """
        prev previous first start previouspage prevpage firstpage prevurl previousurl firstpageurl prevpageurl
        """,
        [.container, .paginationContainer, .referenceContainer]: "meta metadata pagination paging pageinfo",
        [.container, .referenceContainer]: "page links link responsemetadata cursor cursors continue",
        [.container, .paginationContainer]: "resultinfo",
        .container: """
        paginginfo paginationinfo pageinformation pages pager paginator pageable searchmetadata searchcriteria
        searchinformation searchinfo additionaldata collectionmeta view next nextpage context summary result
        results response data listing envelope pg info urls navigation nav queries resultset resultsetinfo
        total totals message collection search searchresult count counts list listinfo pagingmetadata
        paginationmetadata pagemetadata pagemeta responsecontext range header resultsetmetadata extra
        navigationlinks resumptiontoken attr attributes batching
        """,
        .pricePart: """
        currency currencycode subtotal price amount tax vat shipping discount grandtotal iva mwst btw moms kdv
        dph ндс 消費税 税 부가세 ppn moneda valuta frete
        """,
    ]
}
