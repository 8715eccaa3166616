"""Addresses that cannot be dialled are refused in one sentence."""

import pytest

from cheatarena import Settings, SettingsError
from cheatarena.addresses import find_address_fault, split_address

EXPECTED = "expected HOST:PORT, such as arena.example:7777 or [::1]:7777"


@pytest.mark.parametrize("address", ["arena.example:443", "127.0.0.1:7777", "[::1]:7777", "localhost:65535"])
def test_host_and_port_are_an_address(address):
    assert find_address_fault(address) == ""


@pytest.mark.parametrize(
    ("address", "fault"),
    [
        ("arena.example", f"it names no port: {EXPECTED}"),
        ("127.0.0.1", f"it names no port: {EXPECTED}"),
        ("http://arena.example:443", f"leave out http://: {EXPECTED}"),
        ("https://arena.example:443/", f"leave out https://: {EXPECTED}"),
        ("https://arena.example", f"leave out https://, and name the port: {EXPECTED}"),
        ("arena.example:443/play", EXPECTED),
        ("arena.example:", EXPECTED),
        (":443", EXPECTED),
        ("::1:7777", EXPECTED),
        ("arena.example:70000", EXPECTED),
        ("arena.example:http", EXPECTED),
        ("two words:443", EXPECTED),
        ("", EXPECTED),
    ],
)
def test_fault_of_an_address_is_named(address, fault):
    assert find_address_fault(address) == fault
    with pytest.raises(ValueError, match="expected HOST:PORT"):
        split_address(address)


@pytest.mark.parametrize("extra", [{}, {"CHEATARENA_TOKEN": "secret"}])
@pytest.mark.parametrize("address", ["arena.example", "http://arena.example:443", "https://arena.example"])
def test_bot_with_such_an_address_is_refused(address, extra, tmp_path):
    """Whether its token comes from the environment or from a file."""
    file = tmp_path / "credentials.json"

    with pytest.raises(SettingsError, match=f"the address of the server is '{address}': .*HOST:PORT") as caught:
        Settings.from_environment({"CHEATARENA_ADDRESS": address, "CHEATARENA_CREDENTIALS": str(file), **extra})

    assert caught.value.exit_code == 64
    assert ";" not in str(caught.value)


def test_socket_of_this_machine_is_an_address():
    assert Settings(address="unix:/run/arena", token="secret").address == "unix:/run/arena"
