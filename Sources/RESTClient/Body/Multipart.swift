import Foundation
import RESTClientHTTP

extension RequestBody {
    /// One part of a multipart body: a field, or a file that is uploaded.
    public struct Part: Sendable {
        let name: String
        let body: RequestBody
        let filename: String?

        /// A part called `name`. With a `filename` servers take it for a file; a body that is a file has its name.
        public init(_ name: String, _ body: RequestBody, filename: String? = nil) {
            self.name = name
            self.body = body
            self.filename = filename
        }

        /// A field with a text.
        public init(_ name: String, _ text: String) {
            self.init(name, .data(Data(text.utf8), type: .text))
        }
    }

    /// A form of several parts (RFC 7578), in the order given.
    ///
    /// Files go from the disk, never whole in memory: a body with files, or of more than a megabyte, is put together in
    /// a temporary file. Quotes and line ends in names are escaped as browsers do (WHATWG HTML, section 4.10.21.8).
    public static func multipart(_ parts: Part...) -> Self { multipart(parts, boundary: "\(UUID())") }

    static func multipart(_ parts: [Part], boundary: String) -> Self {
        Self(type: MediaType(rawValue: "multipart/form-data; boundary=\(boundary)")) {
            let writer = try BodyFile.Writer()
            for part in parts {
                // Or it could end its field and begin another.
                guard part.body.type.rawValue.isFieldValue else {
                    throw BodyFailure(description: "the type of a part has a control character")
                }
                let body = try await part.body.cook()
                try writer.write(part.head(boundary, body))
                switch body {
                case .data(let data): try writer.write(data)
                case .file(let file): try writer.write(contentsOf: file)
                }
                try writer.write(Data("\r\n".utf8))
            }
            try writer.write(Data("--\(boundary)--\r\n".utf8))
            let file = try writer.finish()
            return file.length > mostInMemory ? .file(file) : .data(try Data(contentsOf: file.url))
        }
    }

    private static let mostInMemory: Int64 = 1 << 20
}

extension RequestBody.Part {
    fileprivate func head(_ boundary: String, _ body: RequestBody.Cooked) -> Data {
        var head = "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(Self.escaped(name))\""
        if let filename = filename ?? body.name { head += "; filename=\"\(Self.escaped(filename))\"" }
        return Data("\(head)\r\nContent-Type: \(self.body.type)\r\n\r\n".utf8)
    }

    private static func escaped(_ name: String) -> String {
        name.unicodeScalars.map { scalar in
            switch scalar {
            case "\"": "%22"
            case "\r": "%0D"
            case "\n": "%0A"
            default: String(scalar)
            }
        }.joined()
    }
}

extension RequestBody.Cooked {
    /// The name of a file that was not made for the purpose.
    fileprivate var name: String? {
        guard case .file(let file) = self, !file.isTemporary else { return nil }
        return file.name
    }
}
