import RESTClient
import Testing
