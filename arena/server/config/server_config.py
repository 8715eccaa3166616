"""Declares the server settings as plain values.

Settings are declared here, in `arena.bots.submissions.submission_settings`, in `arena.bots.launch.box_settings`, in
`arena.server.node.limits`, in `arena.competition.pools.pool_settings`, in `retention_settings` and in `site_settings`
only.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Final, Literal
from urllib.parse import urlsplit

from annotated_types import Interval, Len, MinLen

from arena.bots.launch.box_settings import BoxSettings
from arena.bots.submissions.submission_settings import SubmissionSettings
from arena.competition.pools.pool_settings import MAX_POOLS, PoolSettings
from arena.errors import OptionError
from arena.server.config.retention_settings import RetentionSettings
from arena.server.config.site_settings import SiteSettings
from arena.server.node.limits import Limits

DEFAULT_DATA_FOLDER: Final = Path("arena-data")
"""The data folder of a server if no other one is configured."""

Port = Annotated[int, Interval(ge=0, le=65535)]


@dataclass(frozen=True, slots=True)
class ServerConfig:
    """`read_config` checks the bounds; the constructor does not."""

    data: Path = DEFAULT_DATA_FOLDER
    """Data folder; it is created if it does not exist."""
    store: str = ""
    """Database of a new data folder: postgresql://USER@HOST/DATABASE; the folder remembers it. Empty means a file."""
    host: Annotated[str, MinLen(1)] = "127.0.0.1"
    """Host name or address to listen on."""
    port: Port = 0
    """Port to listen on; 0 means any free port."""
    listen: tuple[str, ...] = ()
    """Addresses to listen on, HOST:PORT or [IPV6]:PORT, in place of host and port.

    unix:PATH is a Unix socket in addition, for bots in boxes; it speaks plaintext.
    """
    public_address: str = ""
    """Address at which bots reach the server, HOST:PORT; empty means the first that it listens on."""
    tls_cert: Path | None = None
    """Certificate in PEM, then those of intermediate authorities. Needed off loopback; reloaded if it changes."""
    tls_key: Path | None = None
    """Private key of the certificate, in PEM."""
    tls_client_ca: Path | None = None
    """Authority of client certificates in PEM. Without it, clients need none."""
    tls_on_loopback: bool = False
    """Loopback listeners speak TLS as well."""
    plaintext_behind_proxy: tuple[str, ...] = ()
    """Addresses or networks of the proxy that ends TLS in front of this server. Off loopback, only it may connect."""
    metrics_port: Port | None = None
    """Port for Prometheus on the same host; 0 means any free port. Without it there are no metrics."""
    web_port: Port | None = None
    """Port for the web pages on loopback; 0 means any free port. Without it there are no pages."""
    web_metrics_port: Port | None = None
    """Port for Prometheus of the web pages on loopback; 0 means any free port. Without it they have no metrics."""
    web_url: str = ""
    """Address of the web pages as readers type it, such as https://arena.example; empty if only this machine reads."""
    grace_s: Annotated[float, Interval(ge=0, le=86_400)] = 5.0
    """Seconds for which running matches may continue after a stop is requested."""
    bot_return_s: Annotated[float, Interval(ge=0, le=86_400)] = 10.0
    """Seconds that an earlier server's matches wait for their bots. The SDK redials at least every five seconds."""
    log_level: Literal["debug", "info", "warning", "error", "critical"] = "info"
    """The least severe events that are logged: debug, info, warning, error or critical."""
    journal: Literal["process", "disk"] = "process"
    """What an acknowledged decision survives: process, the end of the server process; disk, even a power cut."""
    pools: Annotated[tuple[PoolSettings, ...], Len(0, MAX_POOLS)] = ()
    """The pools of the server; only a file can set them."""
    boxes: BoxSettings = field(default_factory=BoxSettings)
    """How programs are isolated that the arena starts and nobody trusts."""
    submissions: SubmissionSettings = field(default_factory=SubmissionSettings)
    """Whether and how the server takes packages of bots."""
    retention: RetentionSettings = field(default_factory=RetentionSettings)
    """For how long the journals of old matches are kept, and how."""
    site: SiteSettings = field(default_factory=SiteSettings)
    """What the web pages say about themselves."""
    limits: Limits = field(default_factory=Limits)


def check_site_url(name: str, url: str) -> None:
    """Raises OptionError, which names the option `name`, if a text is neither empty nor the URL of a site."""
    try:
        parts = urlsplit(url)
        is_site = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.path in ("", "/")
        is_valid = is_site and not (parts.query or parts.fragment or parts.username) and parts.port != 0
    except ValueError:  # such as a port that is no number
        is_valid = False
    if url and not is_valid:
        raise OptionError(name, url, "expected a URL without a path, such as https://arena.example")
