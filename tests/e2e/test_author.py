"""An author reads its games from afar: real server, real bots, real commands, and nothing of the server's disk."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.cli.exit_codes import ExitCode
from arena.server.store.open_store import open_store
from cheatarena import RefusedError, ServerGoneError, Settings, TokenRefusedError
from cheatarena.author import AuthorClient, OwnFigures, sum_figures
from tests.support.commands import CommandResult, run_arena, start_command

HONEST, GAMBLER = "honest", "gambler"


def run_command(*arguments: object) -> CommandResult:
    """Run a command to its end, in a process of its own."""
    with start_command(*arguments) as command:
        code = command.wait_for_exit(60)
        result = CommandResult(code, "".join(command.out), "".join(command.err))
    assert result.code == ExitCode.YES, (result.out, result.err)
    return result


async def create_tokens(data: Path, *names: str) -> dict[str, str]:
    """Create a token to play for each name."""
    async with await open_store(data) as store:
        return {name: await store.tokens.create(name, ["play"]) for name in names}


class PlayedServer:
    """A server on which `honest` and `gambler` have played a match of two games."""

    def __init__(self, address: str, data: Path) -> None:
        self.address = address
        self.data = data
        sample = ("match", "--bot", f"sample:{HONEST}", "--bot", f"sample:{GAMBLER}", "--games", 2)
        played = run_command(*sample, "--server", address, "--data", data, "--json")
        self.match_id = played.json["match_id"]
        self.tokens = asyncio.run(create_tokens(data, HONEST, GAMBLER, "stranger"))

    def client(self, name: str) -> AuthorClient:
        """Return the SDK's client for the author of a bot."""
        return AuthorClient(Settings(self.address, self.tokens[name]))


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    data = tmp_path_factory.mktemp("author") / "data"
    with start_command("serve", "--data", data, "--log-level", "error") as serving:
        address = serving.wait_for_line("READY").split()[1]
        yield PlayedServer(address, data)


Ask = Callable[..., CommandResult]


@pytest.fixture
def ask(server: PlayedServer, capsys, monkeypatch) -> Ask:
    """Run a command in this process with the token of a bot, or with another token."""

    def run(name: str, *arguments: object, code: int = ExitCode.YES, address: str = "") -> CommandResult:
        monkeypatch.setenv("CHEATARENA_TOKEN", server.tokens.get(name, name))
        monkeypatch.delenv("ARENA_TOKEN", raising=False)
        ended = run_arena(capsys, *arguments, "--server", address or server.address)
        assert ended.code == code, (ended.out, ended.err)
        return ended

    return run


@pytest.mark.slow
def test_own_match_is_listed(server: PlayedServer, ask: Ask):
    (listed,) = ask(HONEST, "games", "--json").json

    assert listed["match_id"] == server.match_id
    assert (listed["state"], listed["games_finished"]) == ("finished", 2)
    assert [own["entrant"] for own in listed["own"]] == [0]
    text = ask(HONEST, "games").out
    assert server.match_id in text
    assert "against gambler" in text
    assert ask(HONEST, "replay", "list").out == text


def test_own_matches_are_filtered(server: PlayedServer, ask: Ask):
    everything = ask(HONEST, "replay", "list", "--json").json

    against = ask(HONEST, "replay", "list", "--entrant", GAMBLER, "--since", "2h", "--all", "--json").json
    lost = [ask(name, "replay", "list", "--lost", "--json").json for name in (HONEST, GAMBLER)]

    assert against == everything
    places = {own: ask(own, "games", "--json").json[0]["own"][0]["places"] for own in (HONEST, GAMBLER)}
    assert [len(found) for found in lost] == [int(2 in places[own]) for own in (HONEST, GAMBLER)]
    empty = ask(HONEST, "replay", "list", "--entrant", "zoe", "--preset", "folk").out
    assert empty == "no match fits: entrant zoe, preset folk\n"


def test_replay_from_afar_reads_as_on_the_servers_disk(server: PlayedServer, ask: Ask, capsys):
    """The same text, for the same entrant; a short id is enough."""
    local_place = (server.match_id, "--entrant", GAMBLER, "--data", server.data)
    local = run_arena(capsys, "replay", "show", *local_place).out
    local_json = run_arena(capsys, "replay", "show", *local_place, "--json")

    remote = ask(GAMBLER, "replay", "show", server.match_id[:12]).out
    remote_json = ask(GAMBLER, "replay", "show", server.match_id, "--json")

    assert remote == local
    assert remote_json.json["lines"] == local_json.json["lines"]


def test_one_game_is_shown(server: PlayedServer, ask: Ask):
    lines = ask(HONEST, "replay", "show", server.match_id, "--game", 1, "--json").json["lines"]

    assert {line["game"] for line in lines} == {1}


