"""Two hosts on one machine: network namespaces with a link between them. Needs Linux and root."""

import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Host:
    """One host, with its own network and nothing of this process's environment."""

    namespace: str
    address: str

    def command(self, words: Sequence[object], environment: Mapping[str, str]) -> list[str]:
        """Return a command line that runs a program on this host."""
        settings = [f"{name}={value}" for name, value in environment.items()]
        return ["ip", "netns", "exec", self.namespace, "env", "-i", *settings, *map(str, words)]

    def run(self, *words: object, environment: Mapping[str, str], cwd: Path, timeout_s: float = 120) -> str:
        """Run a program to its end and return its output; it must succeed."""
        ended = subprocess.run(
            self.command(words, environment), cwd=cwd, capture_output=True, text=True, timeout=timeout_s, check=False
        )
        assert ended.returncode == 0, ended.stdout + ended.stderr
        return ended.stdout

    @contextmanager
    def running(self, *words: object, environment: Mapping[str, str], cwd: Path, log: Path) -> Iterator[None]:
        """Run a program in the background, with its output in a file, and stop it at the end."""
        with log.open("wb") as output:
            process = subprocess.Popen(
                self.command(words, environment), cwd=cwd, stdout=output, stderr=subprocess.STDOUT
            )
            try:
                yield
            finally:
                process.terminate()
                try:
                    process.wait(20)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait(5)


@contextmanager
def two_hosts() -> Iterator[tuple[Host, Host]]:
    """Make two hosts that reach each other, and nothing else. Raises OSError or CalledProcessError if that fails."""
    hosts = [Host(f"arena-{os.getpid()}-{index}", f"10.231.77.{index}") for index in (1, 2)]
    with ExitStack() as stack:
        for host in hosts:
            _ip("netns", "add", host.namespace)
            stack.callback(_ip, "netns", "delete", host.namespace)
        first, second = (host.namespace for host in hosts)
        _ip("link", "add", "eth0", "netns", first, "type", "veth", "peer", "name", "eth0", "netns", second)
        for host in hosts:
            _ip("-n", host.namespace, "address", "add", f"{host.address}/24", "dev", "eth0")
            for device in ("eth0", "lo"):
                _ip("-n", host.namespace, "link", "set", device, "up")
        yield hosts[0], hosts[1]


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)
