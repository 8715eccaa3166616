"""The guides of people who run a server, and of authors who join it."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest

from tests.e2e.remote_bots import free_port
from tests.guides.reader import ROOT, Reader
from tests.support.boxes import skip_without_boxes
from tests.support.wheels import build_wheels

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

OUTSIDE: Final = "apt certbot git hostname journalctl make systemctl ufw useradd"
FOLDERS: Final = {
    "/etc/systemd/system": "units",
    "/etc/arena": "etc",
    "/etc/caddy": "caddy",
    "/etc/sysctl.d": "sysctl.d",
    "/opt/arena": "opt",
    "/usr/local/lib/arena": "lib",
    "/var/backups/arena": "backups",
    "/var/lib/arena": "data",
}
"""The folders of a server, and what stands for them beside the reader's home."""


def machine(home: Path, places: Mapping[str, str]) -> dict[str, str]:
    """Return where the places of a server's guide are here."""
    for folder in ("units", "etc", "caddy", "lib", "sysctl.d"):
        (home.parent / folder).mkdir()
    return {**places, **{place: str(home.parent / folder) for place, folder in FOLDERS.items()}}


def let_in(reader: Reader, address: str, invitation: str, name: str) -> None:
    """Let an author join a server with an invitation as it was printed. The author's bot then plays there."""
    code = invitation.split(maxsplit=1)[0]
    own = f"HOME={reader.home.parent / name}"
    reader.run(f"mkdir {reader.home.parent / name}")
    reader.run(f"{own} python -m cheatarena join {address} {code} --owner {name} --bot {name}")
    reader.run_beside(f"{own} python {reader.home}/mybot.py", "connected")


def test_first_server(home):
    everywhere = f"0.0.0.0:{free_port()}"  # a certificate is for listeners beyond loopback
    address, web, metrics = f"127.0.0.1:{free_port()}", free_port(), free_port()
    build_wheels(home.parent / "wheels")
    places = {
        "dist/compiled": str(home.parent / "wheels"),
        "cd cheatarena": f"cd {ROOT}",
        "arena.example:443": address,
        "127.0.0.1:7777": address,
        "--games 20": "--games 2",
        "arena.lan": "localhost",
        "192.168.1.20": "127.0.0.1",
        "0.0.0.0:7777": everywhere,
        "localhost:7777": everywhere.replace("0.0.0.0", "localhost"),
        "127.0.0.1:7778": f"127.0.0.1:{free_port()}",
    }
    with Reader("docs/first-server.md", home, machine(home, places), OUTSIDE) as reader:
        reader.enter()
        reader.write(home.parent / "etc" / "server.toml", {"8000": str(web), "9464": str(metrics)})
        reader.enter()
        reader.start_unit(home.parent / "units" / "arena.service", "READY")
        assert "systemctl enable --now arena arena-boxes" in reader.calls
        reader.enter()
        assert "h2c://" in (home.parent / "caddy" / "Caddyfile").read_text()
        assert "is serving" in reader.enter()
        let_in(reader, address, reader.enter(), "ann")
        let_in(reader, address, reader.run(f"arena invite create --data {home.parent / 'data'}"), "bob")
        assert "ann" in reader.enter()
        assert "ann" in reader.enter()

        reader.run(f"cd {home}")
        reader.start("READY")
        assert "is serving" in reader.enter()


SERVER: Final = """
[[pools]]
name = "standard"
seats = 2
house_bots = ["sample:honest"]
house_after_s = 0.1
rules = {max_turns = 40}
"""


def serve(reader: Reader, *flags: str) -> str:
    """Run a server with a pool in the reader's home, and return its address."""
    (reader.home / "arena.toml").write_text(SERVER)
    ready = reader.run_beside(f"arena serve --config arena.toml {' '.join(flags)}", "READY")
    return ready.split()[1]


def test_joining(home):
    address = f"localhost:{free_port()}"
    with Reader("docs/joining.md", home, {"arena.example:7777": address}, "pip") as reader:
        reader.run("arena cert localhost 127.0.0.1; cp arena-tls/ca.pem .")
        tls = "--tls-cert arena-tls/server.pem --tls-key arena-tls/server-key.pem"
        serve(reader, f"--listen 0.0.0.0:{address.partition(':')[2]}", tls)
        code = reader.run("arena invite create --bots 4").split()[0]
        reader.run("export CHEATARENA_POOLS=standard")
        reader.start("connected", CODE=code)
        until_played = "until python -m cheatarena games --json | grep -q finished; do sleep 0.2; done"
        reader.run(f"export CHEATARENA_CA=$PWD/ca.pem; {until_played}")
        reader.enter(ID=reader.ask("python -m cheatarena games")[-1]["match_id"])
        reader.run("python -m cheatarena create counter")
        assert "counter" in reader.enter()


