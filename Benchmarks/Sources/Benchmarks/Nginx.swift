import Foundation

/// An nginx server on loopback that serves a folder until it is deinitialized.
final class Nginx {
    let folder: URL
    private let root: URL
    private let process = Process()
    private let port: UInt16

    init() throws {
        root = FileManager.default.temporaryDirectory.appending(path: "items-benchmarks")
        folder = root.appending(path: "www")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        port = try Self.freePort()
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map { "\($0)_temp_path \(root.path)/temporary;" }.joined(separator: " ")
        let configuration = """
            daemon off; worker_processes 1; pid \(root.path)/pid; error_log \(root.path)/log;
            \(getuid() == 0 ? "user root;" : "")
            events { worker_connections 512; }
            http {
                access_log off; sendfile on; keepalive_requests 1000000; default_type application/json; \(temporary)
                server {
                    listen 127.0.0.1:\(port); root \(folder.path);
                }
            }
            """
        let file = root.appending(path: "nginx.conf")
        try configuration.write(to: file, atomically: true, encoding: .utf8)
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["nginx", "-p", root.path, "-c", file.path]
        try process.run()
        try waitUntilItListens()
    }

    deinit {
        process.terminate()
        process.waitUntilExit()
    }

    func url(_ name: String) -> URL { URL(filePath: "/").http(port: port, name) }

    /// Returns the URL of a file, which `write` creates unless it exists from an earlier run.
    func file(_ name: String, _ write: (FileHandle) throws -> Void) throws -> URL {
        let file = folder.appending(path: name)
        guard !FileManager.default.fileExists(atPath: file.path) else { return url(name) }
        let partial = root.appending(path: "partial")
        _ = FileManager.default.createFile(atPath: partial.path, contents: nil)
        let handle = try FileHandle(forWritingTo: partial)
        try write(handle)
        try handle.close()
        try FileManager.default.moveItem(at: partial, to: file)
        return url(name)
    }

    /// Returns the URL of a list of `count` strings, each 20 bytes long with quotes and comma.
    func strings(_ count: Int) throws -> URL {
        try file("strings-\(count).json") { handle in
            try handle.write(contentsOf: Data("{\"items\":[".utf8))
            let width = 100_000
            for start in stride(from: 0, to: count, by: width) {
                var text: [UInt8] = []
                text.reserveCapacity(20 * width)
                for number in start..<min(count, start + width) {
                    let digits = String(number)
                    text.append(contentsOf: number == 0 ? "\"item-".utf8 : ",\"item-".utf8)
                    text.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: 12 - digits.count))
                    text.append(contentsOf: digits.utf8)
                    text.append(UInt8(ascii: "\""))
                }
                try handle.write(contentsOf: Data(text))
            }
            try handle.write(contentsOf: Data("],\"total\":\(count)}\n".utf8))
        }
    }

    /// Returns the URL of a list of `count` objects of about 130 bytes each.
    func objects(_ count: Int) throws -> URL {
        try file("objects-\(count).json") { handle in
            let products = (0..<count).map { number in
                """
                {"id":\(1_000_000 + number),"name":"Sencha number \(number)","price":\(number % 90).\(number % 90 + 10),\
                "inStock":\(number % 3 > 0),"tags":["green","leaf \(number % 7)"],"origin":{"country":"Japan","year":2024}}
                """
            }
            let text = "{\"items\":[\(products.joined(separator: ","))],\"total\":\(count)}\n"
            try handle.write(contentsOf: Data(text.utf8))
        }
    }

    /// Returns the URL of a list of `count` objects with keys in snake case and dates in ISO 8601.
    func issues(_ count: Int) throws -> URL {
        try file("issues-\(count).json") { handle in
            let issues = (0..<count).map { number in
                """
                {"issue_id":\(1_000_000 + number),"title":"Tea number \(number) is cold","is_open":\(number % 3 > 0),\
                "created_at":"2024-02-\(number % 19 + 10)T12:30:\(number % 50 + 10)Z","comment_count":\(number % 90),\
                "updated_at":"2024-03-\(number % 19 + 10)T23:59:\(number % 50 + 10)Z"}
                """
            }
            try handle.write(contentsOf: Data("{\"items\":[\(issues.joined(separator: ","))]}\n".utf8))
        }
    }

    private func waitUntilItListens() throws {
        for _ in 0..<200 {
            if (try? Shell.run("curl -s -o /dev/null \(url("").absoluteString)"))?.status == 0 { return }
            usleep(20_000)
        }
        throw Failure("nginx does not reply (Debian: apt-get install nginx jq curl)")
    }

    private static func freePort() throws -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && getsockname(descriptor, address, &length) == 0
            }
        }
        guard result else { throw Failure("no free port") }
        return UInt16(bigEndian: address.sin_port)
    }
}

extension URL {
    fileprivate func http(port: UInt16, _ name: String) -> URL {
        URL(string: "http://127.0.0.1:\(port)/\(name)") ?? self
    }
}