def test_figures_and_faults_are_shown(server: PlayedServer, ask: Ask):
    figures = ask(HONEST, "games", "--figures", "--json").json[0]

    assert (figures["game"], figures["game_count"]) == ("cheat", 2)
    assert figures["figures"]["decisions"] > 0
    assert "cheat: 2 games" in ask(HONEST, "games", "--figures").out
    assert isinstance(ask(HONEST, "games", "--faults", "--json").json, list)
    assert ask(HONEST, "games", "--faults").out


def test_stranger_sees_nothing(server: PlayedServer, ask: Ask):
    """A match of others and a match that does not exist are refused with the same words."""
    missing = "01K00000000000000000000000"

    refusals = [
        ask("stranger", "replay", "show", match_id, code=ExitCode.USAGE).err.replace(match_id, "ID")
        for match_id in (server.match_id, missing)
    ]

    assert ask("stranger", "games").out == "no matches yet\n"
    assert refusals == ["arena: unknown match 'ID'\n"] * 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("replay", "show", "ID", "--seat", "1"), "--seat needs the data folder"),
        (("replay", "show", "ID", "--entrant", "gambler"), "unknown entrant of yours 'gambler'; known: honest"),
        (("replay", "show", "ID", "--data", "x"), "give one of them"),
        (("replay", "list", "--data", "x"), "give one of them"),
        (("replay", "show", "ID", "--game", "2"), "has no game 2"),
        (("replay", "show", "0" * 25), "unknown match"),
        (("replay", "export", "ID", "--to", "x"), "needs the data folder"),
        (("replay", "rerun", "ID", "--bot", "x"), "needs the data folder"),
    ],
    ids=lambda each: " ".join(each) if isinstance(each, tuple) else "",
)
def test_what_a_server_does_not_show_is_refused_in_one_sentence(server: PlayedServer, ask: Ask, arguments, words):
    given = [server.match_id if each == "ID" else each for each in arguments]

    ended = ask(HONEST, *given, code=ExitCode.USAGE)

    assert words in ended.err
    assert ended.err.count("\n") == 1


def test_bad_token_and_missing_server_are_one_sentence(server: PlayedServer, ask: Ask):
    wrong = ask("x", "games", code=ExitCode.USAGE)
    none = ask("", "games", code=ExitCode.USAGE)
    gone = ask("x", "games", address="127.0.0.1:1", code=ExitCode.UNSTEADY)

    assert "the server refused the token" in wrong.err
    assert "there is no token" in none.err
    assert "no answer from 127.0.0.1:1" in gone.err
    assert all(each.err.count("\n") == 1 for each in (wrong, none, gone))


# ---- the SDK


def test_client_reads_what_the_commands_show(server: PlayedServer):
    async def read() -> None:
        async with server.client(HONEST) as author:
            (match,) = [match async for match in author.matches()]
            lines = [line async for line in author.replay(match.match_id, game=0)]
            figures = [each async for each in author.figures()]
            faults = [fault async for fault in author.faults(match.match_id)]
            assert await author.match(match.match_id) == match
        assert (match.match_id, match.is_over, match.opponents) == (server.match_id, True, (GAMBLER,))
        assert [each.places for each in match.results] == [tuple(match.results[0].places)]
        assert (lines[0].kind, lines[-1].kind, {line.game for line in lines}) == ("game", "end", {0})
        assert any("sees" in line.data for line in lines if line.kind == "decision")
        assert sum_figures(figures)["cheat"].game_count == 2
        assert len(faults) == sum(match.results[0].strikes.values())

    asyncio.run(read())


def test_client_names_the_reason_of_a_refusal(server: PlayedServer):
    async def read(settings: Settings, match_id: str) -> None:
        async with AuthorClient(settings) as author:
            await author.match(match_id)

    with pytest.raises(RefusedError, match="unknown match") as refused:
        asyncio.run(read(Settings(server.address, server.tokens["stranger"]), server.match_id))
    with pytest.raises(TokenRefusedError):
        asyncio.run(read(Settings(server.address, "x"), server.match_id))
    with pytest.raises(ServerGoneError):
        asyncio.run(read(Settings("127.0.0.1:1", "x"), server.match_id))

    assert refused.value.reason == "UNKNOWN_MATCH"


def test_figures_of_matches_are_added():
    """Counts are sums, the think time is a mean over decisions, the slowest share a maximum."""
    one = OwnFigures("A", "cheat", "folk", 2, 1.5, {"decisions": 10, "think_s": 0.1, "lies": 3, "slowest_share": 0.2})
    two = OwnFigures("B", "cheat", "standard", 1, 0.5, {"decisions": 30, "think_s": 0.3, "slowest_share": 0.1})

    total = sum_figures([one, two, OwnFigures("C", "cheater", "cheater", 1, 1.0)])

    assert set(total) == {"cheat", "cheater"}
    assert (total["cheat"].preset, total["cheat"].game_count, total["cheat"].points) == ("", 3, 2.0)
    assert total["cheat"].values == pytest.approx({"decisions": 40, "think_s": 0.25, "lies": 3, "slowest_share": 0.2})
