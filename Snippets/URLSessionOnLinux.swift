// The imports of a file that uses URLSession without this package.

import Foundation
// URLSession has its own module on Linux.
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

let session = URLSession(configuration: .ephemeral)
