import Foundation
import RESTClientHTTP

/// Pages without a list.
extension PageReader {
    /// Returns the members of a document whose list is null, or missing because it is empty, or `nil` for another failure.
    ///
    /// Some servers leave out an empty list, or write it as null. A response with an error has no list, either.
    func membersOfEmptyList(_ failure: ListScanner.Failure) -> Envelope? {
        guard case .wrongShape(let path, expected: _, let found, lists: let lists) = failure.reason,
            pageBytes == bodyPrefix.count
        else { return nil }
        let members = Envelope(text: Array(bodyPrefix))
        let isFirst = position.number == 1
        switch found {
        case .null where path == listing.path || !isFirst: break
        case .keys(let keys):
            guard lists.isEmpty, !keys.isEmpty || !isFirst, !isFirst || isOnlyPaging(members) else {
                return nil
            }
            guard !members.names.contains(where: ["message", "msg", "detail", "title", "reason"].contains)
            else { return nil }
        default: return nil
        }
        let hasError = members.names.contains { name in
            ["error", "exception", "fault", "failure"].contains(where: name.hasPrefix)
        }
        return hasError && members.json("errors") != "[]" ? nil : members
    }

    /// Returns the status of a page that has no items because its list does not exist yet (RFC 9110, section 15.3.3).
    func accepted(_ response: StreamingResponse, itemCount: Int) -> String? {
        itemCount == 0 && response.status == 202 ? "\(response.status)" : nil
    }

    /// Returns `true` if all members are about pages, and none says that there are items.
    private func isOnlyPaging(_ members: Envelope) -> Bool {
        let info = info(members, 0, nil)
        let analysis = PageAnalysis(info)
        if let total = analysis.total { return total.value == 0 }
        return analysis.signs.allSatisfy { sign in
            sign.isHeader || !sign.roles.isEmpty && (sign.isEmpty || sign.integer == 0 || sign.flag == false)
        }
    }
}

extension Envelope {
    /// The names of the members of the document.
    var keys: [String] {
        var keys: [String] = []
        let bytes = ArraySlice(text).span.bytes
        ListScanner.forEachMember(of: bytes) { key, _ in
            if let key = ListScanner.string(bytes.extracting(key)) { keys.append(key) }
        }
        return keys
    }

    /// The normalized names of the members of the document.
    fileprivate var names: [String] { keys.map(MemberPath.normalized) }
}
