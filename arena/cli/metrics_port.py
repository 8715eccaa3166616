"""A port at which Prometheus reads metrics, while something runs."""

from collections.abc import Iterator
from contextlib import contextmanager

from prometheus_client import CollectorRegistry, start_http_server

from arena.errors import PortBusyError


@contextmanager
def serve_metrics(word: str, host: str, port: int, registry: CollectorRegistry) -> Iterator[None]:
    """Serve a registry from a thread of its own, and print `word` with the address. Raises PortBusyError."""
    try:
        listener, thread = start_http_server(port, host, registry)
    except OSError as error:
        raise PortBusyError(f"port {port} of {host} cannot be used: {error.strerror}") from error
    print(f"{word} {host}:{listener.server_port}", flush=True)
    try:
        yield
    finally:
        listener.shutdown()
        listener.server_close()
        thread.join()
