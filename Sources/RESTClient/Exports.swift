@_exported public import HTTPCore