def test_submitting(home):
    """At first as the page of the SDK tells it, with the bot that it lets you write."""
    skip_without_boxes()
    address, beside = f"127.0.0.1:{free_port()}", "python mybot/bot.py > log 2>&1 & trap 'kill $!' EXIT"
    places = {"arena.example:443": address, "python mybot/bot.py": beside}
    with Reader("sdk/README.md", home, places, "pip") as reader:
        reader.run("export ARENA_SUBMISSIONS__ENABLED=true ARENA_SUBMISSIONS__CHECK_STEPS=standard")
        serve(reader, f"--listen {address}")
        code = reader.run("arena invite create --bots 4").split()[0]
        assert "passed" in reader.enter()
        assert "mybot@0.1 is active" in reader.enter(CODE=code)
        token = reader.run("arena submission token 2>/dev/null").strip()
        with Reader("docs/submitting.md", home, {"arena.example:7777": address, "cat_…": token}) as author:
            assert "nothing changes" in author.enter()
            assert "nothing changes" in author.enter()


def test_pools(home):
    places = {"--data /var/lib/arena": "--data arena-data", "7777": str(free_port()), "standard,cheater": "cheater"}
    with Reader("docs/pools.md", home, places | {"docs/arena.toml": str(ROOT / "docs" / "arena.toml")}) as reader:
        address = reader.start("READY").split()[1]
        code = reader.run("arena invite create --bots 4").split()[0]
        reader.run(f"python -m cheatarena join {address} {code} --owner ann --bot mybot")
        reader.enter()
        reader.start("connected")
        assert "standard" in reader.enter()
        assert "mybot" in reader.run("until arena pool show standard | grep mybot; do sleep 0.2; done")
        assert "every seating follows" in reader.enter()
        reader.leave("python -m cheatarena challenge", "tests/e2e/test_pool_commands.py challenges bots and houses")
        reader.leave("arena top", "it shows a screen until it is stopped; tests/e2e/test_pool_commands.py reads it")


def test_web_pages(home):
    ports = {"8000": str(free_port()), "https://arena.example": "http://arena.example"}
    with Reader("docs/web.md", home, ports) as reader:
        reader.run("arena match --bot mybot.py --fill sample:honest --seats 2 --games 1")
        reader.start("WEB")
        reader.leave("arena serve", "the same two commands with an address")


def test_a_proxy_of_another_kind(home):
    address = f"127.0.0.1:{free_port()}"
    places = machine(home, {"127.0.0.1:7777": address, "10.0.0.2:7777": "0.0.0.0:0"})
    with Reader("docs/proxies.md", home, places, OUTSIDE) as reader:
        reader.start("READY")
        reader.run(f"cd {ROOT}")
        reader.enter()
        assert [call for call in reader.calls if call.startswith("certbot certonly --standalone")]


def test_operations(home):
    address, data = f"127.0.0.1:{free_port()}", home.parent / "data"
    places = {
        "127.0.0.1:7777": address,
        "arena.example:443": address,
        "-o arena ": "",
        "git pull && make compiled": "git pull && make compiled && cd /",
        "sudo .venv/bin/uv": "true",
    }
    with Reader("docs/operations.md", home, machine(home, places), f"{OUTSIDE} grpcurl") as reader:
        (home.parent / "opt" / "bin").mkdir(parents=True)
        (home.parent / "opt" / "bin" / "arena").symlink_to(Path(sys.executable).with_name("arena"))
        reader.run(f"arena match --bot {home}/mybot.py --fill sample:honest --seats 2 --games 1 --data {data}")
        reader.enter()
        assert reader.calls[-1] == "systemctl restart arena"
        reader.enter()
        assert "everything agrees" in reader.enter()
        reader.leave("createuser", "tests/server/store starts a PostgreSQL of its own, and a league plays on it")
        reader.leave("arena store copy", "tests/server/store/test_store_copy.py copies there and back")
        (home.parent / "etc" / "server.toml").write_text(f'data = "{data}"')
        reader.enter()
        reader.run(f"arena owner add ann --data {data}")
        assert "anna" in reader.enter()
        reader.run("export ARENA_TOKEN=x TOKEN=x")
        reader.enter()
        reader.leave("arena watch", "tests/e2e/test_watch.py watches a running match")


def test_boxes(home):
    (home / "arena.toml").write_text(SERVER)
    places = machine(
        home, {"--backend oci": "--backend bubblewrap", "127.0.0.1:7777": "127.0.0.1:0", "/run/arena/": f"{home}/"}
    )
    with Reader("docs/boxes.md", home, places, f"{OUTSIDE} podman sysctl") as reader:
        assert "does not hold" not in reader.enter()
        reader.enter()
        reader.start("READY")
        reader.enter()
        assert "Delegate=cpu" in (home.parent / "units" / "user@.service.d" / "delegate.conf").read_text()
        reader.run(f"cd {ROOT}")
        reader.enter()
        reader.enter()
        assert [call for call in reader.calls if call.startswith("podman run")]
        reader.run(f"mkdir {home}/other; cd {home}/other")  # another server's folder
        reader.start("READY")
        reader.enter()
