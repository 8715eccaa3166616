"""A Ray cluster of several machines on the loopback addresses of this one, in a temporary folder."""

import contextlib
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil

START_S = 300.0
"""Seconds in which all machines have to be there. Ray starts slowly on a machine that is busy."""
_PROBE_S = 60.0
_PROBE = """
import sys, ray
ray.init(sys.argv[1], log_to_driver=False, configure_logging=False)
print(sum(node["Alive"] for node in ray.nodes()))
"""


@dataclass
class RayCluster:
    address: str
    folder: Path
    """The temporary folder of everything that runs in the cluster."""
    machines: list[subprocess.Popen[bytes]]

    @property
    def environment(self) -> dict[str, str]:
        """What its users need, whom "auto" leads here. Without its token it takes nobody."""
        return {**self.own_environment, "RAY_ADDRESS": self.address}

    @property
    def own_environment(self) -> dict[str, str]:
        token = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN_PATH": str(self.folder / "token")}
        return os.environ | token | {"TMPDIR": str(self.folder / "nodes")}

    def kill_machine(self, index: int) -> None:
        """Kill the raylet of a machine with SIGKILL."""
        for process in _session_of(self.machines[index]):
            with contextlib.suppress(psutil.Error):
                if process.name() == "raylet":
                    process.kill()

    def wait_for_machines(self, count: int) -> None:
        until = time.monotonic() + START_S
        while self._count_machines() < count:
            assert time.monotonic() < until, "Ray does not start here"
            for index, machine in enumerate(self.machines):
                if machine.poll() is not None:  # Ray waits 30 s for its own parts, which a busy machine may exceed
                    _kill_session(machine)
                    self.machines[index] = _start_machine(self, index)

    def _count_machines(self) -> int:
        """Return how many are alive; 0 if the cluster does not answer."""
        words = [sys.executable, "-c", _PROBE, self.address]
        with contextlib.suppress(subprocess.SubprocessError):  # if the head dies meanwhile, Ray asks on for minutes
            asked = subprocess.run(words, capture_output=True, check=True, env=self.environment, timeout=_PROBE_S)
            return int(asked.stdout.split()[-1])
        return 0

    def find_users(self) -> list[int]:
        """Return the processes that work in the folder of a node: nodes and bots."""
        return [process.pid for process in psutil.process_iter() if _works_below(process.pid, self.folder / "nodes")]


@contextlib.contextmanager
def start_ray_cluster(machine_count: int) -> Iterator[RayCluster]:
    """Each machine has one core. At the end, all its processes are killed."""
    folder = Path(tempfile.mkdtemp(prefix="ray-", dir="/tmp"))
    (folder / "nodes").mkdir()
    (folder / "token").touch(0o600)
    (folder / "token").write_text(secrets.token_hex(32))
    cluster = RayCluster(f"127.0.0.2:{_free_port()}", folder, [])
    try:
        cluster.machines.append(_start_machine(cluster, 0))
        cluster.wait_for_machines(1)
        cluster.machines += [_start_machine(cluster, index) for index in range(1, machine_count)]
        cluster.wait_for_machines(machine_count)
        yield cluster
    finally:
        for machine in cluster.machines:
            _kill_session(machine)
            machine.wait()
        shutil.rmtree(folder, ignore_errors=True)


def _start_machine(cluster: RayCluster, index: int) -> subprocess.Popen[bytes]:
    """The first machine is the head. With fixed ports a raylet does not wait for its agents, which start slowly."""
    role = ["--head", f"--port={cluster.address.rpartition(':')[2]}", "--include-dashboard=false"]
    agents = ("dashboard-agent-grpc", "dashboard-agent-listen", "metrics-export", "runtime-env-agent")
    folders = [
        f"--temp-dir={cluster.folder / str(index)}",
        "--object-store-memory=80000000",
        "--include-log-monitor=false",
    ]
    return subprocess.Popen(
        [
            str(Path(sys.executable).with_name("ray")), "start", "--block", "--disable-usage-stats", "--num-cpus=1",
            *(role if index == 0 else [f"--address={cluster.address}"]),
            f"--node-ip-address=127.0.0.{index + 2}", *folders,
            *(f"--{agent}-port={_free_port()}" for agent in agents),
        ],
        env=cluster.own_environment,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        start_new_session=True,
    )  # fmt: skip


def _kill_session(machine: subprocess.Popen[bytes]) -> None:
    for process in _session_of(machine):
        with contextlib.suppress(psutil.Error):
            process.kill()


def _session_of(machine: subprocess.Popen[bytes]) -> list[psutil.Process]:
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(OSError):
            if os.getsid(process.pid) == machine.pid:
                found.append(process)
    return found


def _works_below(pid: int, folder: Path) -> bool:
    with contextlib.suppress(OSError):
        opened = [Path(f"/proc/{pid}/cwd"), *Path(f"/proc/{pid}/fd").iterdir()]
        return any(each.readlink().is_relative_to(folder) for each in opened)
    return False


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.2", 0))
        port: int = found.getsockname()[1]
        return port
