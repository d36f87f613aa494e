// On Linux, URLSession and its types are in a separate module, on Apple platforms in Foundation. Files and programs that
// import a library of this package need not import it.
#if canImport(FoundationNetworking)
@_exported public import FoundationNetworking
#endif

// All other files rely on these two conditions: the C library is one of three whose differences the package handles, and
// an Int has 64 bits.
#if !canImport(Darwin) && !canImport(Glibc) && !canImport(Musl)
#error("RESTClient supports Apple platforms and Linux with glibc or musl, not Android or Windows.")
#endif
// Sizes, counters and times are of type Int, and exceed 32 bits.
#if arch(arm64_32) || arch(arm) || arch(i386) || arch(wasm32)
#error("RESTClient needs a 64-bit Int: 32-bit processors, such as arm64_32, are not supported.")
#endif
