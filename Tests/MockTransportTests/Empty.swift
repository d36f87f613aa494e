import MockTransport
import Testing
