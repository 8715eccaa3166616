"""The script that runs a build in its box and gives its tools an HTTPS proxy on loopback.

    python -I -S forwarder.py SOCKET PROGRAM [ARGUMENT …]

The script passes connections to loopback on to a Unix socket, sets the variables with which common tools find a proxy
and the certificate authorities of this machine, runs the program, and ends with its exit code. It is run, never
imported, and uses only the standard library.
"""

import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

AUTHORITIES = "/etc/ssl/certs/ca-certificates.crt"
"""The certificate authorities of the machine or the image, where Debian and many others keep them."""
_AUTHORITY_VARIABLES = (
    *("SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "GIT_SSL_CAINFO"),
    *("PIP_CERT", "NODE_EXTRA_CA_CERTS", "CARGO_HTTP_CAINFO"),
)


def _copy(source: socket.socket, target: socket.socket) -> None:
    try:
        while chunk := source.recv(65536):
            target.sendall(chunk)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        source.close()
        target.close()


def _forward(listener: socket.socket, path: str) -> None:
    while True:
        near, _ = listener.accept()
        far = socket.socket(socket.AF_UNIX)
        try:
            far.connect(path)
        except OSError:
            near.close()
            continue
        for source, target in ((near, far), (far, near)):
            threading.Thread(target=_copy, args=(source, target), daemon=True).start()


def main(arguments: list[str]) -> int:
    """Run the program with the proxy, and return its exit code."""
    path, *command = arguments
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    port = listener.getsockname()[1]
    threading.Thread(target=_forward, args=(listener, path), daemon=True).start()
    address = f"http://127.0.0.1:{port}"
    names = ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy")
    # Programs in Java read no such variable, but properties of their runtime; Maven 3.9 has to be told to read them.
    java = f"-Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort={port} -Daether.connector.http.useSystemProperties=true"
    authorities = dict.fromkeys(_AUTHORITY_VARIABLES, AUTHORITIES) if Path(AUTHORITIES).exists() else {}
    environment = {**authorities, **os.environ, **dict.fromkeys(names, address), "JAVA_TOOL_OPTIONS": java}
    return subprocess.run(command, env=environment, check=False).returncode  # noqa: S603  it is what the author wants


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
