"""The reverse proxies of the guide, run with the files in `deploy/`. Only names, ports and certificates differ."""

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

from arena.server.rpc.local_authority import KeyPair, LocalAuthority

DEPLOY: Final = Path(__file__).resolve().parents[2] / "deploy"
FILES: Final = {"nginx": "nginx.conf", "haproxy": "haproxy.cfg", "caddy": "Caddyfile"}
NAME: Final = "localhost"
NO_CHANGES: Final[Mapping[str, str]] = MappingProxyType({})


@dataclass(frozen=True)
class StartedProxy:
    """A proxy that speaks TLS at a port of this machine."""

    address: str
    authority: Path
    """The authority of its certificate."""
    process: subprocess.Popen[bytes]
    reloading: Sequence[str] | signal.Signals
    """The command or the signal that makes it read its configuration again."""
    log: Path

    def reload(self) -> None:
        """Let the proxy read its configuration again, as the service of its package does."""
        if isinstance(self.reloading, signal.Signals):
            self.process.send_signal(self.reloading)
        else:
            subprocess.run(self.reloading, check=True, capture_output=True, timeout=60)


@contextmanager
def start_proxy(
    kind: str, folder: Path, server: str, pages: str, changes: Mapping[str, str] = NO_CHANGES
) -> Iterator[StartedProxy]:
    """Run a proxy in front of a server and its pages, which listen at HOST:PORT. Its files are in a new folder.

    `changes` are other texts for some in its file.
    """
    folder.mkdir()
    authority, port = LocalAuthority(folder / "tls"), _find_free_port()
    pair = authority.issue_server_certificate([NAME])
    places = {"127.0.0.1:7777": server, "127.0.0.1:8000": pages}
    command, reloading = _PREPARE[kind](folder, port, pair, {**changes, **places})
    log = folder / "log"
    environment = os.environ | {"XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output, env=environment, start_new_session=True)
    try:
        _wait_until_listening(port, process, log)
        yield StartedProxy(f"{NAME}:{port}", authority.certificate, process, reloading, log)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(10)


def is_installed(kind: str) -> bool:
    """Return whether this machine has a proxy."""
    return _find(kind) is not None


def _find(kind: str) -> str | None:
    return shutil.which(kind, path=f"{os.environ.get('PATH', os.defpath)}:/usr/sbin")


def _read(kind: str, changes: Mapping[str, str]) -> str:
    """Return the file of a proxy, changed. Each change has to fit it."""
    text = (DEPLOY / FILES[kind]).read_text(encoding="utf-8")
    for old, new in changes.items():
        assert old in text, f"deploy/{FILES[kind]} lacks {old!r}"
        text = text.replace(old, new)
    return text


def _prepare_nginx(folder: Path, port: int, pair: KeyPair, changes: dict[str, str]) -> tuple[list[str], signal.Signals]:
    letsencrypt = "/etc/letsencrypt/live/arena.example"
    changes |= {
        f"{letsencrypt}/fullchain.pem": str(pair.certificate),
        f"{letsencrypt}/privkey.pem": str(pair.key),
        "server_name arena.example": f"server_name {NAME}",
        "listen 443": f"listen 127.0.0.1:{port}",
        "listen [::]:443": f"listen [::1]:{port}",
    }
    (folder / "arena.conf").write_text(_read("nginx", changes))
    temporary = [f"{part}_temp_path {folder}/{part};" for part in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")]
    main = [
        "user root;" if os.geteuid() == 0 else "",
        f"daemon off; pid {folder}/pid; error_log stderr; events {{}}",
        f"http {{ access_log off; {' '.join(temporary)} include {folder}/arena.conf; }}",
    ]
    (folder / "nginx.conf").write_text("\n".join(main))
    return [str(_find("nginx")), "-p", str(folder), "-c", str(folder / "nginx.conf")], signal.SIGHUP


def _prepare_haproxy(
    folder: Path, port: int, pair: KeyPair, changes: dict[str, str]
) -> tuple[list[str], signal.Signals]:
    joined = folder / "arena.pem"
    joined.write_bytes(pair.certificate.read_bytes() + pair.key.read_bytes())
    changes |= {":::443 v4v6": f"127.0.0.1:{port}", "/etc/haproxy/arena.pem": str(joined)}
    (folder / "haproxy.cfg").write_text(_read("haproxy", changes))
    return [str(_find("haproxy")), "-W", "-f", str(folder / "haproxy.cfg")], signal.SIGUSR2


def _prepare_caddy(folder: Path, port: int, pair: KeyPair, changes: dict[str, str]) -> tuple[list[str], list[str]]:
    """Give Caddy a certificate, because it can get none here."""
    admin = f"unix/{folder}/admin.sock"
    start = f"{{\n\tadmin {admin}\n\tauto_https disable_redirects\n}}\n"
    changes |= {"arena.example {": f"https://{NAME}:{port} {{\n\ttls {pair.certificate} {pair.key}"}
    file = folder / "Caddyfile"
    file.write_text(start + _read("caddy", changes))
    caddy = str(_find("caddy"))
    files = ["--config", str(file), "--adapter", "caddyfile"]
    return [caddy, "run", *files], [caddy, "reload", "--force", "--address", admin, *files]


_PREPARE: Final[Mapping[str, Callable[..., tuple[list[str], Sequence[str] | signal.Signals]]]] = {
    "nginx": _prepare_nginx,
    "haproxy": _prepare_haproxy,
    "caddy": _prepare_caddy,
}


def _find_free_port() -> int:
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        return int(trial.getsockname()[1])


def _wait_until_listening(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 60
    while True:
        with suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port), timeout=5):
            return
        assert process.poll() is None, log.read_text()
        assert time.monotonic() < deadline, log.read_text()
        time.sleep(0.05)
