// On Linux, URLSession and its types are in a separate module. Programs that use this package need not import it.
#if canImport(FoundationNetworking)
@_exported public import FoundationNetworking
#endif
