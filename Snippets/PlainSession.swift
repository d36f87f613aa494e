// A plain session that sends requests with the protocol of the session manager.

import Foundation
import RESTClient

let configuration = URLSessionConfiguration.ephemeral
configuration.protocolClasses = SessionManager.protocolClasses
let session = URLSession(configuration: configuration)
