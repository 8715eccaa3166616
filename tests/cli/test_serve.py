"""`arena serve`: says when it is ready, where it listens, why it cannot start, and stops as it should."""

import os
import signal
import socket
import sqlite3
import urllib.request

import pytest

from arena.cli.exit_codes import ExitCode
from arena.server.rpc.listeners import make_socket_path
from arena.server.rpc.local_authority import LocalAuthority
from tests.support.commands import run_arena, start_command

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals are otherwise there")


def test_server_prints_its_address_and_stops_on_request(tmp_path):
    """The printed port is the real one."""
    with start_command("serve", "--data", tmp_path) as server:
        host, _, port = server.wait_for_line("READY").split()[1].rpartition(":")
        with socket.create_connection((host, int(port)), timeout=5):
            pass

        server.signal(signal.SIGTERM)

        assert server.wait_for_exit() == ExitCode.YES
    assert int(port) > 0


def test_every_address_is_printed_if_bots_are_told_another(tmp_path):
    """The port that the system chose is known from nothing else."""
    listen = ("--listen", "127.0.0.1:0", "--listen", "127.0.0.1:0")
    with start_command("serve", "--data", tmp_path, *listen, "--public-address", "arena.example:443") as server:
        assert server.wait_for_line("READY").split()[1] == "arena.example:443"
        listening = [line.split()[1] for line in server.out if line.startswith("LISTENING ")]
        for address in listening:
            host, _, port = address.rpartition(":")
            with socket.create_connection((host, int(port)), timeout=5):
                pass

    assert len(set(listening)) == 2


@pytest.mark.slow
def test_commands_reach_a_server_whose_public_address_leads_elsewhere(capsys, tmp_path):
    """A server that listens for others alone gets a listener for its own machine."""
    pair = LocalAuthority(tmp_path / "authority").issue_server_certificate(["arena.invalid"])
    tls = ("--tls-cert", pair.certificate, "--tls-key", pair.key)
    listen = ("--listen", "0.0.0.0:0", "--public-address", "arena.invalid:443")
    with start_command("serve", "--data", tmp_path / "data", *listen, *tls) as server:
        assert server.wait_for_line("READY") == "READY arena.invalid:443"

        shown = run_arena(capsys, "top", "--json", "--data", tmp_path / "data")

    assert shown.code == ExitCode.YES, shown.err
    assert len(shown.json["nodes"]) == 1


@pytest.mark.slow
def test_unix_socket_is_one_more_address(tmp_path):
    """It replaces no port, and bots in boxes reach the server there."""
    with (
        make_socket_path() as path,
        start_command("serve", "--data", tmp_path, "--listen", f"unix:{path}") as server,
        socket.socket(socket.AF_UNIX) as connection,
    ):
        assert server.wait_for_line("READY").split()[1].startswith("127.0.0.1:")
        assert f"LISTENING unix:{path}\n" in server.out
        connection.connect(str(path))


@pytest.mark.slow
def test_prometheus_metrics_are_served(tmp_path):
    """They name no bot."""
    with start_command("serve", "--data", tmp_path, "--metrics-port", 0) as server:
        address = server.wait_for_line("METRICS").split()[1]
        text = urllib.request.urlopen(f"http://{address}/metrics", timeout=5).read().decode()

        server.signal(signal.SIGINT)
        assert server.wait_for_exit() == ExitCode.YES

    for name in (
        "arena_sessions 0.0",
        "arena_matches 0.0",
        "arena_decisions_total 0.0",
        'arena_frames_total{direction="in"} 0.0',
        'arena_strikes_total{kind="late"} 0.0',
        "arena_loop_stalls_total 0.0",
        "arena_think_seconds_count 0.0",
    ):
        assert name in text


def test_busy_port_is_one_line(capfd, tmp_path):
    """The line is ours: gRPC writes nothing of its own."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]

        ended = run_arena(capfd, "serve", "--data", tmp_path, "--port", port, "--log-level", "error")

    assert ended.code == ExitCode.UNSTEADY
    assert ended.err == f"arena: port {port} of 127.0.0.1 is taken; name another with --port, or 0 for any\n"


def test_busy_metrics_port_is_one_line(capsys, tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]

        ended = run_arena(capsys, "serve", "--data", tmp_path, "--metrics-port", port)

    assert ended.code == ExitCode.UNSTEADY
    assert f"port {port} of 127.0.0.1 cannot be used" in ended.last_line


def test_held_store_is_one_line_naming_the_holder(capsys, tmp_path):
    with start_command("serve", "--data", tmp_path) as server:
        address = server.wait_for_line("READY").split()[1]

        ended = run_arena(capsys, "serve", "--data", tmp_path)

    assert ended.code == ExitCode.UNSTEADY
    assert address in ended.last_line


def test_newer_store_is_one_line(capsys, tmp_path):
    run_arena(capsys, "token", "list", "--data", tmp_path)
    with sqlite3.connect(tmp_path / "arena.db") as database:
        database.execute("UPDATE alembic_version SET version_num = '9999'")
    database.close()

    ended = run_arena(capsys, "serve", "--data", tmp_path)

    assert ended.code == ExitCode.UNSTEADY
    assert ended.last_line.startswith("arena: ")


def test_remote_clients_need_tls(capsys, tmp_path):
    ended = run_arena(capsys, "serve", "--data", tmp_path, "--host", "0.0.0.0")

    assert ended.code == ExitCode.USAGE
    assert "loopback" in ended.last_line


@pytest.mark.slow
@pytest.mark.parametrize(("flags", "speaks_plaintext"), [((), True), (("--tls-on-loopback",), False)])
def test_server_with_a_certificate_says_where_it_speaks_plaintext(tmp_path, flags, speaks_plaintext):
    pair = LocalAuthority(tmp_path / "authority").issue_server_certificate(["localhost"])
    tls = ("--tls-cert", pair.certificate, "--tls-key", pair.key, *flags)
    with start_command("serve", "--data", tmp_path / "data", *tls) as server:
        address = server.wait_for_line("READY").split()[1]
        server.signal(signal.SIGTERM)
        server.wait_for_exit()

        assert (f"{address} speaks plaintext" in "".join(server.err)) is speaks_plaintext
