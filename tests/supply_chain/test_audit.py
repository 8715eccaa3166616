"""The audit of known vulnerabilities fails for one that is known, and not for a network that is missing."""

import json
import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the script is for bash")


@contextmanager
def database(vulnerable: str = "") -> Iterator[str]:
    """Run a vulnerability database that knows a fault of one package, and yield its address."""

    class Answers(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps(self.faults(asked["package"]["name"])).encode())

        def faults(self, name: str) -> dict[str, Any]:
            if name != vulnerable:
                return {}
            affected = {"package": {"name": name, "ecosystem": "PyPI"}, "ranges": [], "versions": []}
            return {"vulns": [{"id": "PLANTED-1", "summary": "planted", "affected": [affected]}]}

        def log_message(self, *arguments: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1/query"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def audit(address: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the audit with a database, without a cache of earlier answers."""
    words = [str(ROOT / ".ci" / "audit"), "--osv-url", address, "--cache-dir", str(folder)]
    environment = os.environ | {"NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}
    return subprocess.run(words, env=environment, capture_output=True, text=True, timeout=100, check=False)


@pytest.mark.slow
def test_no_known_vulnerability_passes(tmp_path):
    with database() as address:
        done = audit(address, tmp_path)

    assert done.returncode == 0, done.stderr
    assert "0 known vulnerabilities" in done.stdout


@pytest.mark.slow
def test_known_vulnerability_fails_and_is_named(tmp_path):
    with database(vulnerable="jinja2") as address:
        done = audit(address, tmp_path)

    assert done.returncode == 1
    assert "jinja2" in done.stdout
    assert "PLANTED-1" in done.stdout


def test_missing_network_is_said_and_does_not_fail(tmp_path):
    with database() as address:
        pass  # it has ended: nobody listens there

    done = audit(address, tmp_path)

    assert done.returncode == 0, done.stderr
    assert done.stdout == "audit: not done, because the vulnerability database cannot be reached\n"


def test_audit_that_cannot_run_fails(tmp_path):
    done = subprocess.run(
        [ROOT / ".ci" / "audit", "--no-such-option"], capture_output=True, text=True, timeout=100, check=False
    )

    assert done.returncode != 0
    assert "no-such-option" in done.stderr
