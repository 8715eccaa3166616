"""What remote bots of a league are given: an address that stays, and a token for the whole league."""

import json
import time
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from arena.cli.league.run import authority_to_send, league_server
from arena.cli.listening import ListeningFlags
from arena.errors import DeniedError, OptionError
from arena.organizer.file.league_file import LeagueFile
from arena.organizer.file.league_reader import read_league_file
from arena.organizer.play.remote_access import AccessPeriod, give_access
from arena.organizer.seal.league_files import port_path, read_awaited, read_port, write_awaited, write_port
from arena.server.config.server_config import ServerConfig
from arena.server.rpc.local_authority import LocalAuthority
from arena.server.store.open_store import open_store
from tests.organizer.leagues import write_league

DAY_S = 86_400
DATE = "\n[[dates]]\nopens = 2026-12-01 18:00:00Z\ncloses = 2026-12-01 22:00:00Z\n"


def league(folder: Path, local: int, remote: int, more: str = "") -> LeagueFile:
    file = write_league(folder, bots=local, seats=2, tables=None)
    entrants = "".join(f'\n[[entrants]]\nbot = "remote:far{number}"\n' for number in range(remote))
    file.write_text(file.read_text() + entrants + more)
    return read_league_file(file)


def server(file: LeagueFile, config: ServerConfig, flags: ListeningFlags | None = None, port: int = 0) -> ServerConfig:
    return league_server(file, config, flags or ListeningFlags(), port)


# ---- the address


def test_league_of_local_bots_listens_on_any_port_of_loopback(tmp_path):
    """Even if the environment says where `arena serve` listens."""
    config = ServerConfig(tmp_path, listen=("0.0.0.0:7777",), tls_cert=Path("c"))

    assert server(league(tmp_path, 2, 0), config) == ServerConfig(tmp_path)


def test_options_for_remote_bots_need_remote_bots(tmp_path):
    with pytest.raises(OptionError, match="no bot of this league dials in"):
        server(league(tmp_path, 2, 0), ServerConfig(tmp_path), ListeningFlags(listen=["127.0.0.1:7777"]))


def test_local_bots_beside_remote_ones_have_a_listener_without_tls(tmp_path):
    config = ServerConfig(tmp_path, listen=("0.0.0.0:7777",), public_address="arena.example:7777", tls_cert=Path("c"))

    found = server(league(tmp_path, 1, 1), config)

    assert found == replace(config, listen=("0.0.0.0:7777", "127.0.0.1:0"))


def test_remote_bots_alone_get_the_servers_settings(tmp_path):
    config = ServerConfig(tmp_path, listen=("127.0.0.1:7777",), tls_on_loopback=True, tls_cert=Path("c"))

    assert server(league(tmp_path, 0, 2), config) == config
    assert server(league(tmp_path, 0, 2), ServerConfig(tmp_path), port=7) == ServerConfig(tmp_path, port=7)


@pytest.mark.parametrize("setting", [{"tls_on_loopback": True}, {"plaintext_behind_proxy": ("10.0.0.1",)}])
def test_settings_that_keep_local_bots_out_are_refused(tmp_path, setting):
    config = replace(ServerConfig(tmp_path, listen=("127.0.0.1:7777",)), **setting)

    with pytest.raises(OptionError, match=next(iter(setting))):
        server(league(tmp_path, 1, 1), config)


def test_league_with_dates_needs_an_address_that_stays(tmp_path):
    file = league(tmp_path, 0, 2, DATE)

    with pytest.raises(OptionError, match="an address that stays"):
        server(file, ServerConfig(tmp_path))
    assert server(file, ServerConfig(tmp_path), port=7777).port == 7777


def test_options_are_repeated_in_the_command_that_continues_a_league():
    flags = ListeningFlags(listen=["[::]:7", "a:8"], tls_cert=Path("c"), tls_on_loopback=True)

    assert flags.words() == ["--listen", "[::]:7", "--listen", "a:8", "--tls-cert", "c", "--tls-on-loopback"]
    assert ListeningFlags().words() == []


