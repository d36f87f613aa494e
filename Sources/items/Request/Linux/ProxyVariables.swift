extension Proxy {
    // libcurl, which is used on Linux only, reads the variables. Apple platforms use the system settings.
    #if canImport(FoundationNetworking)
    /// `true` if URLSession takes the proxy from variables of the environment.
    static let isReadFromEnvironment = true
    #else
    /// `true` if URLSession takes the proxy from variables of the environment.
    static let isReadFromEnvironment = false
    #endif
}
