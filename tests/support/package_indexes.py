"""The hosts from which this machine's build tools fetch packages, as the tools themselves say."""

import json
import re
import shutil
import socket
import subprocess
import tempfile
import urllib.request
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import urlsplit

TIME_S = 30.0


def find_index_hosts(language: str) -> list[str]:
    """Return the hosts that builds in a language need.

    Raises OSError if one of them cannot be reached, and LookupError if a tool does not say where it looks.
    """
    hosts = _FINDERS[language]() if language in _FINDERS else []
    for host in hosts:
        socket.create_connection((host, 443), TIME_S).close()
    return hosts


def _ask(*command: str) -> str:
    """Return what a command prints when it runs in an empty folder."""
    with tempfile.TemporaryDirectory() as folder:
        ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=TIME_S, check=True)
    return ended.stdout.strip()


def _host_in(text: str) -> str:
    """Return the host of the first HTTPS address in a text."""
    found = re.search(r"https://[a-zA-Z0-9./_-]+", text)
    host = urlsplit(found[0]).hostname if found else None
    if host is None:
        raise LookupError(f"no address in {text[:100]!r}")
    return host


def _npm_hosts() -> list[str]:
    return [_host_in(_ask("npm", "config", "get", "registry"))]


def _go_hosts() -> list[str]:
    """The proxy of modules passes questions about checksums on."""
    return [_host_in(_ask("go", "env", "GOPROXY"))]


def _cargo_hosts() -> list[str]:
    """The index, whose address is a part of cargo, names the host of the files."""
    program = Path(_ask("rustc", "--print", "sysroot"), "bin", "cargo")
    found = re.search(rb"sparse\+(https://[a-z.]+/)", program.read_bytes())
    if found is None:
        raise LookupError(f"{program} names no index")
    index = found[1].decode()
    with urllib.request.urlopen(f"{index}config.json", timeout=TIME_S) as answer:
        files = json.load(answer)["dl"]
    return [_host_in(index), _host_in(files)]


def _maven_hosts() -> list[str]:
    """The address is in the model from which all others inherit."""
    where = shutil.which("mvn")
    assert where is not None, "the caller has made sure"
    libraries = Path(where).resolve().parents[1] / "lib"
    for library in libraries.glob("maven-model-builder-*.jar"):
        with zipfile.ZipFile(library) as files:
            model = files.read("org/apache/maven/model/pom-4.0.0.xml").decode()
        return [_host_in(model[model.index("<repositories>") :])]
    raise LookupError(f"no model in {libraries}")


_FINDERS: Mapping[str, Callable[[], list[str]]] = {
    "typescript": _npm_hosts,
    "go": _go_hosts,
    "rust": _cargo_hosts,
    "java": _maven_hosts,
}