def test_port_is_kept_in_a_file(tmp_path):
    (tmp_path / "leagues").mkdir()
    path = port_path(tmp_path, "ID")
    assert read_port(path) == 0

    write_port(path, 4321)
    assert read_port(path) == 4321

    path.write_text("none")
    assert read_port(path) == 0
    write_port(tmp_path / "no folder" / "ID.port", 1)


# ---- the tokens


async def test_remote_bot_keeps_its_token_until_the_league_is_over(tmp_path):
    now = time.time()
    async with await open_store(tmp_path) as store:
        period = AccessPeriod("L", now, now + 7 * DAY_S)
        first = await give_access(store, period, ["ann", "bob"], "a:1")
        again = await give_access(store, period, ["ann", "bob"], "a:1")
        checked = await store.tokens.check(first[0].token)

    assert [each.lines()[0] for each in first] == ["ann dials in:", "bob dials in:"]
    assert f"export CHEATARENA_TOKEN={first[0].token}" in first[0].lines()
    assert [each.token for each in again] == ["", ""]
    assert again[0].lines() == [
        "ann dials in, with the token that it has:",
        "export CHEATARENA_ADDRESS=a:1",
        "export CHEATARENA_INSTANCE=league",
        "export CHEATARENA_PATIENCE=86400",
    ]
    assert checked.name == "ann"
    assert checked.expires_at == pytest.approx(now + 14 * DAY_S, abs=60)
    assert first[0].token not in repr(first)


async def test_token_that_expires_too_early_or_may_not_play_does_not_count(tmp_path):
    now = time.time()
    async with await open_store(tmp_path) as store:
        await store.tokens.create("ann", ["spectate"])
        await store.tokens.create("bob", ["play"], timedelta(days=29))
        given = await give_access(store, AccessPeriod("L", now, now + 30 * DAY_S), ["ann", "bob"], "a:1")

    assert all(each.token for each in given)


async def test_token_of_a_league_without_dates_lasts_and_each_start_extends_it(tmp_path):
    now = time.time()
    async with await open_store(tmp_path) as store:
        (first,) = await give_access(store, AccessPeriod("L", now), ["ann"], "a:1")
        (again,) = await give_access(store, AccessPeriod("L", now + 100 * DAY_S), ["ann"], "a:1")
        checked = await store.tokens.check(first.token)

    assert again.token == ""
    assert checked.expires_at == pytest.approx(now + 280 * DAY_S, abs=60)


async def test_extended_date_extends_the_token(tmp_path):
    now = time.time()
    async with await open_store(tmp_path) as store:
        (first,) = await give_access(store, AccessPeriod("L", now, now + DAY_S), ["ann"], "a:1")
        (again,) = await give_access(store, AccessPeriod("L", now, now + 30 * DAY_S), ["ann"], "a:1")
        checked = await store.tokens.check(first.token)

    assert again.token == ""
    assert checked.expires_at == pytest.approx(now + 37 * DAY_S, abs=60)


async def test_tokens_of_a_league_end_with_it_and_others_stay(tmp_path):
    """Also the token that `arena token rotate` made instead. An owner's bot keeps its own."""
    now = time.time()
    async with await open_store(tmp_path) as store:
        await store.owners.add("alice", "", 1)
        await store.tokens.revoke((await store.owners.create_bot("alice", "own")).secret[:12])
        other = await store.tokens.create("ann", ["play"], timedelta(days=365))
        ann, bob, own = await give_access(store, AccessPeriod("L", now), ["ann", "bob", "own"], "a:1")
        assert ann.token == "", "a token that the organizer made is enough"
        rotated = await store.tokens.rotate("bob", timedelta(hours=1))
        await store.tokens.end_league("L")

        for token in (bob.token, rotated.secret):
            with pytest.raises(DeniedError, match="was revoked"):
                await store.tokens.check(token)
        assert (await store.tokens.check(other)).name == "ann"
        assert (await store.tokens.check(own.token)).name == "own"


