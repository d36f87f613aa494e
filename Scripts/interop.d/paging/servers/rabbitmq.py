"""RabbitMQ's management API: numbered pages, if the request has `page`. The lists require a password."""

import json
import os
import socket
import subprocess

from lists import SIZES, List, rows

PACKAGES = []
PROGRAMS = {"rabbitmq-server": "rabbitmq-server"}
LISTS = [
    List(style, f"/api/queues/c{{n}}{query}", at, "name", ("-u", "guest:guest"), name="item {i}")
    for style, query, at in (
        ("queues", "?page=1", "items"),
        ("queues, page_size=50", "?page=1&page_size=50", "items"),
        ("queues, one array", "", "."),
    )
]


def serve(port, folder):
    with socket.socket() as first, socket.socket() as second, socket.socket() as third:
        probes = first, second, third
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        ports = [probe.getsockname()[1] for probe in probes]
    allowed = {"user": "guest", "configure": ".*", "write": ".*", "read": ".*"}
    queue = {"durable": False, "auto_delete": False, "arguments": {}}
    definitions = folder / "definitions.json"
    definitions.write_text(json.dumps({
        "users": [{"name": "guest", "password": "guest", "tags": ["administrator"]}],
        "vhosts": [{"name": f"c{size}"} for size in SIZES],
        "permissions": [{"vhost": f"c{size}", **allowed} for size in SIZES],
        "queues": [{"name": row["name"], "vhost": f"c{size}", **queue} for size in SIZES for row in rows(size)],
    }))
    (folder / "enabled_plugins").write_text("[rabbitmq_management].")
    (folder / "rabbitmq.conf").write_text(f"""
listeners.tcp.1 = 127.0.0.1:{ports[0]}
management.tcp.ip = 127.0.0.1
management.tcp.port = {port}
management.load_definitions = {definitions}
""")
    environment = {
        "HOME": str(folder),
        "RABBITMQ_BASE": str(folder),
        "RABBITMQ_CONFIG_FILE": str(folder / "rabbitmq.conf"),
        "RABBITMQ_CONF_ENV_FILE": "/dev/null",
        "RABBITMQ_DIST_PORT": str(ports[1]),
        "ERL_EPMD_ADDRESS": "127.0.0.1",
        "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "enabled_plugins"),
        "ERL_EPMD_PORT": str(ports[2]),
        "RABBITMQ_LOG_BASE": str(folder),
        "RABBITMQ_MNESIA_BASE": str(folder / "mnesia"),
        "RABBITMQ_NODENAME": f"items{port}@localhost",
        "RABBITMQ_PID_FILE": str(folder / "pid"),
        "RABBITMQ_LOGS": "-",
    }
    # The port mapper would otherwise start in the background and outlive the server.
    subprocess.Popen(["epmd"], env=os.environ | environment)
    os.execve("/usr/lib/rabbitmq/bin/rabbitmq-server", ["rabbitmq-server"], os.environ | environment)
