"""The instance of a program that was given none: it lasts, and programs that derive the same one all play."""

import asyncio
from typing import Any

import grpc
import pytest

from cheatarena import Client, RefusedError, SessionReplacedError, Settings
from cheatarena.instance import derive_instance
from tests.sdk.fake_arena import Stream, run_fake_arena
from tests.sdk.stories import Onlooker


async def play(address: str, **settings: Any) -> None:
    client = Client(Onlooker, Settings(address=address, token="secret", **settings))
    await asyncio.wait_for(client.play(), 20)


async def end(stream: Stream) -> None:
    await stream.welcome()
    await stream.farewell("GOODBYE")


async def replace(stream: Stream) -> None:
    await stream.welcome()
    await stream.farewell("SESSION_REPLACED", "a newer stream has taken over")
    await stream.refuse(grpc.StatusCode.ABORTED, "over")


def test_instance_is_the_same_after_each_start_and_another_for_another_host_game_or_version(monkeypatch):
    def derive(host: str, game: str = "cheat", version: str = "") -> str:
        monkeypatch.setattr("socket.gethostname", lambda: host)
        return derive_instance(game, version)

    assert derive("pc") == derive("pc")
    assert len({derive("pc"), derive("laptop"), derive("pc", "cheater"), derive("pc", version="2")}) == 4


def test_new_container_has_the_instance_of_the_one_before(monkeypatch):
    derived = set()
    for host in ("0123456789ab", "fedcba987654"):
        monkeypatch.setattr("socket.gethostname", lambda host=host: host)
        derived.add(derive_instance("cheat", ""))

    assert len(derived) == 1


async def test_hello_says_that_the_instance_was_derived_until_the_server_has_given_one(caplog):
    async def cut(stream: Stream) -> None:
        await stream.welcome(instance="pc.2")

    caplog.set_level("INFO", "cheatarena")
    async with run_fake_arena(cut, end) as arena:
        await play(arena.address)

    first, second = (stream.hello for stream in arena.streams)
    assert (first.instance, first.is_instance_derived) == (derive_instance("cheat", ""), True)
    assert (second.instance, second.is_instance_derived) == ("pc.2", False)
    # Only the server knows where the other one runs: all containers and equal host names derive the same.
    assert "is or was connected too, so this one is its instance pc.2" in caplog.text


async def test_chosen_instance_stays_as_it_is():
    async with run_fake_arena(end) as arena:
        await play(arena.address, instance="mine")

    assert (arena.streams[0].hello.instance, arena.streams[0].hello.is_instance_derived) == ("mine", False)


@pytest.mark.replaces_code
async def test_program_that_an_older_server_replaces_plays_on_under_a_random_instance(caplog):
    async with run_fake_arena(replace, end) as arena:
        await play(arena.address)

    first, second = (stream.hello.instance for stream in arena.streams)
    assert first != second
    assert f"took over its instance {first} and the seats: this one plays on as {second}" in caplog.text


async def test_program_that_is_replaced_again_ends():
    """Two programs never go on replacing each other."""
    async with run_fake_arena(replace) as arena:
        with pytest.raises(SessionReplacedError):
            await play(arena.address)

    assert len(arena.streams) == 2


async def test_program_that_may_not_come_back_says_why_it_was_replaced():
    """A version that was submitted replaces the program that names it, and every later Hello of it is refused."""

    async def refuse(stream: Stream) -> None:
        await stream.refuse(grpc.StatusCode.FAILED_PRECONDITION, "give yours another one", "HELLO_EXPECTED")

    async with run_fake_arena(replace, refuse) as arena:
        with pytest.raises(RefusedError, match="a newer stream has taken over") as caught:
            await play(arena.address, version="2")

    assert isinstance(caught.value, SessionReplacedError)