async def test_rotated_token_is_not_extended(tmp_path):
    now = time.time()
    async with await open_store(tmp_path) as store:
        (ann,) = await give_access(store, AccessPeriod("L", now), ["ann"], "a:1")
        rotated = await store.tokens.rotate("ann", timedelta(hours=1))
        (again,) = await give_access(store, AccessPeriod("L", now), ["ann"], "a:1")
        old, new = await store.tokens.check(ann.token), await store.tokens.check(rotated.secret)

    assert again.token == ""
    assert old.expires_at == pytest.approx(now + 3600, abs=60)
    assert new.expires_at == pytest.approx(now + 180 * DAY_S, abs=60)


async def test_token_of_another_league_does_not_count(tmp_path):
    """It would end with that league."""
    now = time.time()
    async with await open_store(tmp_path) as store:
        (first,) = await give_access(store, AccessPeriod("L", now), ["ann"], "a:1")
        (other,) = await give_access(store, AccessPeriod("M", now), ["ann"], "a:1")
        await store.tokens.end_league("L")

        assert (await store.tokens.check(other.token)).name == "ann"
    assert first.token


async def test_bot_of_an_owner_is_said_to_use_the_owners_token(tmp_path):
    """So the organizer notices that the name belongs to somebody. A new token belongs to the owner, too."""
    now = time.time()
    async with await open_store(tmp_path) as store:
        await store.owners.add("alice", "", 1)
        made = await store.owners.create_bot("alice", "ann")
        (access,) = await give_access(store, AccessPeriod("L", now), ["ann"], "a:1")
        await store.tokens.revoke(made.secret[:12])
        await store.tokens.create("ann", ["play"])
        (again,) = await give_access(store, AccessPeriod("L", now), ["ann"], "a:1")
        checked = await store.tokens.check(again.token)

    assert access.lines()[0] == "ann dials in, with the token that its owner 'alice' has:"
    assert again.lines()[0] == "ann dials in:"
    assert checked.owner == "alice"


async def test_author_gets_the_local_authority_of_the_server(tmp_path):
    """Without it, the bot refuses the server's certificate."""
    authority = LocalAuthority(tmp_path / "tls")
    config = ServerConfig(tmp_path, tls_cert=authority.issue_server_certificate(["arena.example"]).certificate)
    found = authority_to_send(config, "arena.example:7777")
    async with await open_store(tmp_path) as store:
        (ann,) = await give_access(store, AccessPeriod("L", time.time()), ["ann"], "arena.example:7777", found)

    assert ann.lines()[0] == f"ann dials in; send the file {authority.certificate} together with these lines:"
    assert "export CHEATARENA_CA=ca.pem" in ann.lines()
    assert authority_to_send(config, "127.0.0.1:7777") is None, "bots dial loopback without TLS"
    assert authority_to_send(replace(config, tls_on_loopback=True), "127.0.0.1:7777") == authority.certificate


def test_authority_that_did_not_issue_the_certificate_is_not_sent(tmp_path):
    authority, other = LocalAuthority(tmp_path / "tls"), LocalAuthority(tmp_path / "other")
    foreign = other.issue_server_certificate(["arena.example"]).certificate.rename(tmp_path / "tls" / "server.pem")

    assert authority_to_send(ServerConfig(tmp_path, tls_cert=foreign), "arena.example:7777") is None
    assert authority.certificate.exists()
    assert authority_to_send(ServerConfig(tmp_path, tls_cert=tmp_path / "no.pem"), "arena.example:7777") is None


# ---- the awaited bots


def test_awaited_bots_are_shared_through_a_file(tmp_path):
    path = tmp_path / "ID.awaited"
    assert read_awaited(path) == {}

    write_awaited(path, {"ann": 3})
    assert read_awaited(path) == {"ann": 3}
    assert json.loads(path.read_text()) == {"ann": 3}

    path.write_text("[]")
    assert read_awaited(path) == {}
    write_awaited(tmp_path / "no folder" / "ID.awaited", {"ann": 3})
