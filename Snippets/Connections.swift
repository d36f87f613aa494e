// Connections with certificates of their own, through a proxy, and to a Unix socket.

import RESTClient

// snippet.connections
let inside = SessionManager(
    connection: ConnectionOptions(
        caFile: "/etc/ssl/company.pem", clientCertificate: "/etc/ssl/service.pem",
        proxy: "socks5h://proxy.example:1080"))
let docker = SessionManager(connection: ConnectionOptions(unixSocket: "/var/run/docker.sock"))
// snippet.end
