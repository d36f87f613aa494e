import Foundation

/// An archive in the format of browsers: HTTP/2 pseudo-headers, custom fields, bodies in base64 or omitted, joined header
/// fields, a redirect, a blocked request, a WebSocket and a data URL.
enum BrowserArchive {
    static let data = Data(text.utf8)

    static let text = #"""
        {
          "log": {
            "version": "1.2",
            "creator": { "name": "WebInspector", "version": "537.36" },
            "browser": { "name": "Shop", "version": "1" },
            "pages": [
              { "startedDateTime": "2026-03-04T05:06:07.000Z", "id": "page_1", "title": "http://shop.example/",
                "pageTimings": { "onContentLoad": 12.5, "onLoad": -1 } }
            ],
            "entries": [
              {
                "_initiator": { "type": "other" }, "_priority": "High", "_resourceType": "document",
                "cache": {}, "connection": "443", "pageref": "page_1", "serverIPAddress": "[::1]",
                "startedDateTime": "2026-03-04T05:06:07.123Z", "time": 30.25,
                "request": {
                  "method": "GET", "url": "http://shop.example/old?q=tea%20pot", "httpVersion": "http/2.0",
                  "headers": [
                    { "name": ":method", "value": "GET" }, { "name": ":authority", "value": "shop.example" },
                    { "name": "accept", "value": "*/*" }
                  ],
                  "queryString": [{ "name": "q", "value": "tea%20pot" }], "cookies": [],
                  "headersSize": -1, "bodySize": 0
                },
                "response": {
                  "status": 302, "statusText": "", "httpVersion": "http/2.0",
                  "headers": [{ "name": "set-cookie", "value": "a=1; path=/\nb=2; path=/" }], "cookies": [],
                  "content": { "size": 0, "mimeType": "x-unknown" },
                  "redirectURL": "http://shop.example/new", "headersSize": -1, "bodySize": -1,
                  "_transferSize": 100, "_error": null
                },
                "timings": { "blocked": 1.5, "dns": -1, "ssl": -1, "connect": -1, "send": 0.1, "wait": 20.5,
                             "receive": 0.5, "_blocked_queueing": 1.1 }
              },
              {
                "startedDateTime": "2026-03-04T06:06:07.2+01:00", "time": 5, "cache": {},
                "request": {
                  "method": "POST", "url": "http://shop.example/new", "httpVersion": "HTTP/1.1",
                  "headers": [{ "name": "Content-Type", "value": "application/x-www-form-urlencoded" }],
                  "queryString": [], "cookies": [], "headersSize": 120, "bodySize": 12,
                  "postData": { "mimeType": "application/x-www-form-urlencoded",
                                "params": [{ "name": "name", "value": "tea pot" }, { "name": "n", "value": "1" }] }
                },
                "response": {
                  "status": 200, "statusText": "OK", "httpVersion": "HTTP/1.1",
                  "headers": [{ "name": "Content-Type", "value": "image/gif" },
                              { "name": "Content-Encoding", "value": "br" },
                              { "name": "Content-Length", "value": "3" }],
                  "cookies": [{ "name": "s", "value": "1", "path": "/", "expires": null, "httpOnly": true }],
                  "content": { "size": 6, "compression": 3, "mimeType": "image/gif", "encoding": "base64",
                               "text": "R0lGODlh" },
                  "redirectURL": "", "headersSize": 90, "bodySize": 3, "comment": "from the cache"
                },
                "timings": { "send": 0, "wait": 2, "receive": 3 }
              },
              {
                "startedDateTime": "2026-03-04T05:06:08Z", "time": 0,
                "request": { "method": "GET", "url": "http://ads.example/", "httpVersion": "", "headers": [],
                             "queryString": [], "cookies": [], "headersSize": -1, "bodySize": 0 },
                "response": { "status": 0, "statusText": "", "httpVersion": "", "headers": [], "cookies": [],
                              "content": { "size": 0, "mimeType": "x-unknown" }, "redirectURL": "",
                              "headersSize": -1, "bodySize": -1, "_error": "net::ERR_BLOCKED_BY_CLIENT" },
                "cache": {}, "timings": { "send": 0, "wait": 0, "receive": 0 }
              },
              {
                "startedDateTime": "2026-03-04T05:06:08.1234567Z", "time": 0,
                "_webSocketMessages": [{ "type": "send", "time": 1, "opcode": 1, "data": "hi" }],
                "request": { "method": "GET", "url": "wss://shop.example/live", "headers": [] },
                "response": { "status": 101, "headers": [], "content": {} },
                "cache": {}, "timings": { "send": 0, "wait": 0, "receive": 0 }
              },
              {
                "startedDateTime": "2026-03-04T05:06:09.000Z", "time": 0,
                "request": { "method": "GET", "url": "data:image/gif;base64,R0lGODlh", "headers": [] },
                "response": { "status": 200, "headers": [], "content": { "size": 0, "mimeType": "image/gif" } },
                "cache": {}, "timings": { "send": -1, "wait": -1, "receive": -1 }
              }
            ]
          }
        }
        """#
}
