/// Items of which each does harm to a terminal that is shown it raw, or to a script that takes lines for items.
enum HostileItems {
    static let json = #"""
        {"items": [
            "harmless",
            "\u001b[2Jclears the screen",
            "\u001b]0;renames the window\u0007",
            "\u001b]52;c;c3RvbGVu\u0007",
            "two\nlines",
            "overwritten\rby this",
            "\u009b31mred in eight bits",
            "invoice\u202efdp.exe",
            "\u007f",
            "\"already quoted\"",
            "-rf",
            "",
            {"kind": "object",
             "note": "\u001b[1m"},
            null
        ]}
        """#
}
