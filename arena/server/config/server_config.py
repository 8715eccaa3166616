"""Declares the server settings as plain values.

Settings are declared here, in `arena.bots.submissions.submission_settings`, in `arena.bots.launch.box_settings`, in
`arena.server.node.limits` and in `arena.competition.pools.pool_settings` only.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Final, Literal

from annotated_types import Interval, Len, MinLen

from arena.bots.launch.box_settings import BoxSettings
from arena.bots.submissions.submission_settings import SubmissionSettings
from arena.competition.pools.pool_settings import MAX_POOLS, PoolSettings
from arena.server.node.limits import Limits

DEFAULT_DATA_FOLDER: Final = Path("arena-data")
"""The data folder of a server if no other one is configured."""

Port = Annotated[int, Interval(ge=0, le=65535)]


@dataclass(frozen=True, slots=True)
class ServerConfig:
    """The settings of a server: where it stores data, where it listens, how it stops and what it reports.

    `read_config` checks the bounds; the constructor does not.
    """

    data: Path = DEFAULT_DATA_FOLDER
    """Data folder; it is created if it does not exist."""
    host: Annotated[str, MinLen(1)] = "127.0.0.1"
    """Host name or address to listen on."""
    port: Port = 0
    """Port to listen on; 0 means any free port."""
    listen: tuple[str, ...] = ()
    """Several addresses to listen on. Those that are HOST:PORT or [IPV6]:PORT replace `host` and `port`.

    Those that are unix:PATH are Unix sockets for bots in boxes, in addition. They speak plaintext.
    """
    public_address: str = ""
    """The address at which bots reach the server, HOST:PORT; empty means the first address that it listens on."""
    tls_cert: Path | None = None
    """The server's certificate in PEM, followed by those of intermediate authorities. Reloaded when it changes."""
    tls_key: Path | None = None
    """The private key of `tls_cert` in PEM."""
    tls_client_ca: Path | None = None
    """The authority of client certificates in PEM; None if clients need no certificate."""
    tls_on_loopback: bool = False
    """Whether loopback listeners speak TLS as well."""
    plaintext_behind_proxy: tuple[str, ...] = ()
    """Addresses or networks of the proxy that ends TLS in front of this server.

    If it is set, other machines may connect only through the proxy.
    """
    metrics_port: Port | None = None
    """Port for Prometheus on the same host; 0 means any free port, None means no metrics."""
    web_port: Port | None = None
    """Port for the web pages on loopback; 0 means any free port, None means no pages."""
    web_url: str = ""
    """The address of the web pages as their readers type it; empty if only this machine reads them."""
    grace_s: Annotated[float, Interval(ge=0, le=86_400)] = 5.0
    """Seconds for which running matches may continue after a stop is requested."""
    bot_return_s: Annotated[float, Interval(ge=0, le=86_400)] = 10.0
    """Seconds that an earlier server's matches wait for their bots. The SDK redials at least every five seconds."""
    log_level: Literal["debug", "info", "warning", "error", "critical"] = "info"
    """The least severe events that are logged."""
    journal: Literal["process", "disk"] = "process"
    """What an acknowledged decision survives. `process`: the end of the server process. `disk`: even a power cut."""
    pools: Annotated[tuple[PoolSettings, ...], Len(0, MAX_POOLS)] = ()
    """The pools of the server; only a file can set them."""
    boxes: BoxSettings = field(default_factory=BoxSettings)
    """How programs are isolated that the arena starts and nobody trusts."""
    submissions: SubmissionSettings = field(default_factory=SubmissionSettings)
    """Whether and how the server takes packages of bots."""
    limits: Limits = field(default_factory=Limits)
