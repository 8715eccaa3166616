"""`arena health`: one sentence and an exit code, for container engines and monitors."""

import os
import signal
import socket

import pytest

from arena.cli.exit_codes import ExitCode
from arena.server.rpc.local_authority import KeyPair, LocalAuthority
from tests.support.commands import CommandProcess, run_arena, start_command

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the server is stopped by a signal")


@pytest.fixture
def authority(tmp_path) -> LocalAuthority:
    return LocalAuthority(tmp_path / "tls")


@pytest.fixture
def certificate(authority: LocalAuthority) -> KeyPair:
    return authority.issue_server_certificate(["127.0.0.1"])


def ready_address(server: CommandProcess) -> str:
    return server.wait_for_line("READY").split()[1]


def test_serving_server_is_a_yes(capsys, tmp_path):
    with start_command("serve", "--data", tmp_path) as server:
        address = ready_address(server)

        asked = run_arena(capsys, "health", address)

    assert asked.code == ExitCode.YES
    assert asked.out == f"{address} is serving\n"


def test_server_over_tls_is_asked_with_the_authority_of_its_certificate(
    capsys, monkeypatch, tmp_path, authority, certificate
):
    """The option and the variable of bots name it alike."""
    tls = ("--tls-on-loopback", "--tls-cert", certificate.certificate, "--tls-key", certificate.key)
    with start_command("serve", "--data", tmp_path / "data", *tls) as server:
        address = ready_address(server)

        plain = run_arena(capsys, "health", address)
        other = LocalAuthority(tmp_path / "other").certificate
        wrong = run_arena(capsys, "health", address, "--ca", other)
        by_option = run_arena(capsys, "health", address, "--ca", authority.certificate)
        monkeypatch.setenv("CHEATARENA_CA", str(authority.certificate))
        by_variable = run_arena(capsys, "health", address)

    assert by_option.code == by_variable.code == ExitCode.YES
    assert plain.code == wrong.code == ExitCode.NO
    assert plain.err.endswith("or set CHEATARENA_CA; --ca stands for CHEATARENA_CA\n")
    assert wrong.err == (
        f"arena: no secure connection to {address}: the server's certificate is not from the authority in {other}\n"
    )


def test_missing_server_is_a_no(capsys):
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # bound and not listening: nobody else takes the port meanwhile
        address = f"127.0.0.1:{closed.getsockname()[1]}"

        asked = run_arena(capsys, "health", address)

    assert asked.code == ExitCode.NO
    assert asked.err == f"arena: no answer from {address}: nothing listens there\n"


def test_frozen_server_is_a_no_after_the_timeout(capsys, tmp_path):
    """A process that is there and does not answer is what a health check is for."""
    with start_command("serve", "--data", tmp_path) as server:
        address = ready_address(server)
        server.signal(signal.SIGSTOP)
        try:
            asked = run_arena(capsys, "health", address, "--timeout", 0.5)
        finally:
            server.signal(signal.SIGCONT)

    assert asked.code == ExitCode.NO


@pytest.mark.parametrize("address", ["arena.example", "127.0.0.1:", "127.0.0.1:70000"])
def test_malformed_address_is_a_usage_error(capsys, address):
    asked = run_arena(capsys, "health", address)

    assert asked.code == ExitCode.USAGE
    assert "HOST:PORT" in asked.last_line


def test_unreadable_authority_is_a_usage_error(capsys, tmp_path):
    asked = run_arena(capsys, "health", "127.0.0.1:1", "--ca", tmp_path / "missing.pem")

    assert asked.code == ExitCode.USAGE
    assert "missing.pem" in asked.last_line
