@_exported public import RESTClientHTTP
